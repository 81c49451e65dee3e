"""/api as a surface: JSON for people who are signed in, and how it is described."""

from collections.abc import Sequence

from trilha.core.openapi import Description
from trilha.core.web.callers import Identity, Limits, Public
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface

_INTRODUCTION = """\
JSON for one person's own browser or app. Sign in with `POST /api/auth/login`; the session's token is answered
and set as a cookie. Send it as the cookie, or as `Authorization: Bearer`.

Requests that change something are refused (403 `cross_site_request`) where the browser says, in
`Sec-Fetch-Site` or `Origin`, that another site's page sent them: signing in, too. With the cookie, a browser
has to say that the page is ours. Clients that are no browsers and send a token in the header are not asked.
"""


def surface(features: Sequence[Routes], limits: Limits, identity: Identity) -> Surface:
    return Surface(
        name="api",
        prefixes=["/api"],
        features=features,
        identity=identity,
        limits=limits,
        headers={"cache-control": "no-store"},
    )


def description(api: Surface, address: str) -> Description:
    return Description(
        title="Trilha for people",
        summary="Signing in, and what a person may see and do of their own.",
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
