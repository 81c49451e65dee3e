"""The two clients: `Trilha` waits for answers, `AsyncTrilha` is for coroutines."""

from __future__ import annotations

import os
import re
import time
from types import TracebackType
from typing import Any, Self

import anyio
import httpx2

from trilha_client._async_resources import AsyncResources
from trilha_client._calls import Answer, Call
from trilha_client._credentials import ApiKey, ClientCredentials, TokenError
from trilha_client._resources import Resources
from trilha_client._retries import Attempts, OnWait, Policy

_MAX_RETRIES, _MAX_WAIT, _TIMEOUT = 5, 60.0, 30.0


class Trilha(Resources):
    """A client of one tenant. It may be shared by threads.

        with Trilha("https://learn.example.com", api_key="trl_live_…") as client:
            for user in client.users.list(status="ACTIVE"):
                print(user["email"])

    Pass `api_key`, or `client_id` and `client_secret` of an OAuth client. Without `url` and credentials, it
    reads `TRILHA_URL` and `TRILHA_API_KEY`. `http` is an httpx2 client with settings of your own, such as a
    proxy; you close it.

    After a 429, a 5xx or a lost connection, a call is tried up to `max_retries` times again. A POST keeps its
    Idempotency-Key, so it is carried out once. If the server asks to wait for more than `max_wait` seconds,
    the call fails instead. `on_wait` is called before each pause, with its seconds and the reason.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        scope: str | None = None,
        max_retries: int = _MAX_RETRIES,
        max_wait: float = _MAX_WAIT,
        timeout: float = _TIMEOUT,
        on_wait: OnWait | None = None,
        http: httpx2.Client | None = None,
    ) -> None:
        super().__init__(self._send)
        self._root = _find_root(url)
        self._auth = _make_auth(self._root, api_key, client_id, client_secret, scope)
        self._policy = Policy(max_retries, max_wait, on_wait)
        self._is_own = http is None
        self._http = httpx2.Client(timeout=timeout) if http is None else http

    def request(
        self, method: str, path: str, *, query: dict[str, object] | None = None, body: Any = None
    ) -> Any:
        """Calls a route by its path, such as `/users`, and returns the whole body of the answer."""
        return self._send(Call[Any](method, path, query=query or {}, body=body, is_raw=True))

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, call: Call[Answer]) -> Answer:
        attempts = Attempts(self._policy, call.method)
        request = call.build(self._http, f"{self._root}/v1")
        while True:
            try:
                response = self._http.send(request, auth=self._auth)
            except TokenError as error:
                response = error.response
            except httpx2.TransportError as error:
                time.sleep(attempts.pause_after_failure(error))
                continue
            pause = attempts.pause_after(response)
            if pause is None:
                return call.decode(response)
            time.sleep(pause)


class AsyncTrilha(AsyncResources):
    """`Trilha` for coroutines, with the same arguments.

    async with AsyncTrilha("https://learn.example.com", api_key="trl_live_…") as client:
        async for user in client.users.list(status="ACTIVE"):
            print(user["email"])
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        scope: str | None = None,
        max_retries: int = _MAX_RETRIES,
        max_wait: float = _MAX_WAIT,
        timeout: float = _TIMEOUT,
        on_wait: OnWait | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        super().__init__(self._send)
        self._root = _find_root(url)
        self._auth = _make_auth(self._root, api_key, client_id, client_secret, scope)
        self._policy = Policy(max_retries, max_wait, on_wait)
        self._is_own = http is None
        self._http = httpx2.AsyncClient(timeout=timeout) if http is None else http

    async def request(
        self, method: str, path: str, *, query: dict[str, object] | None = None, body: Any = None
    ) -> Any:
        """Calls a route by its path, such as `/users`, and returns the whole body of the answer."""
        return await self._send(Call[Any](method, path, query=query or {}, body=body, is_raw=True))

    async def aclose(self) -> None:
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(self, call: Call[Answer]) -> Answer:
        attempts = Attempts(self._policy, call.method)
        request = call.build(self._http, f"{self._root}/v1")
        while True:
            try:
                response = await self._http.send(request, auth=self._auth)
            except TokenError as error:
                response = error.response
            except httpx2.TransportError as error:
                await anyio.sleep(attempts.pause_after_failure(error))
                continue
            pause = attempts.pause_after(response)
            if pause is None:
                return call.decode(response)
            await anyio.sleep(pause)


def _find_root(url: str | None) -> str:
    """Returns the server's address without `/v1`."""
    address = url or os.environ.get("TRILHA_URL")
    if not address:
        raise ValueError("The client needs the server's address: pass url, or set TRILHA_URL.")
    if not re.match(r"https?://[^/?#\s]+", address):
        raise ValueError(f"{address!r} is not an address like https://learn.example.com.")
    return address.rstrip("/").removesuffix("/v1")


def _make_auth(
    root: str, api_key: str | None, client_id: str | None, client_secret: str | None, scope: str | None
) -> httpx2.Auth:
    if client_id and client_secret and not api_key:
        return ClientCredentials(f"{root}/oauth/token", client_id, client_secret, scope)
    if client_id or client_secret:
        raise ValueError("Pass either api_key, or both client_id and client_secret.")
    key = api_key or os.environ.get("TRILHA_API_KEY")
    if not key:
        raise ValueError("The client needs a credential: pass api_key, or set TRILHA_API_KEY.")
    return ApiKey(key)
