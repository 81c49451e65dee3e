"""What is due within a week on the learner's first page, and when classes meet."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.classes.calendars import CalendarSession
from trilha.training.enrollments.learner import SOON, MyCourse
from trilha.training.learning_paths.learner import MyPath

MAX_ITEMS = 5


class DueItem(Struct, frozen=True):
    title: str
    href: str
    due_at: Timestamp
    is_path: bool = False
    title_language: str = ""
    session: CalendarSession | None = None


class Week(Struct, frozen=True):
    """The soonest items, and how many more are due."""

    items: Sequence[DueItem]
    more: int


def build_week(
    courses: Sequence[MyCourse],
    paths: Sequence[MyPath],
    now: datetime,
    sessions: Sequence[CalendarSession] = (),
) -> Week:
    """Lists what is overdue or due soon, and sessions of classes. A course is left out if its due date is
    that of a listed path.
    """
    until = Timestamp.of(now + SOON)
    due_paths = {path.id: path for path in paths if path.due_at is not None and path.due_at <= until}
    items = [
        DueItem(path.title, f"/learn/paths/{path.id}", path.due_at, is_path=True)
        for path in due_paths.values()
        if path.due_at is not None
    ]
    items += [
        DueItem(
            course.title,
            f"/learn/enrollments/{course.id}",
            course.due_at,
            title_language=course.title_language,
        )
        for course in courses
        if course.due_at is not None
        and course.soon
        and not (course.is_due_by_path and course.path_id in due_paths)
    ]
    items += [
        DueItem(
            each.title,
            f"/learn/courses/{each.course_id}/classes#class-{each.class_id}",
            each.starts_at,
            session=each,
        )
        for each in sessions
        if not each.is_cancelled
    ]
    items.sort(key=lambda item: (item.due_at, item.title))
    return Week(items[:MAX_ITEMS], max(len(items) - MAX_ITEMS, 0))
