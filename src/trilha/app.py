"""Settings to pools to surfaces. The only module that knows every feature."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from litestar import Litestar, Request, Response
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler

from trilha import reference
from trilha.api_keys.rules import is_well_formed
from trilha.api_keys.unscoped import LOOKUP as API_KEY
from trilha.certificates.api import routes as certificates
from trilha.core import openapi
from trilha.core.clock import Clock, system_clock
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.database import LOST, Database
from trilha.core.errors import ApiError, Unauthenticated
from trilha.core.types import to_json
from trilha.core.web.admission import Admission
from trilha.core.web.gateway import Gateway, Recogniser, failure
from trilha.core.web.routes import Route, Routes, as_api_error, bind
from trilha.courses.api import routes as courses
from trilha.enrollments.api import routes as enrollments
from trilha.events.api import routes as events
from trilha.oauth.api import ENDPOINTS, OAuth, refusal
from trilha.oauth.tokens import AccessTokens, looks_like_one
from trilha.oauth.unscoped import ACCESS_TOKEN, CLIENT_SECRET
from trilha.reports.api import routes as reports
from trilha.settings import Settings
from trilha.users.api import routes as users
from trilha.webhooks.api import routes as webhooks

FEATURES: tuple[Routes, ...] = (users, courses, enrollments, certificates, reports, events, webhooks)


def all_routes() -> list[Route]:
    return [route for feature in FEATURES for route in feature.all]


def create_app(settings: Settings, database: Database, clock: Clock = system_clock) -> Any:
    """The ASGI application. It opens the database when it starts and closes it when it stops."""
    routes = all_routes()
    admission = Admission(database, (API_KEY, CLIENT_SECRET, ACCESS_TOKEN))
    oauth = OAuth(
        database,
        admission,
        clock,
        issuer=settings.address,
        token_limit=settings.limit_token,
        limit=settings.limit_v1,
    )
    description = to_json(openapi.describe(FEATURES, settings.address))
    litestar = Litestar(
        route_handlers=[
            _options(routes),  # first, or the router makes its own, which know one method each
            *(bind(route, database, "/v1", [settings.guard]) for route in routes),
            *oauth.handlers(),
            *_health(database),
            *reference.handlers(description),
        ],
        on_startup=[database.open],
        on_shutdown=[database.close],
        exception_handlers={Exception: _error_handler(routes)},
        openapi_config=None,
        logging_config=None,
    )
    return Gateway(
        litestar,
        admission,
        _recogniser(settings, database, oauth.tokens),
        clock,
        limit=settings.limit_v1,
        verify_limit=settings.limit_verify,
        limit_key=settings.limit_key,
        trusted_proxies=settings.trusted_proxies,
        https_only=settings.env == "production",
    )


def _recogniser(settings: Settings, database: Database, tokens: AccessTokens) -> Recogniser:
    async def recognise(token: str) -> PresentedCredential:
        if is_well_formed(token, settings.api_key_prefix):
            fingerprint = database.keyring.fingerprint(token)
            return PresentedCredential(CredentialKind.API_KEY, fingerprint)
        if looks_like_one(token):
            return await tokens.recognise(token)
        raise Unauthenticated("credential_invalid")

    return recognise


def _error_handler(routes: Sequence[Route]) -> Callable[[Request[Any, Any, Any], Exception], Response[bytes]]:
    allowed = _methods_by_path(routes)

    def answer(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        told: ApiError = as_api_error(error) or failure(error)
        headers = dict(told.headers)
        if told.status == 405:
            headers["allow"] = allowed(request.scope["path"])
        if request.scope["path"].startswith("/oauth/"):
            return _refused_by_oauth(told.status, headers)
        return Response(
            to_json(told.body(request.scope["state"]["request_id"])),
            status_code=told.status,
            media_type="application/json",
            headers=headers,
        )

    return answer


def _refused_by_oauth(status: int, headers: dict[str, str]) -> Response[bytes]:
    body = to_json(refusal(status).body())
    headers |= {"cache-control": "no-store", "pragma": "no-cache"}
    return Response(body, status_code=status, media_type="application/json;charset=UTF-8", headers=headers)


def _methods_by_path(routes: Sequence[Route]) -> Callable[[str], str]:
    table: dict[str, set[str]] = {f"/oauth/{name}": {"POST"} for name in ENDPOINTS}
    # Addresses spelled out come before those with a parameter, as they do in the router.
    for route in sorted(routes, key=lambda each: "{" in each.path):
        pattern = re.sub(r"\{\w+\}", "[^/]+", f"/v1{route.path}")
        table.setdefault(pattern, set()).add(route.method)

    def allowed(path: str) -> str:
        path = path.rstrip("/")
        found = (methods for pattern, methods in table.items() if re.fullmatch(pattern, path))
        methods = next(found, {"GET"})
        return ", ".join(sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())))

    return allowed


def _options(routes: Sequence[Route]) -> HTTPRouteHandler:
    allowed = _methods_by_path(routes)

    async def options(request: Request[Any, Any, Any]) -> Response[None]:
        return Response(None, status_code=204, headers={"allow": allowed(request.scope["path"])})

    paths = sorted({"/v1" + route.path.replace("}", ":str}") for route in routes})
    return HTTPRouteHandler(paths, http_method=HttpMethod.OPTIONS, include_in_schema=False)(options)


def _health(database: Database) -> list[HTTPRouteHandler]:
    async def livez() -> Response[bytes]:
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def readyz() -> Response[bytes]:
        try:
            async with database.unscoped() as unscoped:
                await unscoped.value("SELECT 1")
        except LOST:
            body = b'{"status":"unavailable","reason":"database"}'
            return Response(body, status_code=503, media_type="application/json")
        return Response(b'{"status":"ok"}', media_type="application/json")

    return [
        HTTPRouteHandler("/livez", http_method=["GET"], include_in_schema=False)(livez),
        HTTPRouteHandler("/readyz", http_method=["GET"], include_in_schema=False)(readyz),
    ]
