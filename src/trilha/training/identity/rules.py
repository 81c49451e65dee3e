"""Decides which photo is due, and what a comparison means. No I/O, no clock."""

import math
from collections.abc import Sequence
from typing import Literal

from trilha.training.identity.schema import Check, Comparison, Progress

FINAL_STATUSES = ("MATCHED", "ACCEPTED")
# Photos that a person may take for one check before an administrator has to help.
MAX_ATTEMPTS = 5
DESCRIPTOR_LENGTH = 128
_EARLIEST, _LATEST = 0.1, 0.9  # of the study time
_OPEN = ("PENDING", "REFUSED")


def find_due(checks: Sequence[Check], progress: Progress) -> Check | None:
    """Returns the first photo to take now: at the start, after the drawn time, or when nothing else is
    missing.

    A refused photo is taken again.
    """
    for check in checks:
        if check.status in _OPEN and _is_time(check, progress):
            return check
    return None


def _is_time(check: Check, progress: Progress) -> bool:
    if check.moment == "END":
        return progress.is_else_complete
    if check.moment == "RANDOM":
        return progress.is_else_complete or progress.credited_seconds >= check.due_seconds
    return True


def draw_due_seconds(length_minutes: int, fractions: Sequence[float]) -> list[int]:
    """Returns the study times of random photos in order. `fractions` are random numbers from 0 to 1."""
    share = _LATEST - _EARLIEST
    return sorted(round(length_minutes * 60 * (_EARLIEST + share * each)) for each in fractions)


def compute_distance(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Returns the Euclidean distance of two descriptions of faces; None if one is missing."""
    if len(one) != DESCRIPTOR_LENGTH or len(other) != DESCRIPTOR_LENGTH:
        return None
    return math.dist(one, other)


def is_descriptor(numbers: Sequence[object]) -> bool:
    """Tells whether these are numbers that the model can have computed."""
    return len(numbers) == DESCRIPTOR_LENGTH and all(
        isinstance(each, int | float) and math.isfinite(each) and abs(each) <= 10 for each in numbers
    )


def judge(
    comparison: Comparison, threshold: float, *, is_reference_confirmed: bool
) -> Literal["MATCHED", "DOUBTFUL"]:
    """Returns what a photo counts as. A person decides wherever the faces are not close enough, and until
    somebody has confirmed the reference.
    """
    if comparison.distance is None or not is_reference_confirmed:
        return "DOUBTFUL"
    return "MATCHED" if comparison.distance <= threshold else "DOUBTFUL"
