"""/oauth as a surface, and what it publishes under /.well-known."""

from collections.abc import Sequence

from trilha.core.web.callers import Identity
from trilha.core.web.surface import Surface
from trilha.oauth import api
from trilha.oauth.authentication import ClientLimits
from trilha.oauth.errors import CONTENT_TYPE, OAuthErrors

_NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}


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
