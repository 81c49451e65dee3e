"""Estimates how long a module takes, from its content. No I/O, no clock.

A package does not say how long it takes, a class has sessions, and a practice has no length, so their minutes
are never estimated.
"""

import math

from msgspec import Struct

from trilha.training.courses.schema import ModuleType

WORDS_PER_MINUTE = 200
MINUTES_PER_PAGE = 2
MINUTES_PER_QUESTION = 1.5
_LONGEST = 100_000


class Measures(Struct, frozen=True, kw_only=True):
    """The size of a module's content; members that do not apply are 0."""

    words: int = 0
    seconds: float = 0
    pages: int = 0
    questions: int = 0


def estimate(type: ModuleType, measures: Measures) -> int:
    """Returns whole minutes, at least 1 if there is any content; 0 if nothing is known."""
    minutes = {
        "ARTICLE": measures.words / WORDS_PER_MINUTE,
        "VIDEO": measures.seconds / 60,
        "DOCUMENT": measures.pages * MINUTES_PER_PAGE,
        "QUIZ": measures.questions * MINUTES_PER_QUESTION,
        "SCORM": 0,
        "CMI5": 0,
        "CLASS": 0,
        "PRACTICE": 0,
    }[type]
    return min(math.ceil(minutes), _LONGEST)
