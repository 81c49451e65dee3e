"""What stands before every surface: request id, client address, admission, limit headers, the log line.

Plain ASGI, because it runs for every request.
"""

import hmac
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ulid import ULID

from trilha.core import logs
from trilha.core.clock import Clock
from trilha.core.credentials import PresentedCredential, bearer_token
from trilha.core.database import LOST
from trilha.core.errors import ApiError, InternalError, NotFound, RateLimited, Unauthenticated
from trilha.core.net import Address, Network, client_address
from trilha.core.types import to_json
from trilha.core.web.admission import Admission
from trilha.core.web.hits import Hit
from trilha.core.web.limits import Limit, Usage
from trilha.core.web.routes import Caller

Scope = dict[str, Any]
# What a bearer token is looked up by. Raises Unauthenticated for what cannot be one of ours.
Recogniser = Callable[[str], Awaitable[PresentedCredential]]


class Gateway:
    """An ASGI application around another. Only paths under /v1 are admitted and counted."""

    def __init__(
        self,
        app: Any,
        admission: Admission,
        recognise: Recogniser,
        clock: Clock,
        *,
        limit: Limit,
        verify_limit: Limit,
        limit_key: str,
        trusted_proxies: Sequence[Network],
        https_only: bool,
    ) -> None:
        self._app = app
        self._admission = admission
        self._recognise = recognise
        self._clock = clock
        self._limit = limit
        self._verify_limit = verify_limit
        self._limit_key = limit_key
        self._trusted = trusted_proxies
        self._headers = [(b"x-content-type-options", b"nosniff")]
        if https_only:
            self._headers.append((b"strict-transport-security", b"max-age=31536000"))

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await _Exchange(self, scope, receive, send).run()


class _Exchange:
    """One request and its response."""

    def __init__(self, gateway: Gateway, scope: Scope, receive: Any, send: Any) -> None:
        self.gateway = gateway
        self.scope = scope
        self.receive = receive
        self._send = send
        self.request_id = f"req_{ULID()}"
        self.started = time.perf_counter()
        self.status = 0
        self.usage: Usage | None = None
        self.caller: Caller | None = None
        self.bodiless = scope["method"] == "HEAD"

    async def run(self) -> None:
        scope = self.scope
        original = scope["path"]
        state = scope["state"] = dict(scope.get("state") or {})
        state["request_id"] = self.request_id
        address = self._address()
        state["address"] = str(address)
        if self.bodiless:
            scope["method"] = "GET"
        if original.startswith("/api/v1/"):
            # The same surface under its other name.
            scope["path"] = original[4:]
            scope["raw_path"] = scope["path"].encode()
        try:
            if scope["path"].startswith("/v1/") or scope["path"] == "/v1":
                state["caller"] = self.caller = await self._admit(address)
            if "//" in scope["path"]:
                # The router would read it as one slash, and so pass by what stands above.
                raise NotFound("route_not_found")
            await self.gateway._app(scope, self.receive, self.send)
        except ApiError as error:
            await send_error(self.send, error, self.request_id)
        except Exception as error:
            if self.status:
                raise
            await send_error(self.send, failure(error), self.request_id)
        finally:
            self._log()

    def _address(self) -> Address:
        forwarded = b",".join(self._headers(b"x-forwarded-for"))
        peer = (self.scope.get("client") or ("0.0.0.0", 0))[0]  # noqa: S104
        return client_address(peer, forwarded.decode("latin-1"), self.gateway._trusted)

    async def _admit(self, address: Address) -> Caller:
        gateway = self.gateway
        shown: PresentedCredential | None = None
        refusal: ApiError | None = None
        try:
            token = bearer_token(self._headers(b"authorization"))
            if token is not None:
                shown = await gateway._recognise(token)
        except Unauthenticated as error:
            refusal = error
        admitted = await gateway._admission.admit([shown] if shown else [], self._hits(str(address), shown))
        self.usage = admitted.usage
        if admitted.usage and admitted.usage.exceeded:
            raise RateLimited("rate_limit_exceeded")
        credential = admitted.found.get(shown) if shown else None
        if refusal is None:
            try:
                if shown is None:
                    raise Unauthenticated("credential_missing")
                if credential is None or not hmac.compare_digest(credential.key, shown.key):
                    raise Unauthenticated("credential_invalid")
                credential.check(address, gateway._clock())
            except ApiError as error:
                refusal = error
        return Caller(credential, refusal, str(address))

    def _headers(self, wanted: bytes) -> list[bytes]:
        return [value for name, value in self.scope["headers"] if name == wanted]

    def _hits(self, address: str, shown: PresentedCredential | None) -> list[Hit]:
        gateway = self.gateway
        if self.scope["path"].startswith("/v1/certificates/verify/"):
            return [Hit(f"verify:{address}", gateway._verify_limit)]
        by_address = f"v1:{address}"
        hits = []
        if gateway._limit_key != "credential" or shown is None:
            hits.append(Hit(by_address, gateway._limit))
        if gateway._limit_key != "ip" and shown is not None:
            # What is not proven counts against the address.
            otherwise = by_address if gateway._limit_key == "credential" else None
            hits.append(Hit("v1:", gateway._limit, shown, otherwise))
        return hits

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", []))
            headers.append((b"x-request-id", self.request_id.encode()))
            headers += self.gateway._headers
            if self.scope["path"].startswith("/v1"):
                headers.append((b"cache-control", b"no-store"))
            if self.usage is not None:
                headers += self.usage.headers()
            message = {**message, "headers": headers}
        elif self.bodiless:
            message = {**message, "body": b""}
        await self._send(message)

    def _log(self) -> None:
        credential = self.caller.credential if self.caller else None
        # The template, never the path as sent: an unknown path may hold anything.
        route = self.scope.get("path_template") or "(no route)"
        logs.note(
            f"{self.scope['method']} {route}",
            request_id=self.request_id,
            tenant=str(credential.tenant_id) if credential else None,
            route=route,
            status=self.status,
            duration_ms=round((time.perf_counter() - self.started) * 1000, 1),
        )


def failure(error: Exception) -> InternalError:
    """A fault of ours, noted in the log without the words that may quote a row."""
    if isinstance(error, LOST):
        logs.note("database lost", error=logs.where(error))
        return InternalError("unavailable", headers={"retry-after": "1"})
    logs.failed("unexpected failure", error)
    return InternalError("internal_error")


async def send_error(send: Any, error: ApiError, request_id: str) -> None:
    body = to_json(error.body(request_id))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *((name.encode(), value.encode()) for name, value in error.headers.items()),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
