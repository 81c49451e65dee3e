"""Structs of confirming identities."""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp

Moment = Literal["START", "RANDOM", "END"]
CheckStatus = Literal["PENDING", "MATCHED", "DOUBTFUL", "ACCEPTED", "REFUSED"]
DEFAULT_THRESHOLD = 0.5
DEFAULT_RETENTION_DAYS = 180
Reason = Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]


class IdentitySettings(Struct, frozen=True):
    """A company's settings. With a `service_url`, an external service compares faces instead of the model in
    the browser.
    """

    enabled: bool = False
    retention_days: int = DEFAULT_RETENTION_DAYS
    service_url: str | None = None
    service_token: bytes | None = None


class ConsentText(Struct, frozen=True):
    """A version of the text that people agree to. Version 0 is the product's own, whose text is None."""

    version: int = 0
    text: str | None = None
    created_at: Timestamp | None = None


class IdentityRule(Struct, frozen=True):
    """What a course asks for. `threshold` is the largest distance between two faces that match."""

    random_photos: int = 1
    threshold: float = DEFAULT_THRESHOLD
    blocking: bool = True


class Consent(Struct, frozen=True):
    """The last decision of a person."""

    version: int
    agreed: bool
    created_at: Timestamp


class Check(Struct, frozen=True):
    """One photo that an enrollment asks for."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    moment: Moment
    number: int
    due_seconds: int
    status: CheckStatus
    attempts: int
    photo_id: UUID | None
    taken_at: Timestamp | None
    reason: str | None


class Face(Struct, frozen=True):
    """A photo with one face, as JPEG. `descriptor` is what the model in the browser computes of it."""

    photo: bytes
    descriptor: Sequence[float] = ()


class Comparison(Struct, frozen=True):
    """How far two faces are from each other; None if that is not known, so that a person decides."""

    distance: float | None
    faces: int = 1


class Progress(Struct, frozen=True):
    """Where an enrollment is: its study time, and whether only the identity is missing for its completion."""

    credited_seconds: float
    is_else_complete: bool


class IdentityState(Struct, frozen=True):
    """What an enrollment asks of its person."""

    enrollment_id: UUID
    course_id: UUID
    course_title: str
    rule: IdentityRule
    settings: IdentitySettings
    text: ConsentText
    consent: Consent | None
    checks: Sequence[Check]
    is_confirmed: bool
    due: Check | None

    @property
    def has_agreed(self) -> bool:
        """Whether the person agreed to the present text, for this enrollment: its photos are planned then."""
        consent = self.consent
        is_present = consent is not None and consent.version == self.text.version
        return is_present and not self.has_refused and bool(self.checks)

    @property
    def has_refused(self) -> bool:
        return self.consent is not None and not self.consent.agreed

    @property
    def must_act(self) -> bool:
        """Whether the person must decide or take a photo before going on."""
        if self.is_confirmed or self.has_refused:
            return False
        return not self.has_agreed or self.due is not None


class ReviewedCheck(Struct, frozen=True):
    """A photo that an administrator decides on. Without a reference, it becomes the reference."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    user_name: str
    course_title: str
    moment: Moment
    photo_id: UUID | None
    reference_id: UUID | None
    distance: float | None
    threshold: float
    taken_at: Timestamp


class UnconfirmedEnrollment(Struct, frozen=True):
    """An enrollment whose identity an administrator confirms: its person refused photos, or `has_agreed` and
    may take no further one.
    """

    id: UUID
    user_id: UUID
    user_name: str
    course_title: str
    has_agreed: bool
    decided_at: Timestamp


class ExportedConsent(Struct, frozen=True):
    """A decision in the export of personal data."""

    text_version: int
    agreed: bool
    created_at: Timestamp


class ExportedCheck(Struct, frozen=True):
    """A photo in the export of personal data: that it was taken, without the photo and all that is computed
    of it.
    """

    course: str
    moment: Moment
    status: CheckStatus
    taken_at: Timestamp | None
