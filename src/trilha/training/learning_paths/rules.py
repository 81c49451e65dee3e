"""Decisions about learning paths. No I/O, no clock."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

Key = TypeVar("Key")
MAX_COURSES = 50


def open_courses(courses: Sequence[Key], completed: Collection[Key], *, in_order: bool) -> list[Key]:
    """Returns the courses that are open to a person and not completed. `courses` are in the path's order."""
    left = [each for each in courses if each not in completed]
    return left[:1] if in_order else left


def is_completed(courses: Sequence[Key], completed: Collection[Key]) -> bool:
    """Tells whether the path is completed; a path without courses never is."""
    return bool(courses) and all(each in completed for each in courses)


def due_at(assigned_at: datetime, deadline_days: int | None) -> datetime | None:
    return None if deadline_days is None else assigned_at + timedelta(days=deadline_days)
