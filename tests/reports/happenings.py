"""What happens to enrollments, by chance: through the actions that requests and the worker call."""

import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from uuid import UUID

from trilha.certificates import actions as certificates
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.enrollments import actions
from trilha.enrollments.schema import NewEnrollment

Begin = Callable[[], AbstractAsyncContextManager[Tx]]


class Stranded(Exception):
    """What a transaction raises to be rolled back."""


class Client:
    """One of those that do things at the same time."""

    def __init__(self, begin: Begin, chance: random.Random, people: list[UUID], courses: list[UUID]) -> None:
        self._begin = begin
        self._chance = chance
        self._people = people
        self._courses = courses
        self._places: list[UUID] = []

    async def do(self, expires_in: timedelta) -> None:
        """One operation, in a transaction of its own; it may not be possible, and then does nothing.

        Some enrollments expire after `expires_in`.
        """
        try:
            async with self._begin() as tx:
                await self._one(tx, expires_in)
                if self._chance.random() < 0.05:
                    raise Stranded
        except (Stranded, ApiError):
            return

    async def _one(self, tx: Tx, expires_in: timedelta) -> None:
        chance = self._chance
        kind = chance.randrange(12) if self._places else 0
        match kind:
            case 0 | 1:
                self._places.append((await actions.enroll(tx, self._new(tx, expires_in))).id)
            case 2:
                await actions.enroll_many(tx, [self._new(tx, expires_in) for _ in range(5)])
                found = await tx.rows(
                    """SELECT id FROM enrollments WHERE tenant_id = :tenant AND current
                       ORDER BY created_at DESC LIMIT 20"""
                )
                self._places += [row["id"] for row in found]
            case 3 | 4 | 5:
                await actions.start(tx, self._place())
            case 6 | 7 | 8:
                score = chance.choice([None, chance.uniform(0, 100)])
                await actions.advance(tx, self._place(), chance.uniform(0, 100), score)
            case 9 | 10:
                completed = await actions.complete(tx, self._place())
                if completed is not None:
                    await certificates.issue(tx, completed, None)
            case 11:
                await actions.expire_due(tx, most=chance.randrange(1, 10))

    def _place(self) -> UUID:
        return self._chance.choice(self._places[-200:])

    def _new(self, tx: Tx, expires_in: timedelta) -> NewEnrollment:
        expires = (tx.now + expires_in).isoformat() if self._chance.random() < 0.5 else None
        return NewEnrollment(
            user_id=self._chance.choice(self._people),
            course_id=self._chance.choice(self._courses),
            expires_at=expires,
        )
