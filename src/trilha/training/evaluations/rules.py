"""Decides what of evaluations is published, and computes results. No I/O, no clock."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Literal
from uuid import UUID

from msgspec import Struct

Kind = Literal["REACTION", "APPLICATION"]
# The five questions about a course, each answered with 1 to 5.
QUESTIONS = ("content", "clarity", "instructor", "platform", "applicability")
GRADES = (1, 2, 3, 4, 5)
NPS_GRADES = tuple(range(11))
MIN_PEOPLE = 5
MAX_TEXT = 2000
CHANGEABLE = timedelta(days=7)
FOLLOW_UP = timedelta(days=90)
_PROMOTER, _PASSIVE = 9, 7


class Answer(Struct, frozen=True):
    """An answer that is not published yet."""

    id: UUID
    user_id: UUID


def may_publish(answers: Collection[Answer]) -> bool:
    """Returns whether these answers hide the person behind each. A person may have answered about several
    enrollments.
    """
    return len({each.user_id for each in answers}) >= MIN_PEOPLE


class Scale(Struct, frozen=True):
    """The answers to a question: how many, their average, and how many chose 1, 2, 3, 4 and 5."""

    answers: int
    average: float
    distribution: list[int]


def build_scale(counts: Sequence[int]) -> Scale | None:
    """Builds the scale of how often 1, 2, 3, 4 and 5 were chosen. None without answers."""
    total = sum(counts)
    if not total:
        return None
    points = sum(grade * count for grade, count in zip(GRADES, counts, strict=True))
    return Scale(total, round(points / total, 2), list(counts))


class Nps(Struct, frozen=True):
    """The net promoter score, from -100 to 100, and its parts: how many chose 9 or 10, 7 or 8, and less."""

    score: int
    promoters: int
    passives: int
    detractors: int


def build_nps(counts: Sequence[int]) -> Nps | None:
    """Builds the score from how often each of 0 to 10 was chosen. None without answers."""
    total = sum(counts)
    if not total:
        return None
    promoters, detractors = sum(counts[_PROMOTER:]), sum(counts[:_PASSIVE])
    return Nps(
        round(100 * (promoters - detractors) / total), promoters, sum(counts[_PASSIVE:_PROMOTER]), detractors
    )
