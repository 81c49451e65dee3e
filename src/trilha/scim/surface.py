"""/scim/v2 as a surface: who may call, what a call counts against, and how it is described."""

from collections.abc import Sequence

from msgspec import Struct

from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Unauthenticated
from trilha.core.openapi import Description
from trilha.core.web.bearer import TokenReader
from trilha.core.web.callers import Identity, Limits, Presented
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.surface import Surface
from trilha.scim import discovery, search, urns
from trilha.scim.errors import ScimErrors
from trilha.scim.groups import api as groups
from trilha.scim.request_log import RequestLog
from trilha.scim.tokens.rules import is_well_formed
from trilha.scim.users import api as users

PREFIX = "/scim/v2"
_INTRODUCTION = """\
Identity providers keep people and learning groups by SCIM 2.0 (RFC 7643 and 7644, pages by cursor as in
RFC 9865). A token belongs to one tenant: `Authorization: Bearer trl_scim_…`.

Attributes that are not listed here are passed over, so that providers may send what else they know.
"""


class ServerLimit(Struct, frozen=True):
    """How many requests there may be of a tenant that has no limit of its own."""

    limit: Limit


def token_reader(database: Database) -> TokenReader:
    """Only tokens of this surface: an API key or an access token is none."""

    async def read(token: str) -> PresentedCredential:
        if not is_well_formed(token):
            raise Unauthenticated("credential_invalid")
        return PresentedCredential(CredentialKind.SCIM_TOKEN, database.keyring.fingerprint(token))

    return read


def limits(usual: Limit) -> Limits:
    """By address. A tenant whose limit is raised has a count of its own at each address and token."""

    def of(request: Request, presented: Presented) -> Sequence[Hit]:
        by_address = f"scim:{request.counted_as}"
        if not presented.credentials:
            return [Hit(by_address, usual)]
        (credential,) = presented.credentials
        return [Hit(f"{by_address}:", usual, credential, otherwise=by_address, own_limit="limit")]

    return of


def surface(limits: Limits, identity: Identity, log: RequestLog | None = None) -> Surface:
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
    )


def description(scim: Surface, address: str) -> Description:
    return Description(
        title="Trilha SCIM 2.0",
        summary="People and learning groups, kept by an identity provider.",
        introduction=_INTRODUCTION,
        server=f"{address}{PREFIX}",
        surfaces=[scim],
        challenges=Unauthenticated.challenges,
        security_schemes={
            "scimToken": {"type": "http", "scheme": "bearer", "description": "A SCIM token of the tenant."}
        },
        security=lambda route: [{"scimToken": []}],
    )
