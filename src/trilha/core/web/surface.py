"""A surface: URL prefixes that share authentication, limits, headers and the form of errors.

A surface is declared as a value, as a route is. The gateway finds it by host and path, identifies and counts
once, catches once, and answers in the surface's form.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field

from trilha.core.web.answers import Headers, encoded
from trilha.core.web.callers import Anonymous, Caller, Identity, Limits, Presented
from trilha.core.web.errors import ENVELOPE, ErrorForm
from trilha.core.web.rate_limits import Hit
from trilha.core.web.request import Request
from trilha.core.web.router import Router
from trilha.core.web.routes import Route, Routes

# Checks a form that was sent, before it is read any further, and takes out the fields that served for that.
FormGuard = Callable[[Request, Caller, dict[str, Any]], None]


def any_form(request: Request, caller: Caller, fields: dict[str, Any]) -> None:
    """For surfaces whose callers no browser speaks for."""


def unlimited(request: Request, presented: Presented) -> Sequence[Hit]:
    return ()


class Surface(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """`prefixes` are where its paths begin, the first one being the usual; `""` makes it the fallback.

    `host` narrows it to hosts that this accepts. `https` says what meets a request without TLS where that is
    demanded: `required` refuses it, `redirect` leads it to the same address with TLS, `exempt` lets it in.
    `forms` is what a form has to pass, as against those that other sites' pages send. `idempotency` lets a
    POST be repeated by its Idempotency-Key. `headers` are on every answer. With `drops_blanks` an empty
    parameter of a query counts as left out, as browsers send those of filters that are not set. `health` is
    for who watches over the server: it has places of its own, which others do not fill. `noted` is told of
    every request that was answered, with its status, once it is known who sent it.
    """

    name: str
    prefixes: Sequence[str]
    features: Sequence[Routes]
    identity: Identity = field(default_factory=Anonymous)
    limits: Limits = unlimited
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

    @property
    def routes(self) -> list[Route]:
        return [route for feature in self.features for route in feature.all]

    @cached_property
    def router(self) -> Router:
        return Router(self.routes)

    @cached_property
    def encoded_headers(self) -> Headers:
        return encoded(self.headers)

    @cached_property
    def content_type(self) -> tuple[bytes, bytes]:
        return b"content-type", self.media_type.encode()

    def takes_idempotency_key(self, route: Route) -> bool:
        return self.idempotency and route.method == "POST" and route.needs_tx
