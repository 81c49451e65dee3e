"""Answers requests of many callers with one statement, which makes each cheaper under load."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from trilha.core.database.failures import Unreachable

Q = TypeVar("Q")
A = TypeVar("A")


class Batcher(Generic[Q, A]):
    """Answers a question alone and at once if nothing is running. Questions submitted meanwhile form the next
    batch of at most `limit`.

    `answer` returns one answer for each question, in their order. If it raises, every caller of the batch
    gets the exception.
    """

    def __init__(self, answer: Callable[[list[Q]], Awaitable[Sequence[A]]], limit: int = 256) -> None:
        self._answer = answer
        self._most = limit
        self._queue: list[tuple[Q, asyncio.Future[A]]] = []
        self._is_busy = False
        self._draining: asyncio.Task[None] | None = None

    async def submit(self, question: Q) -> A:
        """Submits a question and waits for its answer."""
        if not self._is_busy:
            return await self._answer_alone(question)
        waiting: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._queue.append((question, waiting))
        return await waiting

    async def begin(self, question: Q) -> "asyncio.Future[A]":
        """Submits a question and returns a future, for callers that have other work meanwhile."""
        if self._is_busy:
            waiting: asyncio.Future[A] = asyncio.get_running_loop().create_future()
            self._queue.append((question, waiting))
            return waiting
        self._is_busy = True
        asked = asyncio.create_task(self._answer_alone(question))
        await asyncio.sleep(0)  # lets the task begin and send the question
        return asked

    async def _answer_alone(self, question: Q) -> A:
        """Answers in the caller's own task, because a new task would cost as much as everything else here."""
        self._is_busy = True
        try:
            (answer,) = await self._answer([question])
        finally:
            if self._queue:
                self._draining = asyncio.create_task(self._drain())
            else:
                self._is_busy = False
        return answer

    async def _drain(self) -> None:
        try:
            while self._queue:
                batch, self._queue = self._queue[: self._most], self._queue[self._most :]
                await self._settle(batch)
                # First take in requests that have arrived meanwhile, so that they join the waiting ones.
                await asyncio.sleep(0)
        finally:
            self._is_busy = False

    async def _settle(self, batch: list[tuple[Q, asyncio.Future[A]]]) -> None:
        """Gives every caller of the batch a result, whatever happens."""
        error: BaseException = RuntimeError("fewer answers than questions")
        answers: Sequence[A] = ()
        try:
            answers = await self._answer([question for question, _ in batch])
        except Exception as raised:
            error = raised
        except BaseException as raised:
            error = Unreachable("the batch was cancelled")
            raise raised
        finally:
            for place, (_, waiting) in enumerate(batch):
                if waiting.done():
                    continue
                if place < len(answers):
                    waiting.set_result(answers[place])
                else:
                    waiting.set_exception(error)
