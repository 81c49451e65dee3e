"""Enrollments, in and out."""

from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import Choices, Name, Timestamp, choices
from trilha.core.web.pagination import ListQuery, SyncQuery


class EnrollmentStatus(StrEnum):
    NOT_STARTED = "NOT_STARTED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    EXPIRED = "EXPIRED"


class StatusFilter(Choices):
    """Of enrollments."""

    __slots__ = ()
    words = tuple(EnrollmentStatus)
    schema = choices(*EnrollmentStatus)


Percent = Annotated[float, Meta(ge=0, le=100, examples=[72.5])]
Future = Annotated[Timestamp, Meta(description="In the future.", examples=["2031-03-09T23:59:59.000Z"])]
Count = Annotated[int, Meta(ge=0)]
BULK_MOST = 1000


class NewEnrollment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user_id: UUID
    course_id: UUID
    expires_at: Future | None = None


class BulkEnrollments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enrollments: Annotated[list[NewEnrollment], Meta(max_length=BULK_MOST)]


class EnrollmentPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`expires_at` null: it never expires."""

    expires_at: Future | None


class BulkError(Struct, frozen=True):
    """Why one item of a bulk call was not carried out. `index` counts from 0; `detail` is the context of the
    code, as in the error of a call about one enrollment."""

    index: Annotated[int, Meta(ge=0, examples=[3])]
    user_id: UUID
    course_id: UUID
    code: Annotated[str, Meta(examples=["user_not_active"])]
    message: Annotated[str, Meta(examples=["The user is not active."])]
    detail: (
        Annotated[
            dict[str, Any],
            Meta(examples=[{"missing_fields": ["cpf"]}], extra_json_schema={"additionalProperties": True}),
        ]
        | UnsetType
    ) = UNSET


class PastCompletion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A course that somebody completed in another system, whose name is `source`. Without `started_at` it was
    started when it was completed."""

    user_id: UUID
    course_id: UUID
    started_at: Annotated[Timestamp | None, Meta(examples=["2024-03-01T09:00:00.000Z"])] = None
    completed_at: Annotated[Timestamp, Meta(examples=["2024-03-09T17:30:00.000Z"])]
    score: Percent | None = None
    source: Annotated[Name, Meta(examples=["Antigo LMS"])]


class PastCompletions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    completions: Annotated[list[PastCompletion], Meta(max_length=BULK_MOST)]
    issue_certificates: Annotated[
        bool, Meta(description="Whether a certificate is issued for each that is new.")
    ] = False


class BulkResult(Struct, frozen=True):
    """`skipped` counts duplicates, of a current enrollment or of an earlier item."""

    created: Annotated[Count, Meta(examples=[995])]
    skipped: Annotated[Count, Meta(examples=[4])]
    failed: Annotated[Count, Meta(examples=[1])]
    errors: list[BulkError]


class Enrollment(Struct, frozen=True, omit_defaults=True):
    """One person's place in one course. `score` is null until something is scored; `imported_from` names the
    system where it was completed, and is left out of what is not imported."""

    id: UUID
    user_id: UUID
    course_id: UUID
    status: Annotated[EnrollmentStatus, Meta(examples=["IN_PROGRESS"])]
    progress: Percent
    score: Percent | None
    started_at: Timestamp | None
    completed_at: Annotated[Timestamp | None, Meta(examples=[None])]
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    imported_from: Annotated[str, Meta(examples=["Antigo LMS"])] | None = None


class KeptEnrollment(Enrollment, frozen=True):
    """One of all that are kept of a person; `cancelled_at` is left out of what is not cancelled."""

    cancelled_at: Timestamp | None = None


class PersonEnrollment(Enrollment, frozen=True):
    """One of a person's, with the title that its course has now."""

    course_title: str = ""


class CreatedEnrollment(Struct, frozen=True):
    """What the `enrollment.created` event needs of a new enrollment."""

    id: UUID
    user_id: UUID
    course_id: UUID
    expires_at: Timestamp | None


class EnrollmentQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: Annotated[UUID, Meta(description="Only this user's.")] | None = None
    course_id: Annotated[UUID, Meta(description="Only this course's.")] | None = None
    status: (
        Annotated[StatusFilter, Meta(description="Only those in these states, separated by commas.")] | None
    ) = None
    completed_since: (
        Annotated[
            Timestamp, Meta(description="Only those completed at or after this moment, the latest first.")
        ]
        | None
    ) = None
    completed_before: (
        Annotated[Timestamp, Meta(description="Only those completed before this, the latest first.")] | None
    ) = None
    expires_before: (
        Annotated[
            Timestamp,
            Meta(description="Only those with an `expires_at` before this moment, the soonest first."),
        ]
        | None
    ) = None
    created_since: (
        Annotated[Timestamp, Meta(description="Only those created at or after this moment.")] | None
    ) = None


# `open` are those that are neither done nor over; `ending` those of them that end within SOON.
SearchedStatus = Literal[
    "open",
    "not_started",
    "in_progress",
    "ending",
    "completed",
    "completed_this_month",
    "expired",
    "to_review",
]
EnrollmentSort = Literal["created", "-created", "updated", "-updated"]


class EnrollmentSearch(ListQuery, frozen=True, kw_only=True):
    """What the panel's list of enrollments takes. `-` before a `sort` is descending.

    `q` finds people, as in the list of people; `unit` has those below it too. `ending` is listed soonest
    first, `completed_this_month` latest first, whatever the `sort`. `to_review` are those with a sign of
    unusual learning that nobody has dismissed, a thousand at the most.
    """

    q: Annotated[str, Meta(max_length=200)] | None = None
    user: UUID | None = None
    course: UUID | None = None
    status: SearchedStatus | None = None
    unit: UUID | None = None
    group: UUID | None = None
    sort: EnrollmentSort = "-created"


class ListedEnrollment(Struct, frozen=True):
    """An enrollment in the panel, with the names of the person and the course."""

    id: UUID
    user_id: UUID
    user_name: str
    user_email: str
    course_id: UUID
    course_title: str
    status: EnrollmentStatus
    progress: float
    score: float | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class Interaction(Struct, frozen=True):
    """A learner's latest answer to one question."""

    module_id: UUID
    module_title: Annotated[str, Meta(examples=["Condições adversas"])]
    interaction_id: Annotated[str, Meta(examples=["q3"])]
    type: Annotated[str, Meta(examples=["choice"])]
    description: Annotated[str, Meta(examples=["O que fazer em caso de neblina?"])] | None
    response: Annotated[str, Meta(examples=["b"])] | None
    correct_response: Annotated[str, Meta(examples=["b"])] | None
    result: Annotated[str, Meta(examples=["correct"])] | None
    latency_seconds: Annotated[float, Meta(ge=0, examples=[12.4])] | None
    weighting: Annotated[float, Meta(examples=[1.0])] | None
    updated_at: Timestamp
