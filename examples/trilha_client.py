"""A client of Trilha's API that outlasts a limit, a restart and a lost connection.

Only what every integration needs; `hr_sync.py` beside it shows the use.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import httpx

# Attempts at a server that does not answer before a run ends: about two minutes.
PATIENCE = 12


class Stop(Exception):
    """No call can succeed any more. One sentence."""


class Refusal(Exception):
    """The API refused one call, for good."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code: str = error["code"]
        problems = error.get("detail")
        if isinstance(problems, list):
            reasons = [f"{each['field']}: {each['message']} ({each['code']})" for each in problems]
        else:
            reasons = [f"{error['message']} ({self.code})"]
        super().__init__("; ".join(reasons))

    @classmethod
    def of(cls, response: httpx.Response) -> "Refusal":
        try:
            return cls(response.json()["error"])
        except (ValueError, KeyError, TypeError):  # not Trilha's words: a proxy's, say
            return cls({"code": f"http_{response.status_code}", "message": "Something else answered"})


@dataclass
class Answer:
    """`from_before`: an earlier run made this call, and this is what was answered then."""

    data: Any
    next_cursor: str | None
    from_before: bool


class Api:
    """`say` is told in words why nothing moves, and "" when it moves again."""

    def __init__(self, http: httpx.AsyncClient, say: Callable[[str], None]) -> None:
        self._http = http
        self._say = say
        self._resume_at = 0.0

    async def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        """`key` is the Idempotency-Key of a POST. Raises Refusal, and Stop."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} | ({"idempotency-key": key} if key else {})
        attempts, uncertain, trouble = 0, False, ""
        while attempts < PATIENCE:
            await self._wait_for_reset()
            delay = min(20, 0.25 * 2**attempts) * random.uniform(0.5, 1)
            try:
                response = await self._http.request(method, path, content=content, headers=headers)
            except httpx.TransportError as error:
                # The call may have been carried out: that is what the key is for.
                attempts, uncertain, trouble = attempts + 1, True, type(error).__name__
                await asyncio.sleep(delay)
                continue
            pause = float(response.headers.get("retry-after", 0))
            if response.status_code == 429:
                self._resume_at = max(self._resume_at, time.monotonic() + pause + random.uniform(0, 0.2))
                continue
            if response.is_success:
                replayed = response.headers.get("idempotent-replayed") == "true"
                reply = response.json() if response.content else {}
                return Answer(reply.get("data"), reply.get("next_cursor"), replayed and not uncertain)
            refusal = Refusal.of(response)
            if response.status_code in (401, 403):
                raise Stop(f"The API key was refused: {refusal}")
            if response.status_code < 500 and refusal.code != "idempotency_in_progress":
                raise refusal
            attempts, uncertain, trouble = attempts + 1, uncertain or response.is_server_error, str(refusal)
            await asyncio.sleep(max(delay, pause))
        raise Stop(f"The server failed {PATIENCE} times over: {trouble}")

    async def walk(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        cursor: str | None = ""
        while cursor is not None:
            page = await self.call("GET", f"{path}?limit=100" + (f"&cursor={cursor}" if cursor else ""))
            for row in page.data:
                yield row
            cursor = page.next_cursor

    async def _wait_for_reset(self) -> None:
        """One call that was told to come back later speaks for all."""
        if self._resume_at <= time.monotonic():
            return
        while (left := self._resume_at - time.monotonic()) > 0:
            self._say(f"limit reached, going on in {left:.0f} s")
            await asyncio.sleep(min(left, 1))
        self._say("")
