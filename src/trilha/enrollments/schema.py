"""Enrollments, in and out."""

from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem
from trilha.core.pages import FieldsQuery, SyncQuery
from trilha.core.types import CommaList, Timestamp
from trilha.users.rules import unknown_fields


class Status(StrEnum):
    NOT_STARTED = "NOT_STARTED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    EXPIRED = "EXPIRED"


Percent = Annotated[float, Meta(ge=0, le=100)]
BULK_MOST = 1000


class NewEnrollment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user_id: UUID
    course_id: UUID
    expires_at: Timestamp | None = None


class BulkEnrollments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enrollments: Annotated[list[NewEnrollment], Meta(max_length=BULK_MOST)]


class BulkError(Struct, frozen=True):
    """Why one item of a bulk call was not carried out. `index` counts from 0."""

    index: int
    user_id: UUID
    course_id: UUID
    code: str
    message: str


class BulkResult(Struct, frozen=True):
    """`skipped` counts duplicates, of a current enrollment or of an earlier item."""

    created: int
    skipped: int
    failed: int
    errors: list[BulkError]


class Enrollment(Struct, frozen=True):
    """One person's place in one course. `score` is null until something is scored."""

    id: UUID
    user_id: UUID
    course_id: UUID
    status: Status
    progress: Percent
    score: Percent | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class EnrollmentQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: UUID | None = None
    course_id: UUID | None = None
    status: Literal["not_started", "in_progress", "completed", "expired"] | None = None
    fields: CommaList | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], _: date) -> Iterator[Problem]:
        return unknown_fields(values.get("fields"), Enrollment.__struct_fields__)


class UserEnrollmentsQuery(SyncQuery, frozen=True, kw_only=True):
    fields: CommaList | None = None
    problems = EnrollmentQuery.problems


class EnrollmentFieldsQuery(FieldsQuery, frozen=True, kw_only=True):
    problems = EnrollmentQuery.problems


class Interaction(Struct, frozen=True):
    """A learner's latest answer to one question."""

    module_id: UUID
    module_title: str
    interaction_id: str
    type: str
    description: str | None
    response: str | None
    correct_response: str | None
    result: str | None
    latency_seconds: float | None
    weighting: float | None
    updated_at: Timestamp
