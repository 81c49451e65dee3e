"""A client of Trilha's API that waits for rate limits, restarts of the server and lost connections.

It has only what every integration needs; see `hr_sync.py` for its use.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import httpx

# The number of attempts while the server does not answer, about two minutes. Then the run ends.
ATTEMPTS_MOST = 12


class Stop(Exception):
    """No further call can succeed. The message is one sentence."""


class ApiError(Exception):
    """The API refused one call, and repeating it would not help."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code: str = error["code"]
        problems = error.get("detail")
        if isinstance(problems, list):
            reasons = [f"{each['field']}: {each['message']} ({each['code']})" for each in problems]
        else:
            reasons = [f"{error['message']} ({self.code})"]
        super().__init__("; ".join(reasons))

    @classmethod
    def of(cls, response: httpx.Response) -> "ApiError":
        try:
            return cls(response.json()["error"])
        except (ValueError, KeyError, TypeError):  # for example the answer of a proxy
            return cls({"code": f"http_{response.status_code}", "message": "Something else answered"})


@dataclass
class Answer:
    """`from_earlier_run`: an earlier run made this call, and this is its stored answer."""

    data: Any
    next_cursor: str | None
    from_earlier_run: bool


class Api:
    """`say` is called with the reason of a pause, and with "" at its end."""

    def __init__(self, http: httpx.AsyncClient, say: Callable[[str], None]) -> None:
        self._http = http
        self._say = say
        self._resume_at = 0.0

    async def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        """Makes a call. `key` is the Idempotency-Key of a POST. Raises ApiError and Stop."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} | ({"idempotency-key": key} if key else {})
        attempts, uncertain, trouble = 0, False, ""
        while attempts < ATTEMPTS_MOST:
            await self._wait_for_reset()
            delay = min(20, 0.25 * 2**attempts) * random.uniform(0.5, 1)
            try:
                response = await self._http.request(method, path, content=content, headers=headers)
            except httpx.TransportError as error:
                # The call may have been executed; the key prevents a second execution.
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
            error = ApiError.of(response)
            if response.status_code in (401, 403):
                raise Stop(f"The API key was refused: {error}")
            if response.status_code < 500 and error.code != "idempotency_in_progress":
                raise error
            attempts, uncertain, trouble = attempts + 1, uncertain or response.is_server_error, str(error)
            await asyncio.sleep(max(delay, pause))
        raise Stop(f"The server failed {ATTEMPTS_MOST} times over: {trouble}")

    async def walk(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Returns every row of a list, page by page. The path may have filters."""
        first = f"{path}{'&' if '?' in path else '?'}"
        cursor: str | None = ""
        while cursor is not None:
            page = await self.call("GET", f"{first}limit=100" + (f"&cursor={cursor}" if cursor else ""))
            for row in page.data:
                yield row
            cursor = page.next_cursor

    async def _wait_for_reset(self) -> None:
        """Makes all calls wait after a 429 to one of them."""
        if self._resume_at <= time.monotonic():
            return
        while (left := self._resume_at - time.monotonic()) > 0:
            self._say(f"limit reached, going on in {left:.0f} s")
            await asyncio.sleep(min(left, 1))
        self._say("")
