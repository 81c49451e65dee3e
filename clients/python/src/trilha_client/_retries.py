"""Decides whether and when a call is tried again. It neither sends nor waits."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx2

from trilha_client.errors import NetworkError, make_error

OnWait = Callable[[float, str], None]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 20.0
_TRANSIENT = (429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Policy:
    """`max_wait` is the longest pause, in seconds, that the server can ask for before the call fails.
    `on_wait` is called before each pause, with its seconds and the reason.
    """

    max_retries: int
    max_wait: float
    on_wait: OnWait | None = None


class Attempts:
    """The attempts of one call."""

    def __init__(self, policy: Policy, method: str) -> None:
        self._policy = policy
        self._method = method
        self._retries = 0
        # Whether an earlier attempt may have been carried out.
        self._is_uncertain = False

    def pause_after_failure(self, error: httpx2.TransportError) -> float:
        """Returns the seconds until the next attempt. Raises NetworkError after the last one."""
        self._is_uncertain = True
        if self._retries >= self._policy.max_retries:
            raise NetworkError(f"No answer in {self._retries + 1} attempts: {error!r}") from error
        return self._pause(0, type(error).__name__)

    def pause_after(self, response: httpx2.Response) -> float | None:
        """Returns the seconds until the next attempt, or None after a success. Raises ApiError."""
        if response.is_success or self._is_deleted(response):
            return None
        asks = _read_retry_after(response)
        error = make_error(response, asks)
        is_transient = response.status_code in _TRANSIENT or error.code == "idempotency_in_progress"
        is_last = self._retries >= self._policy.max_retries or (asks or 0) > self._policy.max_wait
        if is_last or not is_transient:
            raise error
        self._is_uncertain |= response.is_server_error
        return self._pause(asks or 0, str(error))

    def _is_deleted(self, response: httpx2.Response) -> bool:
        """Whether an attempt without an answer has already deleted it."""
        return self._is_uncertain and self._method == "DELETE" and response.status_code == 404

    def _pause(self, at_least: float, reason: str) -> float:
        """Doubles the pauses. Random parts keep clients from returning all at once."""
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**self._retries)
        pause = longest * random.uniform(0.5, 1)  # noqa: S311
        if at_least:
            pause = at_least + random.uniform(0, _FIRST_PAUSE)  # noqa: S311
        self._retries += 1
        if self._policy.on_wait is not None:
            self._policy.on_wait(pause, reason)
        return pause


def _read_retry_after(response: httpx2.Response) -> float | None:
    """Returns the seconds of Retry-After, which a proxy may write as a date."""
    value = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
