"""/oauth and its metadata. Forms in, JSON out, errors as RFC 6749 has them."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from trilha.core import logs
from trilha.core.clock import Clock
from trilha.core.credentials import SCOPES, Actor, Credential
from trilha.core.database import LOST, Database
from trilha.core.errors import Unauthenticated
from trilha.core.types import to_json
from trilha.core.web.admission import Admission
from trilha.core.web.limits import Limit
from trilha.core.web.routes import raw_handler
from trilha.oauth import actions, assertions
from trilha.oauth.authentication import Attempt, Authentication
from trilha.oauth.errors import OAuthError, invalid_request
from trilha.oauth.rules import parse_form, parse_scope
from trilha.oauth.schema import Introspection
from trilha.oauth.signing_keys import ALGORITHM, PUBLISHED_FOR, SigningKeys
from trilha.oauth.tokens import AccessTokens

Form = dict[str, str]

# Each takes POST alone, beneath /oauth.
ENDPOINTS = ("token", "revoke", "introspect")
_MOST_BYTES = 64 * 1024
_GRANT = "client_credentials"
_METHODS = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
_JSON = (b"content-type", b"application/json;charset=UTF-8")
_NO_STORE = [(b"cache-control", b"no-store"), (b"pragma", b"no-cache")]
_PUBLIC = [(b"cache-control", b"public, max-age=%d" % PUBLISHED_FOR.total_seconds())]


class _Call(Struct, frozen=True):
    """A request whose form was read and whose client was looked up."""

    attempt: Attempt
    form: Form
    address: str

    @property
    def client(self) -> Credential:
        assert self.attempt.client is not None
        return self.attempt.client


Endpoint = Callable[[_Call], Awaitable[Any]]


class OAuth:
    """The endpoints, over the actions that the admin panel will use too."""

    def __init__(
        self,
        database: Database,
        admission: Admission,
        clock: Clock,
        *,
        issuer: str,
        token_limit: Limit,
        limit: Limit,
    ) -> None:
        self._database = database
        self._clock = clock
        self.keys = SigningKeys(database)
        self.tokens = AccessTokens(self.keys, clock, issuer)
        self._issuer = actions.Issuer(database, self.tokens)
        self._authentication = Authentication(database, admission, clock, issuer)
        self._limits = {"token": token_limit, "revoke": limit, "introspect": limit}

    def handlers(self) -> list[HTTPRouteHandler]:
        endpoints = dict(zip(ENDPOINTS, (self._token, self._revoke, self._introspect), strict=True))
        return [
            *(
                raw_handler("POST", f"/oauth/{name}", self._serve(name, each))
                for name, each in endpoints.items()
            ),
            raw_handler("GET", "/oauth/jwks", self._published(self._jwks)),
            raw_handler("GET", "/.well-known/oauth-authorization-server", self._published(self._metadata)),
        ]

    async def _token(self, call: _Call) -> Any:
        if "grant_type" not in call.form:
            raise invalid_request("There is no grant_type.")
        if call.form["grant_type"] != _GRANT:
            raise OAuthError("unsupported_grant_type", "The grant_type is not client_credentials.")
        scopes = parse_scope(call.form, call.client.scopes)
        return await self._issuer.issue(call.client, scopes)

    async def _revoke(self, call: _Call) -> None:
        token = _token_of(call.form)
        async with self._transaction(call) as tx:
            await actions.revoke(tx, self.tokens, call.client.id, token)

    async def _introspect(self, call: _Call) -> Any:
        token, asked = _token_of(call.form), call.attempt.asked
        if asked is None:
            return Introspection(active=False)
        try:
            claims = await self.tokens.read(token)
        except Unauthenticated:
            return Introspection(active=False)
        return actions.describe(asked, claims, call.client, self.tokens.issuer, self._clock())

    async def _jwks(self) -> Any:
        return {"keys": await self.keys.published()}

    async def _metadata(self) -> Any:
        issuer = self.tokens.issuer
        signing = {"{}_endpoint_auth_signing_alg_values_supported": assertions.ALGORITHMS}
        methods = {"{}_endpoint_auth_methods_supported": _METHODS}
        return {
            "issuer": issuer,
            "token_endpoint": f"{issuer}/oauth/token",
            "revocation_endpoint": f"{issuer}/oauth/revoke",
            "introspection_endpoint": f"{issuer}/oauth/introspect",
            "jwks_uri": f"{issuer}/oauth/jwks",
            "scopes_supported": list(SCOPES),
            "response_types_supported": [],
            "grant_types_supported": [_GRANT],
            **{
                form.format(name): value
                for name in ("token", "revocation", "introspection")
                for form, value in (methods | signing).items()
            },
            "access_token_signing_alg_values_supported": [ALGORITHM],
            "service_documentation": f"{issuer}/docs",
        }

    def _serve(self, surface: str, endpoint: Endpoint) -> Any:
        async def serve(scope: Any, receive: Any, send: Any) -> None:
            headers = [_JSON, *_NO_STORE]
            try:
                call = await self._admit(surface, scope, receive)
                headers += call.attempt.usage.headers()
                if call.attempt.refusal:
                    raise call.attempt.refusal
                answer = await endpoint(call)
            except OAuthError as error:
                await _send(send, error.status, error.body(), [*headers, *_encoded(error.headers)])
            except Exception as error:
                told = failure(error)
                await _send(send, told.status, told.body(), [*headers, *_encoded(told.headers)])
            else:
                await _send(send, 200, answer, headers)

        return serve

    async def _admit(self, surface: str, scope: Any, receive: Any) -> _Call:
        form: Form = {}
        fault: OAuthError | None = None
        try:
            form = await _read_form(scope, receive)
        except OAuthError as error:
            fault = error
        asked = None
        if surface == "introspect" and "token" in form:
            # What is no token of ours is not looked for.
            with suppress(Unauthenticated):
                asked = await self.tokens.recognise(form["token"])
        sent = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
        address = scope["state"]["address"]
        attempt = await self._authentication.attempt(
            fault or form, sent, address, surface, self._limits[surface], asked
        )
        return _Call(attempt, form, address)

    def _transaction(self, call: _Call) -> Any:
        actor = Actor("oauth_client", str(call.client.id), call.address)
        return self._database.transaction(call.client.tenant_id, actor=actor)

    def _published(self, read: Callable[[], Awaitable[Any]]) -> Any:
        async def serve(_: Any, __: Any, send: Any) -> None:
            try:
                await _send(send, 200, await read(), [_JSON, *_PUBLIC])
            except Exception as error:
                told = failure(error)
                await _send(send, told.status, told.body(), [_JSON, *_NO_STORE, *_encoded(told.headers)])

        return serve


def failure(error: Exception) -> OAuthError:
    """A fault of ours, noted in the log without the words that may quote a row."""
    if isinstance(error, LOST):
        logs.note("database lost", error=logs.where(error))
        return OAuthError("temporarily_unavailable", "The service is not ready; try again.", retry_after="1")
    logs.failed("unexpected failure", error)
    return OAuthError("server_error", "Something failed on our side; try again.")


def refusal(status: int) -> OAuthError:
    """What the router refuses beneath /oauth."""
    return OAuthError("invalid_request", "This address does not take that request.", status)


def _token_of(form: Form) -> str:
    if "token" not in form:
        raise invalid_request("There is no token.")
    return form["token"]


async def _read_form(scope: Any, receive: Any) -> Form:
    """Raises OAuthError. What is in the address may be in a log, and is not taken."""
    if scope["query_string"]:
        raise invalid_request("Parameters belong into the body.")
    sent = dict(scope["headers"])
    media_type = sent.get(b"content-type", b"").partition(b";")[0].strip().lower()
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise invalid_request("The body is not whole.")
        body += message.get("body", b"")
        if len(body) > _MOST_BYTES:
            raise OAuthError("invalid_request", "The body is too large.", 413)
        more = message.get("more_body", False)
    if media_type != b"application/x-www-form-urlencoded":
        raise invalid_request("The body must be application/x-www-form-urlencoded.")
    return parse_form(bytes(body))


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _send(send: Any, status: int, answer: Any, headers: list[tuple[bytes, bytes]]) -> None:
    body = b"" if answer is None else to_json(answer)
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
