"""Asking the database together: under load, the cost of a question falls."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Batcher(Generic[Q, A]):
    """What is asked while an earlier question is being answered is asked together next, `most` at a time.

    `answer` gives as many answers as it got questions, in their order; what it raises, all of them raise.
    """

    def __init__(self, answer: Callable[[list[Q]], Awaitable[Sequence[A]]], most: int = 256) -> None:
        self._answer = answer
        self._most = most
        self._queue: list[tuple[Q, asyncio.Future[A]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, question: Q) -> A:
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
