"""The OpenAPI description of /oauth."""

from collections.abc import Sequence

from trilha.core.openapi import Description
from trilha.core.web.callers import Public
from trilha.core.web.surface import Surface
from trilha.oauth.errors import CHALLENGE

_INTRODUCTION = """\
Access tokens for machines, by the client credentials grant of OAuth 2.0.

A client proves who it is in one of three ways: its id and secret by HTTP Basic, both in the form, or a signed
assertion (private_key_jwt). Forms go in, JSON comes out, and errors have the form of RFC 6749.
"""


def description(surfaces: Sequence[Surface], address: str) -> Description:
    """`address` is how the outside reaches the server."""
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
        # A client may authenticate in the form instead, which is no scheme of OpenAPI's.
        security=lambda route: [] if isinstance(route.access, Public) else [{"clientBasic": []}, {}],
    )
