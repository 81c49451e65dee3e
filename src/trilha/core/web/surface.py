"""A surface: URL prefixes that share authentication, limits, headers and the error format.

A surface is declared as a value, like a route. The gateway finds it by host and path, identifies and
counts once, and answers in the surface's format.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct, field

from trilha.core.web.answers import Headers, encode_headers
from trilha.core.web.callers import Anonymous, Caller, Identity, Limits, RequestCredentials
from trilha.core.web.errors import ENVELOPE, ErrorForm
from trilha.core.web.rate_limits import Hit
from trilha.core.web.request import Request
from trilha.core.web.router import Router
from trilha.core.web.routes import Route, Routes

# Checks a form before it is read further, and removes the fields that served for that.
FormGuard = Callable[[Request, Caller, dict[str, Any]], None]

# Counts a call of a tenant. Raises Failure if the tenant may make no more.
Meter = Callable[[UUID], None]


def any_form(request: Request, caller: Caller, fields: dict[str, Any]) -> None:
    """Accepts any form, for surfaces that browsers do not authenticate to."""


def meter_nothing(tenant_id: UUID) -> None:
    """Counts no call, for descriptions of metered surfaces."""


def count_nothing(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
    return ()


class Surface(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A part of the server. The first of its `prefixes` is the main one; `""` makes it the fallback.

    `host` restricts it to matching hosts. `https` decides about requests without TLS if TLS is demanded:
    `required` refuses them, `redirect` redirects to the same URL with TLS, `exempt` accepts them. `forms`
    protects forms against other sites. `idempotency` lets a POST be repeated with its Idempotency-Key.
    `headers` are on every response. With `drops_blanks`, empty query parameters count as left out, because
    browsers send those of unused filters. `health` is for monitoring and has separate places that other
    requests cannot fill. `noted` is called after every response whose caller is known, with its status.
    `meter` counts each call of an identified tenant, and raises Failure if its calls are used up.
    """

    name: str
    prefixes: Sequence[str]
    features: Sequence[Routes]
    identity: Identity = field(default_factory=Anonymous)
    limits: Limits = count_nothing
    forms: FormGuard = any_form
    errors: ErrorForm = ENVELOPE
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    https: Literal["required", "redirect", "exempt"] = "required"
    host: Callable[[str], bool] | None = None
    idempotency: bool = False
    drops_blanks: bool = False
    health: bool = False
    noted: Callable[[Request, Caller, int], None] | None = None
    meter: Meter | None = None

    @property
    def routes(self) -> list[Route]:
        return [route for feature in self.features for route in feature.all]

    @cached_property
    def router(self) -> Router:
        return Router(self.routes)

    @cached_property
    def encoded_headers(self) -> Headers:
        return encode_headers(self.headers)

    @cached_property
    def content_type(self) -> tuple[bytes, bytes]:
        return b"content-type", self.media_type.encode()

    def takes_idempotency_key(self, route: Route) -> bool:
        return self.idempotency and route.method == "POST" and route.needs_tx
