"""Answers requests of many callers with one statement, so that each costs less under load."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Batcher(Generic[Q, A]):
    """Collects what is submitted while a batch is running into the next batch, of at most `most`.

    `answer` returns an answer for each question, in their order. What it raises, every caller of the batch
    raises.
    """

    def __init__(self, answer: Callable[[list[Q]], Awaitable[Sequence[A]]], most: int = 256) -> None:
        self._answer = answer
        self._most = most
        self._queue: list[tuple[Q, asyncio.Future[A]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, question: Q) -> A:
        """Waits for the answer."""
        waiting: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._queue.append((question, waiting))
        if self._running is None:
            self._running = asyncio.create_task(self._drain())
        return await waiting

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[: self._most], self._queue[self._most :]
            try:
                answers = await self._answer([question for question, _ in batch])
            except Exception as error:
                for _, waiting in batch:
                    if not waiting.done():
                        waiting.set_exception(error)
            else:
                for (_, waiting), answer in zip(batch, answers, strict=True):
                    if not waiting.done():
                        waiting.set_result(answer)
        self._running = None
