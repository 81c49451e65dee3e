"""Input and output types of practical assessments."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem, problem
from trilha.core.moments import IsoDay
from trilha.core.types import STORABLE, Choice, InvalidValue, Name, SearchWords, Text, Timestamp
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.training.courses.schema import ChecklistItem
from trilha.training.practice.rules import MAX_ITEMS, MAX_NOTE, AssessmentStatus, Rating


class Note(Text):
    """What the assessor noticed: trimmed, 1 to 1000 characters."""

    __slots__ = ()
    schema = {**SearchWords.schema, "maxLength": MAX_NOTE, "examples": ["Conectou o talabarte sem ajuda."]}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        if len(text) > MAX_NOTE:
            raise InvalidValue("too_long")
        if "\x00" in text:
            raise InvalidValue("invalid_text")
        note = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        if not note:
            raise InvalidValue("too_short")
        return note


class AnnulReason(Note):
    """Why an assessment is annulled: trimmed, 1 to 1000 characters."""

    __slots__ = ()
    schema = {**Note.schema, "examples": ["O formulário era de outra pessoa."]}


class RatingChoice(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": ["SATISFACTORY", "UNSATISFACTORY"], "examples": ["SATISFACTORY"]}


class AssessedDay(IsoDay):
    """The day of the assessment, YYYY-MM-DD, in the company's time zone."""

    __slots__ = ()
    schema = {"type": "string", "format": "date", "examples": ["2026-11-20"]}


class NewRating(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    item_id: UUID
    rating: RatingChoice
    note: Annotated[Note | None, Meta(examples=[None])] = None


class NewAssessment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An assessment, which counts once the assessor and the learner have signed it on their pages. Without
    `assessed_on`, its day is the one on which the assessor signs.
    """

    enrollment_id: UUID
    module_id: UUID
    assessor_id: UUID
    assessed_on: AssessedDay | None = None
    ratings: Annotated[list[NewRating], Meta(max_length=MAX_ITEMS, examples=[[]])] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        known: set[UUID] = set()
        for number, each in enumerate(values.get("ratings", ())):
            if each.item_id in known:
                yield problem(f"ratings.{number}.item_id", "duplicate_rating")
            known.add(each.item_id)


class Annulment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: AnnulReason


class HeldQualification(Struct, frozen=True):
    """The assessor's qualification as it was on the day of the assessment."""

    title: Annotated[str, Meta(examples=["Instrutor de NR-35"])]
    issuing_body: Annotated[str, Meta(examples=["CREA-SP"])]
    register_number: Annotated[str | None, Meta(examples=["5069123456"])]
    valid_until: Annotated[str | None, Meta(examples=["2028-01-14"])]


class RatedItem(Struct, frozen=True):
    """An item of the checklist as it was then. `rating` is null until it is rated; `photo_id` until there is
    a photo.
    """

    id: UUID
    title: Annotated[str, Meta(examples=["Inspeciona o cinto"])]
    criteria: Annotated[str, Meta(examples=["Costuras, fivelas e validade, antes de vestir."])]
    rating: Annotated[Rating, Meta(examples=["SATISFACTORY"])] | None
    note: Annotated[str | None, Meta(examples=[None])]
    photo_id: Annotated[UUID | None, Meta(examples=[None])]


class ListedAssessment(Struct, frozen=True):
    """An assessment without the ratings of its items."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    module_id: UUID
    number: int
    status: AssessmentStatus
    result: Rating | None
    assessor_id: UUID
    held_qualification: HeldQualification | None
    items: list[ChecklistItem]
    assessed_on: str | None
    assessor_signed_at: Timestamp | None
    learner_signed_at: Timestamp | None
    annul_reason: str | None
    created_at: Timestamp
    updated_at: Timestamp


class PracticeAssessment(Struct, frozen=True):
    """One attempt of a user in a PRACTICE module. It is `OPEN` until the assessor signs, then `ASSESSED`, and
    `SIGNED` once the learner has signed, too. Only a `SIGNED` and `SATISFACTORY` one completes the module.
    """

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    module_id: UUID
    number: Annotated[int, Meta(ge=1, examples=[1])]
    status: Annotated[AssessmentStatus, Meta(examples=["SIGNED"])]
    result: Annotated[Rating, Meta(examples=["SATISFACTORY"])] | None
    assessor_id: UUID
    qualification: HeldQualification | None
    items: list[RatedItem]
    assessed_on: Annotated[str | None, Meta(examples=["2026-11-20"])]
    assessor_signed_at: Timestamp | None
    learner_signed_at: Timestamp | None
    annul_reason: Annotated[str | None, Meta(examples=[None])]
    created_at: Timestamp
    updated_at: Timestamp


class LockedAssessment(Struct, frozen=True):
    """An assessment that is locked until the transaction ends."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    module_id: UUID
    number: int
    status: AssessmentStatus
    result: Rating | None
    assessor_id: UUID
    qualification: Name | None
    items: list[ChecklistItem]
    assessed_on: str | None
    digest: str | None


class StoredRating(Struct, frozen=True):
    assessment_id: UUID
    item_id: UUID
    satisfactory: bool
    note: str | None


class StoredPhoto(Struct, frozen=True):
    assessment_id: UUID
    item_id: UUID
    id: UUID
    sha256: str


class AssessmentRow(Struct, frozen=True):
    """An assessment in the panel's list, with names."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    user_name: str
    course_title: str
    module_title: str
    number: int
    status: AssessmentStatus
    result: Rating | None
    assessor_name: str
    created_at: Timestamp


class PracticeModule(Struct, frozen=True):
    """A module with a checklist. `people` have an open enrollment and have not completed the module."""

    id: UUID
    course_id: UUID
    course_title: str
    title: str
    people: int


class PracticeLearner(Struct, frozen=True):
    """A person with an open enrollment; `id` is the enrollment. `assessment_id` is their last assessment in
    the module, with its status and result.
    """

    id: UUID
    user_id: UUID
    user_name: str
    assessment_id: UUID | None
    status: AssessmentStatus | None
    result: Rating | None
    created_at: Timestamp


class AssessmentStatusFilter(Choice):
    __slots__ = ()
    schema = {
        "type": "string",
        "enum": ["OPEN", "ASSESSED", "SIGNED", "ANNULLED"],
        "examples": ["SIGNED"],
    }


class AssessmentQuery(SyncQuery, frozen=True, kw_only=True):
    enrollment_id: Annotated[UUID, Meta(description="Only assessments of this enrollment.")] | None = None
    user_id: Annotated[UUID, Meta(description="Only assessments of this user.")] | None = None
    module_id: Annotated[UUID, Meta(description="Only assessments in this module.")] | None = None
    status: Annotated[AssessmentStatusFilter, Meta(description="Only assessments in this status.")] | None = (
        None
    )


class AssessmentSearch(ListQuery, frozen=True, kw_only=True):
    """The filters of the panel's list."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    status: AssessmentStatus | None = None


class LearnerSearch(ListQuery, frozen=True, kw_only=True):
    """The search among the people of a module."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None


class ExportedAssessment(Struct, frozen=True):
    """An assessment in the export of a person's data. `role` is the person's: LEARNER or ASSESSOR."""

    role: str
    course: str
    module: str
    number: int
    status: AssessmentStatus
    result: Rating | None
    assessed_on: str | None
    annul_reason: str | None
    notes: list[str]
    created_at: Timestamp
