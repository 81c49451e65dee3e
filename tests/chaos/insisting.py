"""A client of a server that may be killed while it answers."""

import asyncio
import contextlib
from typing import Any
from uuid import uuid4

import httpx2

# Seconds after which the client assumes that the server will not come back.
_BACK_WITHIN = 60


async def insist(http: httpx2.AsyncClient, path: str, body: Any) -> httpx2.Response:
    """Repeats one change under its idempotency key until it is answered. Raises TimeoutError."""
    key = uuid4().hex
    async with asyncio.timeout(_BACK_WITHIN):
        while True:
            with contextlib.suppress(httpx2.HTTPError):
                answer = await http.post(path, json=body, headers={"idempotency-key": key})
                if answer.status_code in (201, 204):
                    return answer
                assert answer.status_code in (409, 503), answer.text
                if answer.status_code == 409:
                    assert answer.json()["error"]["code"] == "idempotency_in_progress"
            await asyncio.sleep(0.05)
