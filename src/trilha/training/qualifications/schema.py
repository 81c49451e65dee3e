"""Structs of qualifications."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.moments import IsoDay
from trilha.core.types import Choice, Name, Timestamp
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.platform.mail.schema import Locale

QualificationState = Literal["VALID", "EXPIRING", "EXPIRED", "UPCOMING"]
QualificationTitle = Annotated[Name, Meta(examples=["Instrutor de NR-35"])]
IssuingBody = Annotated[Name, Meta(examples=["CREA-SP"])]
RegisterNumber = Annotated[Name, Meta(examples=["5069123456"])]


class FirstDay(IsoDay):
    """The first day on which a qualification is valid, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "date", "examples": ["2026-01-15"]}


class LastDay(IsoDay):
    """The last day on which a qualification is valid, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "date", "examples": ["2028-01-14"]}


class NewQualification(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A qualification of a user. Without `valid_until`, it does not expire. Both days are in the company's
    time zone.
    """

    user_id: UUID
    title: QualificationTitle
    issuing_body: IssuingBody
    register_number: RegisterNumber | None = None
    valid_from: FirstDay
    valid_until: LastDay | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        first, last = values.get("valid_from"), values.get("valid_until")
        if first is not None and last is not None and last < first:
            yield problem("valid_until", "ends_before_it_begins")


class QualificationUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a qualification. Omitted members stay unchanged; `null` clears the register number or the
    last day.
    """

    title: QualificationTitle | UnsetType = UNSET
    issuing_body: IssuingBody | UnsetType = UNSET
    register_number: RegisterNumber | None | UnsetType = UNSET
    valid_from: FirstDay | UnsetType = UNSET
    valid_until: LastDay | None | UnsetType = UNSET


class Qualification(Struct, frozen=True):
    """What a user is qualified for. `UPCOMING`: it is not valid yet; `EXPIRING`: it expires within 30 days.
    `has_document` says whether its document was uploaded.
    """

    id: UUID
    user_id: UUID
    title: Annotated[str, Meta(examples=["Instrutor de NR-35"])]
    issuing_body: Annotated[str, Meta(examples=["CREA-SP"])]
    register_number: Annotated[str | None, Meta(examples=["5069123456"])]
    valid_from: FirstDay
    valid_until: LastDay | None
    state: QualificationState
    has_document: bool
    created_at: Timestamp
    updated_at: Timestamp


class ListedQualification(Struct, frozen=True):
    """A qualification with the name of its person."""

    id: UUID
    user_id: UUID
    user_name: str
    title: str
    issuing_body: str
    register_number: str | None
    valid_from: str
    valid_until: str | None
    state: QualificationState
    has_document: bool


class HeldQualification(Struct, frozen=True):
    """A qualification as it is printed beside a person's name."""

    id: UUID
    user_id: UUID
    title: str
    issuing_body: str
    register_number: str | None
    valid_until: str | None


class ExportedQualification(Struct, frozen=True):
    """A qualification in the export of personal data, without its document."""

    title: str
    issuing_body: str
    register_number: str | None
    valid_from: str
    valid_until: str | None
    has_document: bool
    created_at: Timestamp


class Document(Struct, frozen=True):
    media_type: str
    content: bytes


class DueNotice(Struct, frozen=True):
    """A qualification whose person is to be told that it expires. They are not `reachable` if they get no
    e-mail.
    """

    id: UUID
    user_id: UUID
    title: str
    valid_until: str
    email: str
    name: str
    locale: Locale
    time_zone: str
    reachable: bool


class QualificationStateFilter(Choice):
    __slots__ = ()
    schema = {
        "type": "string",
        "enum": ["VALID", "EXPIRING", "EXPIRED", "UPCOMING"],
        "examples": ["EXPIRING"],
    }


class QualificationQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: Annotated[UUID, Meta(description="Only qualifications of this user.")] | None = None
    state: Annotated[QualificationStateFilter, Meta(description="Only those in this state today.")] | None = (
        None
    )


class QualificationSearch(ListQuery, frozen=True, kw_only=True):
    """The filters of the page."""

    user: UUID | None = None
    state: QualificationState | None = None
