"""Input and output types of enrollments."""

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
    """Enrollment statuses, separated by commas."""

    __slots__ = ()
    words = tuple(EnrollmentStatus)
    schema = choices(*EnrollmentStatus)


Percent = Annotated[float, Meta(ge=0, le=100, examples=[72.5])]
Future = Annotated[
    Timestamp, Meta(description="A time in the future.", examples=["2031-03-09T23:59:59.000Z"])
]
Count = Annotated[int, Meta(ge=0)]
BULK_LIMIT = 1000


class NewEnrollment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user_id: UUID
    course_id: UUID
    expires_at: Future | None = None


class BulkEnrollments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enrollments: Annotated[list[NewEnrollment], Meta(max_length=BULK_LIMIT)]


class EnrollmentPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to an enrollment. Set `expires_at` to null for no due date."""

    expires_at: Future | None


class BulkError(Struct, frozen=True):
    """Why one item of a bulk call failed. `index` counts from 0. `detail` is the same context that the error
    of a single call would have.
    """

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
    """A course that a person completed in another system, named by `source`. Without `started_at`, the start
    is the moment of completion.
    """

    user_id: UUID
    course_id: UUID
    started_at: Annotated[Timestamp | None, Meta(examples=["2024-03-01T09:00:00.000Z"])] = None
    completed_at: Annotated[Timestamp, Meta(examples=["2024-03-09T17:30:00.000Z"])]
    score: Percent | None = None
    source: Annotated[Name, Meta(examples=["Antigo LMS"])]


class PastCompletions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    completions: Annotated[list[PastCompletion], Meta(max_length=BULK_LIMIT)]
    issue_certificates: Annotated[bool, Meta(description="Issue a certificate for each new completion.")] = (
        False
    )


class BulkResult(Struct, frozen=True):
    """The result of a bulk call. `skipped` counts duplicates of a current enrollment or of an earlier
    item.
    """

    created: Annotated[Count, Meta(examples=[995])]
    skipped: Annotated[Count, Meta(examples=[4])]
    failed: Annotated[Count, Meta(examples=[1])]
    errors: list[BulkError]


class Enrollment(Struct, frozen=True, omit_defaults=True):
    """One person's enrollment in one course. `score` is null until a module has a score. `imported_from`
    names the system where the course was completed, and is absent unless the enrollment was imported.
    """

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


class EnrollmentRecord(Enrollment, frozen=True):
    """An enrollment in a person's complete records. `cancelled_at` is absent unless it was cancelled."""

    cancelled_at: Timestamp | None = None


class PersonEnrollment(Enrollment, frozen=True):
    """An enrollment of one person, with the current title of its course."""

    course_title: str = ""


class CreatedEnrollment(Struct, frozen=True):
    """The members of a new enrollment that the `enrollment.created` event needs."""

    id: UUID
    user_id: UUID
    course_id: UUID
    expires_at: Timestamp | None


class EnrollmentQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: Annotated[UUID, Meta(description="Only enrollments of this user.")] | None = None
    course_id: Annotated[UUID, Meta(description="Only enrollments in this course.")] | None = None
    status: Annotated[StatusFilter, Meta(description="Only these statuses, separated by commas.")] | None = (
        None
    )
    completed_since: (
        Annotated[Timestamp, Meta(description="Only if completed at or after this time; latest first.")]
        | None
    ) = None
    completed_before: (
        Annotated[Timestamp, Meta(description="Only if completed before this time; latest first.")] | None
    ) = None
    expires_before: (
        Annotated[
            Timestamp,
            Meta(description="Only if `expires_at` is before this time; soonest first."),
        ]
        | None
    ) = None
    created_since: Annotated[Timestamp, Meta(description="Only if created at or after this time.")] | None = (
        None
    )


# `open` are neither completed nor expired; `ending` are those of them that end within SOON.
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
    """The parameters of the panel's list of enrollments. A `sort` that begins with `-` is descending.

    `q` searches people, as in the list of people; `unit` includes the units below it. `ending` is sorted
    soonest first and `completed_this_month` latest first, whatever the `sort`. `to_review` are enrollments
    with an open review flag, at most a thousand.
    """

    q: Annotated[str, Meta(max_length=200)] | None = None
    user: UUID | None = None
    course: UUID | None = None
    status: SearchedStatus | None = None
    unit: UUID | None = None
    group: UUID | None = None
    sort: EnrollmentSort = "-created"


class ListedEnrollment(Struct, frozen=True):
    """An enrollment in the panel's list, with the names of the person and the course."""

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
