"""/oauth as a surface, and what it publishes under /.well-known."""

from collections.abc import Sequence

from trilha.access.oauth import api
from trilha.access.oauth.authentication import ClientLimits
from trilha.access.oauth.errors import CHALLENGE, CONTENT_TYPE, OAuthErrors
from trilha.core.openapi import Description
from trilha.core.web.callers import Identity, Public
from trilha.core.web.surface import Surface

_NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
_INTRODUCTION = """\
Get access tokens for your integration with the client credentials grant of OAuth 2.0.

A client authenticates in one of three ways: with its ID and secret by HTTP Basic, with both in the form, or
with a signed assertion (private_key_jwt). Requests are forms, responses are JSON, and errors follow RFC 6749.
"""


def surfaces(limits: ClientLimits, identity: Identity) -> Sequence[Surface]:
    return (
        Surface(
            name="oauth",
            prefixes=["/oauth"],
            features=[api.routes],
            identity=identity,
            limits=limits,
            errors=OAuthErrors(),
            media_type=CONTENT_TYPE,
            headers=_NO_STORE,
        ),
        Surface(
            name="well-known",
            prefixes=["/.well-known"],
            features=[api.metadata],
            limits=limits,
            media_type=CONTENT_TYPE,
        ),
    )


def description(surfaces: Sequence[Surface], address: str) -> Description:
    """Builds the description. `address` is the server's public address."""
    return Description(
        title="Trilha OAuth 2.0",
        summary="Access tokens for machines.",
        introduction=_INTRODUCTION,
        server=address,
        surfaces=surfaces,
        challenges=[CHALLENGE],
        security_schemes={
            "clientBasic": {
                "type": "http",
                "scheme": "basic",
                "description": "The client_id and the client_secret, each form-encoded.",
            }
        },
        # OpenAPI has no scheme for credentials in a form, so authentication is optional here.
        security=lambda route: [] if isinstance(route.access, Public) else [{"clientBasic": []}, {}],
    )
