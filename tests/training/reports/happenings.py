"""Random operations on enrollments, through the actions that requests and the worker call."""

import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from trilha.core.database import CONFLICT_ERRORS, Tx
from trilha.core.errors import ApiError
from trilha.core.types import Timestamp
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions
from trilha.training.enrollments.schema import NewEnrollment

Begin = Callable[[], AbstractAsyncContextManager[Tx]]


class Stranded(Exception):
    """Raised in a transaction so that it is rolled back."""


class Client:
    """One of the concurrent clients."""

    def __init__(self, begin: Begin, chance: random.Random, people: list[UUID], courses: list[UUID]) -> None:
        self._begin = begin
        self._chance = chance
        self._people = people
        self._courses = courses
        self._places: list[UUID] = []

    async def do(self, expires_in: timedelta) -> None:
        """Performs one operation in its own transaction. If it is not possible, or conflicts with another
        one, nothing happens.

        Some enrollments expire after `expires_in`.
        """
        try:
            async with self._begin() as tx:
                await self._one(tx, expires_in)
                if self._chance.random() < 0.05:
                    raise Stranded
        except (Stranded, ApiError, *CONFLICT_ERRORS):
            return

    async def _one(self, tx: Tx, expires_in: timedelta) -> None:
        # A client that starts beside others finds the first people already enrolled.
        kind = self._chance.randrange(16) if self._places else self._chance.choice([0, 2, 14])
        await (self._learn if kind < 12 else self._correct)(tx, kind, expires_in)

    async def _learn(self, tx: Tx, kind: int, expires_in: timedelta) -> None:
        chance = self._chance
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
                await actions.expire_due(tx, limit=chance.randrange(1, 10))

    async def _correct(self, tx: Tx, kind: int, expires_in: timedelta) -> None:
        match kind:
            case 12:
                await actions.change_expiry(tx, self._place(), self._expiry(tx, expires_in))
            case 13:
                await actions.cancel(tx, self._place())
            case 14:
                # Without new people, everyone would soon have completed everything.
                email = f"{self._chance.randrange(10**12)}@example.com"
                self._people.append(
                    (await users.create(tx, NewUser(email=email, name="Ana"), None, invited=False)).id
                )
            case 15:
                await self._change_certificate(tx)

    async def _change_certificate(self, tx: Tx) -> None:
        rows = await tx.rows(
            "SELECT id FROM certificates WHERE tenant_id = :tenant ORDER BY created_at DESC LIMIT 20"
        )
        if rows:
            changes: list[Any] = [certificates.reissue, partial(certificates.revoke, reason="wrong")]
            change = self._chance.choice(changes)
            await change(tx, self._chance.choice(rows)["id"])

    def _place(self) -> UUID:
        return self._chance.choice(self._places[-200:])

    def _new(self, tx: Tx, expires_in: timedelta) -> NewEnrollment:
        return NewEnrollment(
            user_id=self._chance.choice(self._people),
            course_id=self._chance.choice(self._courses),
            expires_at=self._expiry(tx, expires_in),
        )

    def _expiry(self, tx: Tx, expires_in: timedelta) -> Timestamp | None:
        return Timestamp.of(tx.now + expires_in) if self._chance.random() < 0.5 else None
