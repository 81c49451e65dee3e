"""The OpenAPI description of each API, by the address that serves it."""

from collections.abc import Callable, Sequence
from typing import Any

from trilha import __version__
from trilha.access.oauth.authentication import ClientLimits
from trilha.core.openapi import describe
from trilha.core.web.callers import Anonymous
from trilha.core.web.surface import count_nothing, meter_nothing
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.surfaces import api, oauth, scim, v1


def describers(features: Sequence[Feature], settings: Settings) -> dict[str, Callable[[], dict[str, Any]]]:
    """Returns a function for each description, because building one is slow."""
    nobody, address = Anonymous(), settings.address
    limits = ClientLimits(settings.limit_v1, settings.limit_token)
    return {
        "/openapi.json": lambda: describe(
            v1.description(v1.surface(features, settings, nobody, meter_nothing), settings), __version__
        ),
        "/api/openapi.json": lambda: describe(
            api.description(api.surface(features, count_nothing, nobody), address), __version__
        ),
        "/oauth/openapi.json": lambda: describe(
            oauth.description(oauth.surfaces(limits, nobody), address), __version__
        ),
        "/scim/openapi.json": lambda: describe(
            scim.description(scim.surface(count_nothing, nobody), address), __version__
        ),
    }
