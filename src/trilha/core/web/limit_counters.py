"""Counts hits of rate limits in Valkey or Redis instead of the database.

All processes count in the same windows, and each batch of requests is one round trip and one transaction.
"""

import time
from collections.abc import Mapping

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError

from trilha.core import logs
from trilha.core.errors import InternalError
from trilha.core.web.rate_limits import LimitsFailure, Window

# The time limit of a round trip. A server that does not answer in time is not asked again for a second.
_ANSWER_SECONDS = 0.5
_PAUSE_SECONDS = 1.0
# A counter is kept a little longer than its window, in case clocks differ.
_KEEP_SECONDS = 60
_CONNECTIONS = 4


class LimitCounters:
    """The counters on one server. Connects at the first use."""

    def __init__(self, url: str, failure: LimitsFailure) -> None:
        self._failure = failure
        self._away_until = float("-inf")
        self._client: Redis = Redis.from_url(
            url,
            max_connections=_CONNECTIONS,
            socket_timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_ANSWER_SECONDS,
            # The server may have closed an idle connection. What it did not answer in time is not repeated.
            retry=Retry(NoBackoff(), 1, supported_errors=(LostConnection,)),
        )

    async def count(self, hits: Mapping[Window, int]) -> dict[str, int] | None:
        """Adds hits and returns the new totals by bucket.

        If the server does not answer, returns None, or, if failures are closed, raises InternalError
        (unavailable).
        """
        if not hits:
            return {}
        if time.monotonic() >= self._away_until:
            try:
                return await self._add(hits)
            except (RedisError, OSError, TimeoutError) as error:
                self._away_until = time.monotonic() + _PAUSE_SECONDS
                logs.note(
                    "the server of the limits does not answer",
                    reason=type(error).__name__,
                    requests="admitted" if self._failure == "open" else "refused",
                )
        if self._failure == "closed":
            raise InternalError("unavailable", headers={"retry-after": "1"})
        return None

    async def ping(self) -> None:
        """Raises RedisError or OSError."""
        await self._client.ping()

    async def close(self) -> None:
        await self._client.aclose()

    async def _add(self, hits: Mapping[Window, int]) -> dict[str, int]:
        async with self._client.pipeline(transaction=True) as pipeline:
            for window, count in hits.items():
                pipeline.incrby(_key(window), count)
                pipeline.expire(_key(window), window.seconds + _KEEP_SECONDS)
            results = await pipeline.execute()
        return {window.bucket: total for window, total in zip(hits, results[::2], strict=True)}


def _key(window: Window) -> str:
    return f"trilha:limit:{window.seconds}:{window.number}:{window.bucket}"
