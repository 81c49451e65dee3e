"""The ASGI application: finds the surface of each request and sends the response.

Every request takes the same steps on every surface: an id, the client's address, the route, the
credentials, one admission (look-up and counting), the handler, the response or the error in the surface's
format, and one line in the log.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ulid import ULID

from trilha.core import logs, metrics, request_context, tracing
from trilha.core.database import CONNECTION_ERRORS, RESOURCE_ERRORS, Database
from trilha.core.errors import (
    Failure,
    HttpsRequired,
    InternalError,
    MethodNotAllowed,
    NotFound,
    RateLimited,
    TransferCodingUnknown,
)
from trilha.core.net import Network, client_address, parse_address, within
from trilha.core.web.admission import Admission
from trilha.core.web.answers import Answer, Headers, Redirect
from trilha.core.web.call import BoundRoute, TenantTurns, bind
from trilha.core.web.callers import Caller, KnownCredentials, RequestCredentials
from trilha.core.web.capacity import Capacity, RefusalReason
from trilha.core.web.deadlines import Deadlines
from trilha.core.web.mounts import Mounts
from trilha.core.web.rate_limits import Usage
from trilha.core.web.request import METHODS, Request
from trilha.core.web.router import Match, shape
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface

_NOSNIFF = (b"x-content-type-options", b"nosniff")
# characters that need no escape in a path (RFC 3986 section 3.3)
_PATH = "/:@!$&'()*+,;="
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class Gateway:
    """The ASGI application of the surfaces."""

    def __init__(
        self,
        surfaces: Sequence[Surface],
        database: Database,
        admission: Admission,
        *,
        dependencies: Sequence[object] = (),
        trusted_proxies: Sequence[Network] = (),
        https_address: str | None = None,
        uploads: Path | None = None,
        capacity: Capacity | None = None,
        deadlines: Deadlines | None = None,
        beside: Callable[[Database], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """`dependencies` are the values that handlers receive by type. With an `https_address`
        (`https://host`), requests without TLS are refused or redirected there. `uploads` is the folder for
        uploaded files while they are handled, by default the system's own. `beside` runs from start to
        stop.
        """
        self.surfaces = surfaces
        self.mounts = Mounts(surfaces)
        paths = [path for each in surfaces for path in (*each.prefixes, *(r.path for r in each.routes))]
        self.words = frozenset(word for path in paths for word in path.split("/") if "{" not in word)
        self.has_hosts = any(surface.host for surface in surfaces)
        self.database = database
        self.admission = admission
        self.trusted = trusted_proxies
        self.https_address = https_address
        self.capacity = capacity or Capacity()
        self.deadlines = deadlines or Deadlines()
        self.beside = beside
        self._running: asyncio.Task[None] | None = None
        available = [*dependencies, database, admission]
        self.turns = turns = TenantTurns()
        self.bound: dict[Route, BoundRoute] = {
            route: bind(route, surface, database, available, uploads, turns)
            for surface in surfaces
            for route in surface.routes
        }

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send, self._start, self._stop)
        elif scope["type"] == "http":
            await _Exchange(self, scope, receive, send).run()

    async def _start(self) -> None:
        await self.database.open()
        if self.beside is not None:
            self._running = asyncio.create_task(self.beside(self.database))

    async def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self.admission.close()
        await self.database.close()


def _build_overload_error() -> InternalError:
    return InternalError("unavailable", headers={"retry-after": "1"})


class _Exchange:
    """One request and its response."""

    def __init__(self, gateway: Gateway, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.gateway = gateway
        self.started = time.perf_counter()
        self.sent_status = 0
        self._send = send
        self.usage: Usage | None = None
        self.caller: Caller | None = None
        self.refused: RefusalReason | None = None
        self.match: Match | None = None
        self.route: Route | None = None
        self.code: str | None = None
        self.is_failure = False
        self.request = request = Request(scope, receive, f"req_{ULID()}", None, gateway.deadlines)
        self.peer = scope.get("client") or ("", 0)
        request.address = parse_address(self.peer[0])
        request.secure = scope.get("scheme") == "https"
        if gateway.trusted:
            self._look_behind_proxies()
        self.path: str = request.path
        host = (request.header(b"host") or "") if gateway.has_hosts else ""
        self.surface, request.path = gateway.mounts.find(request.path, host)

    def _look_behind_proxies(self) -> None:
        request, trusted = self.request, self.gateway.trusted
        if request.address is not None and within(request.address, trusted):
            forwarded = ",".join(request.all_headers(b"x-forwarded-for"))
            request.address = client_address(self.peer[0], forwarded, trusted)
            request.secure |= _last_value(request.all_headers(b"x-forwarded-proto")) == "https"

    async def run(self) -> None:
        if self.surface.health or not tracing.is_enabled():
            await self._run()
            return
        parent = self.request.header(b"traceparent")
        with tracing.span("request", kind="server", parent=parent) as span:
            try:
                await self._run()
            finally:
                self._trace(span)

    def _trace(self, span: tracing.Span) -> None:
        """Describes the request by its route, status and tenant."""
        credential, path = self.caller.credential if self.caller else None, self._path()
        span.rename(self._name(path))
        span.add(
            {
                "http.request.method": self.request.method if self.request.method in METHODS else "_OTHER",
                "http.route": path if self.route else None,
                "http.response.status_code": self.sent_status,
                "trilha.surface": self.surface.name,
                "trilha.tenant_id": str(credential.tenant_id) if credential else None,
                "trilha.request_id": self.request.id,
                "trilha.error_code": self.code,
            }
        )
        if self.sent_status >= 500:
            span.fail(str(self.sent_status))

    async def _run(self) -> None:
        capacity, request, proxies = self.gateway.capacity, self.request, self.gateway.trusted
        places = capacity.health if self.surface.health else capacity.usual
        trusted = bool(proxies) and request.address is not None and within(request.address, proxies)
        holder = None if trusted else request.counted_as
        self.refused = places.take(holder)
        running = request_context.request_id.set(request.id)
        try:
            await self._answer_or_failure()
            # Serve waiting requests before writing the log.
            await asyncio.sleep(0)
        finally:
            request_context.request_id.reset(running)
            if not self.refused:
                places.leave(holder)
            self._log()
            if self.surface.noted and self.caller is not None:
                self.surface.noted(self.request, self.caller, self.sent_status)

    async def _answer_or_failure(self) -> None:
        try:
            answer = await self._answer()
        except Failure as failure:
            answer = self._write_failure(failure)
        except Exception as error:
            answer = self._write_failure(internal_error(error, self._name()))
        try:
            await answer.send(self.send, self.request, self._headers(answer))
        except Exception as error:
            unexpected = internal_error(error, self._name())
            if self.sent_status:
                raise  # the response is incomplete, so the server closes the connection
            answer = self._write_failure(unexpected)
            await answer.send(self.send, self.request, self._headers(answer))

    async def _answer(self) -> Answer:
        request, surface = self.request, self.surface
        if self.refused:
            # The request is refused without being read, counted or looked up.
            raise _build_overload_error()
        if not request.is_framed:
            raise TransferCodingUnknown
        self.match = match = surface.router.find(request.path)
        method = "GET" if request.method == "HEAD" else request.method
        self.route = request.route = match.routes.get(method) if match else None
        if self.route and not surface.health and self.gateway.turns.queue_of(self.route).is_full:
            raise _build_overload_error()
        insecure = self.gateway.https_address is not None and not request.secure
        if insecure and surface.https == "redirect":
            return self._to_https()
        self.caller = caller = await self._admit(refused=insecure and surface.https == "required")
        if surface.meter and caller.credential and caller.failure is None:
            surface.meter(caller.tenant_id)
        if match is None:
            raise NotFound("route_not_found")
        if self.route is None:
            return self._other_method(match)
        return await self.gateway.bound[self.route].answer(request, caller, match.values)

    async def _admit(self, *, refused: bool) -> Caller:
        """Identifies the caller and counts the request. Raises RateLimited, and HttpsRequired if
        `refused`.
        """
        request, surface = self.request, self.surface
        # A request without TLS is counted, but its content is not read.
        presented = RequestCredentials() if refused else await surface.identity.present(request)
        hits = surface.limits(request, presented)
        known_credentials: KnownCredentials = {}
        if hits or presented.credentials:
            admitted = await self.gateway.admission.admit(presented.credentials, hits)
            self.usage, known_credentials = admitted.usage, admitted.known_credentials
        self._check_usage()
        if refused:
            raise HttpsRequired
        caller = await surface.identity.identify(request, presented, known_credentials)
        if caller.usage is not None:
            self.usage = min(caller.usage, self.usage or caller.usage, key=lambda usage: usage.remaining)
            self._check_usage()
        return caller

    def _check_usage(self) -> None:
        if self.usage is not None and self.usage.is_exceeded:
            raise RateLimited("rate_limit_exceeded")

    def _other_method(self, match: Match) -> Answer:
        if self.request.method == "OPTIONS":
            return Answer(204, None, [(b"allow", ", ".join(match.methods).encode())])
        raise MethodNotAllowed(match.methods)

    def _to_https(self) -> Answer:
        query = f"?{self.request.query}" if self.request.query else ""
        # The path is decoded, so encode it again for the header.
        return Redirect(f"{self.gateway.https_address}{quote(self.path, safe=_PATH)}{query}", 308)

    def _write_failure(self, failure: Failure) -> Answer:
        self.is_failure = True
        self.code = getattr(failure, "code", None) or getattr(failure, "scim_type", None)
        answer = self.surface.errors.write(failure, self.request)
        answer.headers = [*answer.headers, *((n.encode(), v.encode()) for n, v in failure.headers.items())]
        return answer

    def _headers(self, answer: Answer) -> Headers:
        """Returns the headers that the gateway, the surface and the route add. Headers of the response
        take precedence.
        """
        headers = [(b"x-request-id", self.request.id.encode()), _NOSNIFF]
        if self.gateway.https_address and self.request.secure:
            headers.append(_HSTS)  # only over TLS (RFC 6797 section 7.2)
        route = self.route
        # A redirect to the sign-in is a failure, and the route's headers may tell browsers to keep it.
        of_route = route is not None and route.headers and answer.status < 400 and not self.is_failure
        added = route.encoded_headers if route and of_route else self.surface.encoded_headers
        own_names = {name for name, _ in answer.headers}
        headers += [header for header in added if header[0] not in own_names]
        if self.usage is not None:
            headers += self.usage.headers()
        return headers + self.request.answer_headers

    async def send(self, message: dict[str, Any]) -> None:
        await self._send(message)
        if message["type"] == "http.response.start":
            self.sent_status = message["status"]

    def _log(self) -> None:
        request, path = self.request, self._path()
        credential = self.caller.credential if self.caller else None
        extra: dict[str, Any] = {
            "request_id": request.id,
            "surface": self.surface.name,
            "tenant": str(credential.tenant_id) if credential else None,
            "actor": f"{credential.kind}:{credential.id}" if credential else None,
            "route": path,
            "status": self.sent_status,
            "duration_ms": round((time.perf_counter() - self.started) * 1000, 1),
        }
        limit = self.code if self.code == "rate_limit_exceeded" else None
        metrics.count_request(
            self.surface.name,
            request.method if request.method in METHODS else "(other)",
            path,
            self.sent_status,
            time.perf_counter() - self.started,
            limit or ("overload" if self.refused else None),
        )
        if self.code:
            extra["code"] = self.code
        if self.route is None:
            extra["shape"] = self._shape()
        if self.refused:
            extra["refused"] = self.refused
        logs.note(self._name(path), **extra)

    def _name(self, path: str = "") -> str:
        # An unknown method could contain anything, so it is not logged.
        method = self.request.method if self.request.method in METHODS else "(other)"
        return f"{method} {path or self._path()}"

    def _path(self) -> str:
        """Returns the path's template, never the path as sent."""
        route = self.route
        return f"{self.surface.prefixes[0]}{route.path}" if route else "(no route)"

    def _shape(self) -> str:
        """Describes a path without a route for the method by the known words in it."""
        if self.match:
            return self.surface.prefixes[0] + next(iter(self.match.routes.values())).path
        return shape(self.path, self.gateway.words)


def _last_value(headers: list[str]) -> str:
    """Returns the last value of a header that may be a list: the one that the nearest proxy wrote."""
    return ",".join(headers).rpartition(",")[2].strip().lower()


def internal_error(error: Exception, request: str) -> InternalError:
    """Logs a bug, without words that may quote a row. `request` names the route."""
    if isinstance(error, CONNECTION_ERRORS):
        logs.trouble("database lost", error=logs.where(error), request=request)
        return InternalError("unavailable", headers={"retry-after": "1"})
    if isinstance(error, RESOURCE_ERRORS):
        logs.log_failure("database exhausted", error, request=request)
        return InternalError("unavailable", headers={"retry-after": "10"})
    logs.log_failure("unexpected failure", error, request=request)
    return InternalError("internal_error")


async def _live(
    receive: Any, send: Any, start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]]
) -> None:
    """Handles the lifespan protocol of ASGI."""
    await receive()
    try:
        await start()
    except Exception as error:
        logs.log_failure("start failed", error)
        await send({"type": "lifespan.startup.failed", "message": ""})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await stop()
    await send({"type": "lifespan.shutdown.complete"})
