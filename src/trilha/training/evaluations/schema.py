"""Structs of evaluations."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp
from trilha.training.evaluations.rules import Kind, Nps, Scale

Grade = Annotated[int, Meta(ge=1, le=5)]
NpsGrade = Annotated[int, Meta(ge=0, le=10)]
Period = Literal["all", "year", "quarter"]


class Reaction(Struct, frozen=True, kw_only=True):
    """What a learner thinks of a course after completing it."""

    content: Grade
    clarity: Grade
    instructor: Grade
    platform: Grade
    applicability: Grade
    nps: NpsGrade
    text: str | None = None


class Application(Struct, frozen=True, kw_only=True):
    """How much a learner uses at work what the course taught."""

    applied: Grade
    text: str | None = None


class OwnEvaluation(Struct, frozen=True):
    """A person's own answer. `published`: it is part of the results, and can no longer be changed."""

    kind: Kind
    skipped: bool
    asked_at: Timestamp | None
    answered_at: Timestamp | None
    content: int | None
    clarity: int | None
    instructor: int | None
    platform: int | None
    applicability: int | None
    nps: int | None
    applied: int | None
    text: str | None
    published: bool


class ExportedEvaluation(Struct, frozen=True):
    """A person's own answer in the export of their personal data."""

    course: str
    kind: Kind
    answered_at: Timestamp
    content: int | None
    clarity: int | None
    instructor: int | None
    platform: int | None
    applicability: int | None
    nps: int | None
    applied: int | None
    text: str | None


class Results(Struct, frozen=True):
    """The published answers about a course. Everything is empty until five people have answered."""

    rating_count: int
    scales: dict[str, Scale]
    nps: Nps | None
    applied: Scale | None


class RatedScale(Struct, frozen=True):
    """The answers to one question: `distribution` has how many people chose 1, 2, 3, 4 and 5."""

    answers: Annotated[int, Meta(examples=[25])]
    average: Annotated[float, Meta(ge=1, le=5, examples=[4.36])]
    distribution: Annotated[list[int], Meta(examples=[[0, 1, 3, 7, 14]])]


class RatedNps(Struct, frozen=True):
    """The net promoter score, from -100 to 100, and how many people are behind each of its parts."""

    score: Annotated[int, Meta(ge=-100, le=100, examples=[52])]
    promoters: Annotated[int, Meta(examples=[15])]
    passives: Annotated[int, Meta(examples=[8])]
    detractors: Annotated[int, Meta(examples=[2])]


class CourseRatings(Struct, frozen=True):
    """How learners rate a course. Answers are published in batches of at least five people: until then
    `rating_count` is 0 and everything else is null. `applied` is from 90 days after the completion: how much
    people use at work what they learned.
    """

    course_id: UUID
    rating_count: Annotated[int, Meta(ge=0, examples=[25])]
    content: RatedScale | None
    clarity: RatedScale | None
    instructor: RatedScale | None
    platform: RatedScale | None
    applicability: RatedScale | None
    nps: RatedNps | None
    applied: RatedScale | None
