"""What proves to the server who calls: an API key, or the access token of an OAuth client."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Generator

import anyio
import httpx2

# A token is replaced before it expires, because a call takes time.
_MARGIN = 60.0


class TokenError(Exception):
    """The server issued no token. `response` says why."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class ApiKey(httpx2.Auth):
    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers["authorization"] = f"Bearer {self._key}"
        yield request


class ClientCredentials(httpx2.Auth):
    """Gets a token, keeps it until shortly before it expires, and gets another one if it is refused."""

    def __init__(self, token_url: str, client_id: str, client_secret: str, scope: str | None) -> None:
        self._form = {"grant_type": "client_credentials"} | ({"scope": scope} if scope else {})
        self._token_url = token_url
        self._basic = httpx2.BasicAuth(client_id, client_secret)
        self._token = ""
        self._expires_at = 0.0
        # The endpoint allows few calls, so parallel calls wait for one token.
        self._lock = threading.Lock()
        self._async_lock = anyio.Lock()

    def sync_auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        for _ in range(2):
            with self._lock:
                if self._needs_token():
                    answer = yield self._ask(request)
                    answer.read()
                    self._keep(answer)
                token = self._token
            request.headers["authorization"] = f"Bearer {token}"
            response = yield request
            if not self._is_refused(response, token):
                return

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        for _ in range(2):
            async with self._async_lock:
                if self._needs_token():
                    answer = yield self._ask(request)
                    await answer.aread()
                    self._keep(answer)
                token = self._token
            request.headers["authorization"] = f"Bearer {token}"
            response = yield request
            if not self._is_refused(response, token):
                return

    def _needs_token(self) -> bool:
        return time.monotonic() > self._expires_at - _MARGIN

    def _ask(self, request: httpx2.Request) -> httpx2.Request:
        """Builds the request of a token, with the timeouts of the call that needs it."""
        new = httpx2.Request("POST", self._token_url, data=self._form, extensions=request.extensions)
        return next(self._basic.auth_flow(new))

    def _keep(self, answer: httpx2.Response) -> None:
        if not answer.is_success:
            raise TokenError(answer)
        token = answer.json()
        self._token = token["access_token"]
        self._expires_at = time.monotonic() + token["expires_in"]

    def _is_refused(self, response: httpx2.Response, token: str) -> bool:
        """Forgets a token that was revoked, unless another call has already replaced it."""
        if response.status_code != 401:
            return False
        if token == self._token:
            self._expires_at = 0.0
        return True
