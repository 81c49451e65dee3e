"""The surface /api: JSON for signed-in people, and its description."""

from collections.abc import Iterable

from trilha.core.openapi import Description
from trilha.core.web.callers import Identity, Limits, Public
from trilha.core.web.surface import Surface
from trilha.feature import Feature

_INTRODUCTION = """\
Build an app for learners: a JSON API for one signed-in person. Sign in with `POST /api/auth/login`, which
returns a session token and sets it as a cookie. Send it as the cookie, or as `Authorization: Bearer`.

Requests that change something, including sign-in, are refused (403 `cross_site_request`) if the browser's
`Sec-Fetch-Site` or `Origin` header says that another website sent them. With the cookie, one of these headers
must name this server. Clients other than browsers that send the token in the header need neither.
"""


def surface(features: Iterable[Feature], limits: Limits, identity: Identity) -> Surface:
    return Surface(
        name="api",
        prefixes=["/api"],
        features=[routes for feature in features for routes in feature.api],
        identity=identity,
        limits=limits,
        headers={"cache-control": "no-store"},
    )


def description(api: Surface, address: str) -> Description:
    return Description(
        title="Trilha for people",
        summary="Sign-in, and the courses of the signed-in person.",
        introduction=_INTRODUCTION,
        server=f"{address}/api",
        surfaces=[api],
        challenges=("Bearer", 'Bearer error="invalid_token"'),
        security_schemes={
            "session": {"type": "http", "scheme": "bearer", "description": "A session's token."},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "__Host-trilha_session"},
        },
        security=lambda route: [] if isinstance(route.access, Public) else [{"session": []}, {"cookie": []}],
        shared_failures={
            408: "TimedOut",
            413: "TooLarge",
            415: "UnsupportedMediaType",
            429: "RateLimited",
            500: "Failed",
            503: "Unavailable",
        },
    )
