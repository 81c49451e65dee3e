"""Handles one request of one route: arguments, one transaction, the response."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from trilha.core.clock import civil_date
from trilha.core.database import CONFLICT_ERRORS, CONNECTION_ERRORS, Database, Tx
from trilha.core.errors import ApiError, Failure, Invalid
from trilha.core.turns import Askers, Turns
from trilha.core.types import FieldNames, to_json
from trilha.core.web.answers import AcceptedResult, Answer, Headers
from trilha.core.web.arguments import LARGE_BODY, read_arguments
from trilha.core.web.callers import Caller, Public
from trilha.core.web.idempotency import IdempotencyKey, StoredAnswer
from trilha.core.web.overload import Queue
from trilha.core.web.pagination import only
from trilha.core.web.request import Request
from trilha.core.web.router import path_arguments
from trilha.core.web.routes import Disposable, NoQuery, Refusal, Route
from trilha.core.web.surface import Surface
from trilha.core.web.uploads import digest_fields, upload_folder

# how often a transaction is tried again after a conflict with another one
_TRIES = 5
# Bytes of a body that its handler reads. Commits of content are mostly smaller, and many people send them.
_LARGE_RAW_BODY = 128 * 1024
# New requests are refused once every request waits longer than this for its transaction. Learning reports are
# accepted for longer, because the player would only send them again.
WAIT_SECONDS, URGENT_WAIT_SECONDS = 0.5, 2.0
_REPLAYED_HEADER = (b"idempotent-replayed", b"true")


class TenantTurns:
    """Limits how much work of one tenant runs at a time. The limit is lower while other tenants are
    active, so that they find the event loop, the processor and a connection free.
    """

    def __init__(self) -> None:
        self.askers = Askers()
        # a transaction, from its beginning to its end
        self.database = Turns(64, 8, beside=2, askers=self.askers)
        # A large body occupies the processor and the database for long. While several tenants are active,
        # each gets one place, which leaves room for small requests.
        self.large = Turns(4, 4, beside=1, askers=self.askers, rests=True)
        self._queues = {False: Queue(WAIT_SECONDS), True: Queue(URGENT_WAIT_SECONDS)}

    def queue_of(self, route: Route) -> Queue:
        return self._queues[route.urgent]


class BoundRoute(Struct, frozen=True):
    """A route of a surface, with the dependencies of its handler."""

    route: Route
    surface: Surface
    database: Database
    dependencies: Mapping[str, Any]
    # creates per-request values such as the Caller and the Request, by parameter name
    made: Mapping[str, Callable[[Request, Caller], Any]]
    uploads: Path | None
    turns: TenantTurns
    refused: "BoundRoute | None" = None
    prepare_arguments: Mapping[str, Any] = {}

    async def answer(self, request: Request, caller: Caller, values: list[str]) -> Answer:
        """Handles a request. `values` are the variable parts of the path. Raises Failure."""
        self.route.access.check(caller)
        tenant_id = caller.credential.tenant_id if caller.credential else None
        if tenant_id is not None:
            self.turns.askers.note(tenant_id)
        if await self._is_large(request):
            async with self.turns.large.turn(tenant_id):
                return await self._answer(request, caller, values)
        if not (self.route.takes_files and self.route.takes_form(request)):
            return await self._answer(request, caller, values)
        async with upload_folder(self.uploads) as request.upload_folder:
            return await self._answer(request, caller, values)

    async def _is_large(self, request: Request) -> bool:
        """Returns whether the request is large. Called once the body has arrived, so that no turn is spent
        waiting for one.
        """
        if self.route.data is None or self.route.takes_form(request) or not request.announces_body:
            return False
        limit = _LARGE_RAW_BODY if self.route.takes_raw_body else LARGE_BODY
        return len(await request.body(self.route.max_body)) > limit

    async def _answer(self, request: Request, caller: Caller, values: list[str]) -> Answer:
        try:
            return await self._take(request, caller, values)
        except ApiError as failure:
            if self.refused is None or not (isinstance(failure, Invalid) or failure.status in (409, 422)):
                raise
            refusal = Refusal(request.sent, failure)
            shown = self.refused.route.path_params
            # The form of a part may be shown by the page of the whole, whose path has fewer parameters.
            page_values = [
                value for name, value in zip(self.route.path_params, values, strict=True) if name in shown
            ]
            return await self.refused._show(request, caller, page_values, refusal)

    async def _show(self, request: Request, caller: Caller, values: list[str], refusal: Refusal) -> Answer:
        """Shows a refused form again."""
        arguments = self._arguments(request, caller, values) | {"refusal": refusal}
        if self.route.query is not NoQuery:
            arguments["query"] = self.route.query()
        if self.route.needs_tx:
            answer = await self._in_transaction(request, caller, arguments, None, None)
        else:
            answer = self._write(await self.route.handler(**arguments), None)
        # The page needs the headers that it normally has, such as its content policy.
        named = {name for name, _ in answer.headers}
        answer.headers += [header for header in self.route.encoded_headers if header[0] not in named]
        return answer

    def _arguments(self, request: Request, caller: Caller, values: list[str]) -> dict[str, Any]:
        """Returns the arguments that do not depend on the request's content."""
        made = {name: make(request, caller) for name, make in self.made.items()}
        return {**path_arguments(self.route, values), **self.dependencies, **made}

    async def _take(self, request: Request, caller: Caller, values: list[str]) -> Answer:
        route = self.route
        arguments = self._arguments(request, caller, values)
        read = await read_arguments(self.surface, route, request, caller, civil_date(self.database.clock()))
        if route.query is not NoQuery:
            arguments["query"] = read.query
        if route.data is not None:
            arguments["data"] = read.data
        if route.form is not None:
            arguments["form"] = read.form
        if read.key is not None and route.takes_form(request):
            request.form_digest = await digest_fields(request.sent)
        prepared = None
        if route.prepare is not None:
            prepared = await route.prepare(read.data or read.form, caller, **self.prepare_arguments)
            arguments["prepared"] = prepared
        try:
            if not route.needs_tx:
                return self._write(await route.handler(**arguments), read.fields)
            return await self._in_transaction(request, caller, arguments, read.fields, read.key)
        finally:
            if isinstance(prepared, Disposable):
                await prepared.dispose()

    async def _in_transaction(
        self,
        request: Request,
        caller: Caller,
        arguments: dict[str, Any],
        fields: FieldNames | None,
        key: str | None,
    ) -> Answer:
        tenant_id = caller.tenant_id
        async with self.turns.queue_of(self.route).wait():
            await self.turns.database.take(tenant_id, urgent=self.route.urgent)
        try:
            return await self._transact(request, caller, arguments, fields, key)
        finally:
            self.turns.database.leave(tenant_id)

    async def _transact(
        self,
        request: Request,
        caller: Caller,
        arguments: dict[str, Any],
        fields: FieldNames | None,
        key: str | None,
    ) -> Answer:
        tried, read_only = 0, not self.route.writes
        while True:
            tried += 1
            try:
                async with self.database.transaction(
                    caller.tenant_id, read_only=read_only, actor=caller.actor
                ) as tx:
                    if key is not None:
                        return await self._once(tx, request, caller, arguments, key)
                    return self._write(await self.route.handler(tx=tx, **arguments), fields)
            except CONFLICT_ERRORS:
                # Nothing was done and nothing was sent, so the call may run again.
                if tried == _TRIES:
                    raise
            except CONNECTION_ERRORS:
                if not read_only or tried > 1:
                    raise

    async def _once(
        self, tx: Tx, request: Request, caller: Caller, arguments: dict[str, Any], key: str
    ) -> Answer:
        """Returns the stored response for this Idempotency-Key, or handles the request and stores the
        response.
        """
        assert caller.credential is not None
        body = request.form_digest
        if body is None:
            body = await request.body(self.route.max_body) if request.announces_body else b""
        query = f"?{request.query}" if request.query else ""
        asked = f"{self.route.method} {self.surface.prefixes[0]}{request.path}{query}\n".encode() + body
        idempotency = IdempotencyKey(tx, caller.credential.id, key, asked)
        if (stored := await idempotency.claim()) is not None:
            return self._replay(stored)
        try:
            async with tx.savepoint():
                answer = self._write(await self.route.handler(tx=tx, **arguments), None)
        except Failure as failure:
            if failure.status >= 500:
                raise
            # A refusal is stored too, so that the same call is not tried twice.
            answer = self.surface.errors.write(failure, request)
        await idempotency.keep(StoredAnswer(answer.status, answer.body))
        return answer

    def _replay(self, stored: StoredAnswer) -> Answer:
        if stored.body is None:
            return Answer(stored.status, None, [_REPLAYED_HEADER])
        headers = [self.surface.content_type, _REPLAYED_HEADER]
        if stored.status == AcceptedResult.status:
            headers += self._locate(stored.body)
        return Answer(stored.status, stored.body, headers)

    def _locate(self, body: bytes) -> Headers:
        """Returns the header that leads to the progress of accepted work, from the body of the answer."""
        if self.route.progress is None:
            return []
        data = msgspec.json.decode(body)["data"]
        address = self.surface.prefixes[0] + self.route.progress.format(**data)
        return [(b"location", address.encode())]

    def _write(self, result: Any, fields: FieldNames | None) -> Answer:
        if isinstance(result, Answer):
            return result
        if isinstance(result, AcceptedResult):
            body = to_json(result.result)
            return Answer(result.status, body, [self.surface.content_type, *self._locate(body)])
        if result is None:
            return Answer(self.route.status)
        if fields:
            result = only(result, fields.items())
        return Answer(self.route.status, to_json(result), [self.surface.content_type])


def bind(
    route: Route,
    surface: Surface,
    database: Database,
    available: Sequence[object],
    uploads: Path | None,
    turns: TenantTurns,
) -> BoundRoute:
    """Binds a route to the dependencies that its handler needs. Raises TypeError if one is missing."""
    if route.needs_tx and isinstance(route.access, Public):
        raise TypeError(f"{route.name} asks for a transaction, and anybody may call it: of which tenant?")
    dependencies: dict[str, Any] = {}
    made: dict[str, Callable[[Request, Caller], Any]] = {}
    for name, kind in route.dependencies.items():
        if issubclass(kind, Caller):
            made[name] = _the_caller
        elif issubclass(kind, Request):
            made[name] = _the_request
        elif makers := [each for each in available if getattr(each, "makes", None) is kind]:
            made[name] = makers[0].make  # type: ignore[attr-defined]
        else:
            dependencies[name] = _find_one(route, kind, available)
    refused = None
    if route.refused is not None:
        shown = next(each for each in surface.routes if each.handler is route.refused)
        refused = bind(shown, surface, database, available, uploads, turns)
    prepare_arguments = {
        name: _find_one(route, kind, available) for name, kind in route.prepare_dependencies.items()
    }
    return BoundRoute(
        route, surface, database, dependencies, made, uploads, turns, refused, prepare_arguments
    )


def _find_one(route: Route, kind: type, available: Sequence[object]) -> object:
    """Returns the one value of this type. Raises TypeError."""
    candidates = [each for each in available if isinstance(each, kind)]
    if len(candidates) != 1:
        raise TypeError(f"{route.name} asks for one {kind.__name__}; there are {len(candidates)}")
    return candidates[0]


def _the_caller(_: Request, caller: Caller) -> Caller:
    return caller


def _the_request(request: Request, _: Caller) -> Request:
    return request
