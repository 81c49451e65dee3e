"""The surface /scim/v2: its callers, limits and description."""

from collections.abc import Sequence

from trilha.access.scim import discovery, search, urns
from trilha.access.scim.answers import PREFIX
from trilha.access.scim.errors import ScimErrors
from trilha.access.scim.groups import api as groups
from trilha.access.scim.request_log import RequestLog
from trilha.access.scim.tokens.rules import is_well_formed
from trilha.access.scim.users import api as users
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Unauthenticated
from trilha.core.openapi import Description
from trilha.core.web.bearer import TokenReader
from trilha.core.web.callers import Identity, Limits, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.surface import Meter, Surface

_INTRODUCTION = """\
Let your identity provider manage people and learning groups with SCIM 2.0 (RFC 7643 and 7644; pages by cursor
as in RFC 9865). A token belongs to one tenant. Send it as `Authorization: Bearer trl_scim_…`.

Attributes that are not listed here are ignored, so your provider may send more than these.
"""


def token_reader(database: Database) -> TokenReader:
    """Returns a reader that accepts only SCIM tokens, not API keys or access tokens."""

    async def read(token: str) -> PresentedCredential:
        if not is_well_formed(token):
            raise Unauthenticated("credential_invalid")
        return PresentedCredential(CredentialKind.SCIM_TOKEN, database.keyring.fingerprint(token))

    return read


def limits(default: Limit) -> Limits:
    """Counts requests by address. A tenant with its own limit has a separate counter per address and
    token.
    """

    def of(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        by_address = f"scim:{request.counted_as}"
        if not presented.credentials:
            return [Hit(by_address, default)]
        (credential,) = presented.credentials
        return [Hit(f"{by_address}:", default, credential, otherwise=by_address, own_limit="limit")]

    return of


def surface(
    limits: Limits, identity: Identity, log: RequestLog | None = None, meter: Meter | None = None
) -> Surface:
    return Surface(
        name="scim",
        prefixes=[PREFIX],
        features=[users.routes, groups.routes, search.routes, discovery.routes, search.missing],
        identity=identity,
        limits=limits,
        errors=ScimErrors(),
        media_type=urns.MEDIA_TYPE,
        headers={"cache-control": "no-store"},
        noted=log.note if log else None,
        meter=meter,
    )


def description(scim: Surface, address: str) -> Description:
    return Description(
        title="Trilha SCIM 2.0",
        summary="People and learning groups, managed by your identity provider.",
        introduction=_INTRODUCTION,
        server=f"{address}{PREFIX}",
        surfaces=[scim],
        challenges=Unauthenticated.challenges,
        security_schemes={
            "scimToken": {"type": "http", "scheme": "bearer", "description": "A SCIM token of the tenant."}
        },
        security=lambda route: [{"scimToken": []}],
    )
