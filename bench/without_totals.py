"""Ours, but for the totals of courses: what enrolling in bulk costs without them."""

from collections.abc import Iterable
from uuid import UUID

from trilha.core.database import Tx
from trilha.enrollments import counters
from trilha.serving import make_app

__all__ = ["make_app"]


async def count_nothing(tx: Tx, course_ids: Iterable[UUID]) -> None:
    """In place of what adds new enrollments to the totals."""


counters.add_new = count_nothing
