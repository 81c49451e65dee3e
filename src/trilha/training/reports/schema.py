"""Output types of reports."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.web.pagination import ItemQuery

Rate = Annotated[float, Meta(ge=0, le=100, examples=[66.67])]
Count = Annotated[int, Meta(ge=0)]


class CourseStats(Struct, frozen=True):
    """One course's enrollment counts. Rates and averages are 0 to 100 with two decimals, and null without
    data.
    """

    course_id: UUID
    enrollments: Annotated[Count, Meta(examples=[120])]
    not_started: Annotated[Count, Meta(examples=[10])]
    in_progress: Annotated[Count, Meta(examples=[20])]
    completions: Annotated[Count, Meta(examples=[80])]
    expired: Annotated[Count, Meta(examples=[10])]
    completion_rate: Rate | None
    average_score: Rate | None
    average_progress: Rate | None
    certificates_issued: Annotated[Count, Meta(examples=[80])]


class CompletionTotals(Struct, frozen=True):
    """Enrollments by status. The rate is the share of completed enrollments among all, expired ones
    included.
    """

    enrollments: Annotated[Count, Meta(examples=[120])]
    completed: Annotated[Count, Meta(examples=[80])]
    in_progress: Annotated[Count, Meta(examples=[20])]
    not_started: Annotated[Count, Meta(examples=[10])]
    expired: Annotated[Count, Meta(examples=[10])]
    certificates_issued: Annotated[Count, Meta(examples=[80])]
    completion_rate: Rate | None


class CourseCompletion(Struct, frozen=True):
    """Enrollments of one course by status, with the course's current title."""

    course_id: UUID
    course_title: Annotated[str, Meta(examples=["Direção defensiva"])]
    enrollments: Annotated[Count, Meta(examples=[120])]
    completed: Annotated[Count, Meta(examples=[80])]
    in_progress: Annotated[Count, Meta(examples=[20])]
    not_started: Annotated[Count, Meta(examples=[10])]
    expired: Annotated[Count, Meta(examples=[10])]
    certificates_issued: Annotated[Count, Meta(examples=[80])]
    completion_rate: Rate | None


class CompletionReport(Struct, frozen=True):
    """Enrollments by status, overall and by course. `courses` are sorted by title."""

    overall: CompletionTotals
    courses: list[CourseCompletion]


class CompletionQuery(ItemQuery, frozen=True, kw_only=True):
    course_id: Annotated[UUID, Meta(description="Only this course.")] | None = None
