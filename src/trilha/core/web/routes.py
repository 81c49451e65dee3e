"""How an endpoint is declared and how a request runs through it.

    @routes.post("/enrollments", scope=Scope.ENROLLMENTS_WRITE, status=201, errors=["user_not_found"])
    async def create_enrollment(tx: Tx, data: NewEnrollment) -> Envelope[Enrollment]:
        '''Enroll one user in one course.'''

A handler's parameters say what it needs: `tx` (its one transaction), `data` (the body), `query` (the query
string), path parameters by name, and by its type whatever the application has one of. The declaration is
the only source: the router, the OpenAPI description, `trilha routes` and the contract tests all read the
same `Route`.

One request is one transaction. The answer leaves after the commit.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar, get_type_hints

import msgspec
from litestar.enums import HttpMethod
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from trilha.core.clock import civil_date
from trilha.core.credentials import Actor, Credential, Scope
from trilha.core.database import Database, Tx
from trilha.core.database.transactions import CLASHED
from trilha.core.errors import ApiError, BadRequest, NotFound
from trilha.core.types import to_json
from trilha.core.web.idempotency import IdempotencyKey, Reply, check_key
from trilha.core.web.parsing import parse_body, parse_query, parse_uuid

T = TypeVar("T")
Handler = Callable[..., Awaitable[Any]]

MIB = 1024 * 1024
_ATTEMPTS = 5


class Envelope(Struct, Generic[T], frozen=True):
    data: T


class NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """For routes that take no query parameter: any is refused."""


class Caller(Struct, frozen=True):
    """Who calls, as admitted. `refuse` is set where the credential may not be used."""

    credential: Credential | None
    refusal: ApiError | None
    address: str

    def authorise(self, scope: Scope) -> Credential:
        """Raises Unauthenticated or Forbidden."""
        if self.refusal is not None:
            raise self.refusal
        assert self.credential is not None
        self.credential.require(scope)
        return self.credential


class Route(Struct, frozen=True, kw_only=True, eq=False):
    """One operation of /v1."""

    method: str
    path: str
    handler: Handler
    scope: Scope
    status: int
    tag: str
    errors: Sequence[str]
    max_body: int
    path_params: tuple[str, ...]
    body: type[Struct] | None
    query: type[Struct]
    parts: dict[str, type]  # parameters that the application itself fills
    result: Any

    @property
    def name(self) -> str:
        return self.handler.__name__

    @property
    def idempotent_by_key(self) -> bool:
        return self.method == "POST"


class Routes:
    """The routes of one feature, in the order of the reference."""

    def __init__(self, tag: str, description: str) -> None:
        self.tag = tag
        self.description = description
        self.all: list[Route] = []

    def get(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("GET", path, **declared)

    def post(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("POST", path, **declared)

    def patch(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("PATCH", path, **declared)

    def delete(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("DELETE", path, **declared)

    def _add(
        self,
        method: str,
        path: str,
        *,
        scope: Scope,
        status: int = 200,
        errors: Sequence[str] = (),
        max_body: int = MIB,
    ) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            hints = get_type_hints(handler)
            path_params = tuple(part[1:-1] for part in path.split("/") if part.startswith("{"))
            self.all.append(
                Route(
                    method=method,
                    path=path,
                    handler=handler,
                    scope=scope,
                    status=status,
                    tag=self.tag,
                    errors=tuple(errors),
                    max_body=max_body,
                    path_params=path_params,
                    body=hints.get("data"),
                    query=hints.get("query", NoQuery),
                    parts={
                        name: hint
                        for name, hint in hints.items()
                        if name not in ("tx", "data", "query", "return", *path_params)
                    },
                    result=hints["return"],
                )
            )
            return handler

        return declare


def bind(route: Route, database: Database, prefix: str, parts: Sequence[object] = ()) -> HTTPRouteHandler:
    """The route as Litestar finds it. `parts` are what handlers may ask for by type.

    Litestar resolves the address and answers 404, 405 and OPTIONS. From there the request runs here: its
    own machinery for parameters and responses, which `Route` replaces, would cost as much as the database.
    """

    own = {name: next(part for part in parts if isinstance(part, kind)) for name, kind in route.parts.items()}

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        call = _Call(route, scope, receive, database, own)
        await _send(send, await call.run(), call.replayed)

    return raw_handler(route.method, prefix + route.path.replace("}", ":str}"), serve, route.name)


def raw_handler(method: str, path: str, serve: Any, name: str | None = None) -> HTTPRouteHandler:
    """A plain ASGI application as a route of the router."""

    async def unreached() -> None:
        raise AssertionError

    unreached.__name__ = name or path
    return HTTPRouteHandler(
        path,
        http_method=HttpMethod(method),
        middleware=[lambda app: serve],
        include_in_schema=False,
        name=name,
    )(unreached)


async def _send(send: Any, reply: Reply, replayed: bool) -> None:
    headers = []
    if reply.body is not None:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(reply.body))]
    if replayed:
        headers.append((b"idempotent-replayed", b"true"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body or b""})


class _Call:
    """One request on its way through one route."""

    def __init__(
        self, route: Route, scope: dict[str, Any], receive: Any, database: Database, parts: dict[str, object]
    ) -> None:
        self.route = route
        self.scope = scope
        self.receive = receive
        self.database = database
        self.parts = parts
        self.replayed = False

    async def run(self) -> Reply:
        caller: Caller = self.scope["state"]["caller"]
        credential = caller.authorise(self.route.scope)
        today = civil_date(self.database.clock())
        arguments: dict[str, Any] = self._path_arguments() | self.parts
        query = parse_query(self.route.query, self.scope["query_string"].decode("latin-1"), today)
        if self.route.query is not NoQuery:
            arguments["query"] = query
        body = b"" if self.route.method == "GET" else await self._read_body()
        if self.route.body is not None:
            arguments["data"] = parse_body(self.route.body, body, today)
        key = self._header(b"idempotency-key") if self.route.idempotent_by_key else None
        if key is not None:
            check_key(key)
        return await self._in_transaction(credential, caller.address, key, body, arguments)

    async def _in_transaction(
        self, credential: Credential, address: str, key: str | None, body: bytes, arguments: dict[str, Any]
    ) -> Reply:
        actor = Actor(credential.kind, str(credential.id), address)
        attempt = 1
        while True:
            try:
                async with self.database.transaction(
                    credential.tenant_id, read_only=self.route.method == "GET", actor=actor
                ) as tx:
                    if key is None:
                        return await self._answer(tx, arguments)
                    request = f"{self.route.method} {self.scope['path']}\n".encode() + body
                    return await self._once(tx, IdempotencyKey(tx, credential.id, key, request), arguments)
            except CLASHED:
                # Nothing was done and nothing was sent, so the call may run again.
                if attempt == _ATTEMPTS:
                    raise
                attempt += 1

    async def _once(self, tx: Tx, key: IdempotencyKey, arguments: dict[str, Any]) -> Reply:
        if (stored := await key.claim()) is not None:
            self.replayed = True
            return stored
        try:
            async with tx.savepoint():
                reply = await self._answer(tx, arguments)
        except ApiError as error:
            # A refusal is an answer too: kept, so that the same call is not tried twice.
            reply = Reply(error.status, to_json(error.body(self.scope["state"]["request_id"])))
        await key.keep(reply)
        return reply

    async def _answer(self, tx: Tx, arguments: dict[str, Any]) -> Reply:
        result = await self.route.handler(tx=tx, **arguments)
        if result is None:
            return Reply(self.route.status, None)
        if shown := getattr(arguments.get("query"), "fields", None):
            result = _only(result, shown.items())
        return Reply(self.route.status, to_json(result))

    def _path_arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for name in self.route.path_params:
            value = parse_uuid(self.scope["path_params"][name])
            if value is None:
                raise NotFound(f"{name.removesuffix('_id')}_not_found")
            arguments[name] = value
        return arguments

    async def _read_body(self) -> bytes:
        """Stops at the first byte too many; before the first, where the caller announced as much."""
        announced = self._header(b"content-length") or ""
        if announced.isdecimal() and int(announced) > self.route.max_body:
            raise BadRequest("payload_too_large")
        body = bytearray()
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise BadRequest("malformed_json")
            body += message.get("body", b"")
            if len(body) > self.route.max_body:
                raise BadRequest("payload_too_large")
            more = message.get("more_body", False)
        media_type = (self._header(b"content-type") or "").partition(";")[0].strip().lower()
        if self.route.body is not None and media_type != "application/json":
            raise BadRequest("unsupported_media_type")
        return bytes(body)

    def _header(self, wanted: bytes) -> str | None:
        for name, value in self.scope["headers"]:
            if name == wanted:
                return str(value, "latin-1")
        return None


def _only(result: Any, names: Sequence[str]) -> Any:
    """The answer with only these members of its data, and `id`."""
    plain = msgspec.to_builtins(result, enc_hook=str)
    data = plain["data"]
    many = data if isinstance(data, list) else [data]
    kept = [{name: row[name] for name in row if name == "id" or name in names} for row in many]
    plain["data"] = kept if isinstance(data, list) else kept[0]
    return plain


def as_api_error(error: Exception) -> ApiError | None:
    """What an exception means to the caller; None when it is a fault of ours."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, HTTPException):
        code = {
            404: "route_not_found",
            405: "method_not_allowed",
            413: "payload_too_large",
            415: "unsupported_media_type",
        }.get(error.status_code)
        if code == "route_not_found":
            return NotFound(code)
        return BadRequest(code or "malformed_json") if error.status_code < 500 else None
    return None
