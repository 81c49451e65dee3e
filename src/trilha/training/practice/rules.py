"""Decides on assessments. No I/O, no clock."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

Rating = Literal["SATISFACTORY", "UNSATISFACTORY"]
AssessmentStatus = Literal["OPEN", "ASSESSED", "SIGNED", "ANNULLED"]
MAX_ITEMS = 100
MAX_NOTE = 1000


def decide_result(items: Sequence[UUID], ratings: Mapping[UUID, bool]) -> Rating | None:
    """Returns the result of all items; None while one of them is not rated."""
    if not items or set(items) - ratings.keys():
        return None
    return "SATISFACTORY" if all(ratings[each] for each in items) else "UNSATISFACTORY"


def list_unrated(items: Sequence[UUID], ratings: Collection[UUID]) -> list[UUID]:
    return [each for each in items if each not in ratings]


def may_teach(role: str, status: str, *, teaches: bool) -> bool:
    """Returns whether a person may assess in a course: an administrator, or one of its instructors."""
    return status == "ACTIVE" and (role == "admin" or (role == "instrutor" and teaches))


def describe_item(item: Any, rating: Any, photo_hash: str | None) -> dict[str, object]:
    """Returns what is signed of one item."""
    return {
        "id": str(item.id),
        "title": item.title,
        "criteria": item.criteria,
        "satisfactory": rating.satisfactory,
        "note": rating.note,
        "photo": photo_hash,
    }
