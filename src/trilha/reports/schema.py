"""Reports, as they are read."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

Rate = Annotated[float, Meta(ge=0, le=100)]


class CourseStats(Struct, frozen=True):
    """One course's enrollments counted. Rates and averages run from 0 to 100 with two decimals; null where
    there is nothing to average."""

    course_id: UUID
    enrollments: int
    not_started: int
    in_progress: int
    completions: int
    expired: int
    completion_rate: Rate | None
    average_score: Rate | None
    average_progress: Rate | None
    certificates_issued: int
