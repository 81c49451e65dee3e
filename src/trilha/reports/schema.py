"""Reports, as they are read."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

Rate = Annotated[float, Meta(ge=0, le=100, examples=[66.67])]
Count = Annotated[int, Meta(ge=0)]


class CourseStats(Struct, frozen=True):
    """One course's enrollments counted. Rates and averages run from 0 to 100 with two decimals; null where
    there is nothing to average."""

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
