"""The ASGI application: finds the surface of each request, and brings its answer back.

Every request takes the same steps, whichever surface it is for: an id, the client's address, the route, the
credentials that were sent, one admission (looked up and counted), the handler, the answer or the failure in
the surface's form, one line in the log.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ulid import ULID

from trilha.core import logs
from trilha.core.database import EXHAUSTED, LOST, Database
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
from trilha.core.web.callers import Caller, Found, Presented
from trilha.core.web.capacity import Capacity, Refused
from trilha.core.web.deadlines import Deadlines
from trilha.core.web.mounts import Mounts
from trilha.core.web.rate_limits import Usage
from trilha.core.web.request import METHODS, Request
from trilha.core.web.router import Match, shape
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface

_NOSNIFF = (b"x-content-type-options", b"nosniff")
# What may stand in a path as it is (RFC 3986 section 3.3).
_PATH = "/:@!$&'()*+,;="
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class Gateway:
    """The ASGI application of these surfaces."""

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
        """`dependencies` are what handlers may ask for by type. With an `https_address` (`https://host`), a
        request that came without TLS is refused, or led there. `uploads` is the folder that files of forms
        are kept in while they are handled, the system's own if None. `beside` runs from start to stop.
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
        await self.database.close()


def _overloaded() -> InternalError:
    return InternalError("unavailable", headers={"retry-after": "1"})


class _Exchange:
    """One request and its answer."""

    def __init__(self, gateway: Gateway, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.gateway = gateway
        self.started = time.perf_counter()
        self.sent_status = 0
        self._send = send
        self.usage: Usage | None = None
        self.caller: Caller | None = None
        self.refused: Refused | None = None
        self.match: Match | None = None
        self.route: Route | None = None
        self.code: str | None = None
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
        capacity, request, proxies = self.gateway.capacity, self.request, self.gateway.trusted
        places = capacity.health if self.surface.health else capacity.usual
        trusted = bool(proxies) and request.address is not None and within(request.address, proxies)
        holder = None if trusted else request.counted_as
        self.refused = places.take(holder)
        try:
            await self._answer_or_failure()
            # Others that wait are served before anything is noted of this.
            await asyncio.sleep(0)
        finally:
            if not self.refused:
                places.leave(holder)
            self._log()
            if self.surface.noted and self.caller is not None:
                self.surface.noted(self.request, self.caller, self.sent_status)

    async def _answer_or_failure(self) -> None:
        try:
            answer = await self._answer()
        except Failure as failure:
            answer = self._told(failure)
        except Exception as error:
            answer = self._told(internal_error(error, self._name()))
        try:
            await answer.send(self.send, self.request, self._headers(answer))
        except Exception as error:
            unexpected = internal_error(error, self._name())
            if self.sent_status:
                raise  # half an answer: the server ends the connection
            answer = self._told(unexpected)
            await answer.send(self.send, self.request, self._headers(answer))

    async def _answer(self) -> Answer:
        request, surface = self.request, self.surface
        if self.refused:
            # Nothing of it is read, counted or looked up.
            raise _overloaded()
        if not request.is_framed:
            raise TransferCodingUnknown
        self.match = match = surface.router.find(request.path)
        method = "GET" if request.method == "HEAD" else request.method
        self.route = request.route = match.routes.get(method) if match else None
        if self.route and not surface.health and self.gateway.turns.queue_of(self.route).is_full:
            raise _overloaded()
        insecure = self.gateway.https_address is not None and not request.secure
        if insecure and surface.https == "redirect":
            return self._to_https()
        self.caller = caller = await self._admit(refused=insecure and surface.https == "required")
        if match is None:
            raise NotFound("route_not_found")
        if self.route is None:
            return self._other_method(match)
        return await self.gateway.bound[self.route].answer(request, caller, match.values)

    async def _admit(self, *, refused: bool) -> Caller:
        """Identifies the caller and counts the request. Raises RateLimited; HttpsRequired where `refused`."""
        request, surface = self.request, self.surface
        # What came unprotected is counted, and none of it is read.
        presented = Presented() if refused else await surface.identity.present(request)
        hits = surface.limits(request, presented)
        found: Found = {}
        if hits or presented.credentials:
            admitted = await self.gateway.admission.admit(presented.credentials, hits)
            self.usage, found = admitted.usage, admitted.found
        self._check_usage()
        if refused:
            raise HttpsRequired
        caller = await surface.identity.identify(request, presented, found)
        if caller.usage is not None:
            self.usage = min(caller.usage, self.usage or caller.usage, key=lambda usage: usage.left)
            self._check_usage()
        return caller

    def _check_usage(self) -> None:
        if self.usage is not None and self.usage.exceeded:
            raise RateLimited("rate_limit_exceeded")

    def _other_method(self, match: Match) -> Answer:
        if self.request.method == "OPTIONS":
            return Answer(204, None, [(b"allow", ", ".join(match.methods).encode())])
        raise MethodNotAllowed(match.methods)

    def _to_https(self) -> Answer:
        query = f"?{self.request.query}" if self.request.query else ""
        # The path came decoded: what is written into a header must be encoded again.
        return Redirect(f"{self.gateway.https_address}{quote(self.path, safe=_PATH)}{query}", 308)

    def _told(self, failure: Failure) -> Answer:
        self.code = getattr(failure, "code", None) or getattr(failure, "scim_type", None)
        answer = self.surface.errors.write(failure, self.request)
        answer.headers = [*answer.headers, *((n.encode(), v.encode()) for n, v in failure.headers.items())]
        return answer

    def _headers(self, answer: Answer) -> Headers:
        """What gateway, surface and route add to an answer. What it says itself stands."""
        headers = [(b"x-request-id", self.request.id.encode()), _NOSNIFF]
        if self.gateway.https_address and self.request.secure:
            headers.append(_HSTS)  # RFC 6797 section 7.2: by TLS alone
        route = self.route
        of_route = route is not None and route.headers and answer.status < 400
        added = route.encoded_headers if route and of_route else self.surface.encoded_headers
        said = {name for name, _ in answer.headers}
        headers += [header for header in added if header[0] not in said]
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
        if self.code:
            extra["code"] = self.code
        if self.route is None:
            extra["shape"] = self._shape()
        if self.refused:
            extra["refused"] = self.refused
        logs.note(self._name(path), **extra)

    def _name(self, path: str = "") -> str:
        # No method but the known ones: it may hold anything.
        method = self.request.method if self.request.method in METHODS else "(other)"
        return f"{method} {path or self._path()}"

    def _path(self) -> str:
        """The template, never the path as it was sent."""
        route = self.route
        return f"{self.surface.prefixes[0]}{route.path}" if route else "(no route)"

    def _shape(self) -> str:
        """Of an address without a route for the method: the words that addresses here have, and no other."""
        if self.match:
            return self.surface.prefixes[0] + next(iter(self.match.routes.values())).path
        return shape(self.path, self.gateway.words)


def _last_value(headers: list[str]) -> str:
    """Of a header that may be a list: what the nearest proxy wrote."""
    return ",".join(headers).rpartition(",")[2].strip().lower()


def internal_error(error: Exception, request: str) -> InternalError:
    """A fault of ours, noted in the log without the words that may quote a row. `request` names the route."""
    if isinstance(error, LOST):
        logs.trouble("database lost", error=logs.where(error), request=request)
        return InternalError("unavailable", headers={"retry-after": "1"})
    if isinstance(error, EXHAUSTED):
        logs.failed("database exhausted", error, request=request)
        return InternalError("unavailable", headers={"retry-after": "10"})
    logs.failed("unexpected failure", error, request=request)
    return InternalError("internal_error")


async def _live(
    receive: Any, send: Any, start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]]
) -> None:
    """The lifespan protocol of ASGI."""
    await receive()
    try:
        await start()
    except Exception as error:
        logs.failed("start failed", error)
        await send({"type": "lifespan.startup.failed", "message": ""})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await stop()
    await send({"type": "lifespan.shutdown.complete"})
