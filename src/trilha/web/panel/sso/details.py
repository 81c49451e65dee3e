"""What differs between kinds of connections, and the addresses to enter at the provider."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from trilha.access.sso.oidc import queries as oidc
from trilha.access.sso.oidc.schema import OidcDetail
from trilha.access.sso.saml import queries as saml
from trilha.access.sso.saml.certificates import fingerprint, load_certificate
from trilha.access.sso.saml.schema import OwnAddresses, SamlDetail
from trilha.access.sso.schema import Connection
from trilha.core.database import Tx
from trilha.core.types import Timestamp

CALLBACK = "/api/sso/oidc/callback"


class Certificate(Struct, frozen=True):
    """`fingerprint` is the SHA-256 in pairs of digits."""

    fingerprint: str
    expires_at: Timestamp
    expired: bool


class Detail(Struct, frozen=True):
    """`given` are the addresses to enter at the provider, by their names in guides."""

    given: dict[str, str]
    oidc: OidcDetail | None = None
    saml: SamlDetail | None = None
    certificates: Sequence[Certificate] = ()


async def detail_of(tx: Tx, connection: Connection, address: str) -> Detail:
    if connection.kind == "OIDC":
        return Detail(list_addresses(connection, address), oidc=await oidc.get(tx, connection.id))
    detail = await saml.get(tx, connection.id)
    certificates = [_certificate(each, tx.now) for each in detail.certificates]
    return Detail(list_addresses(connection, address), saml=detail, certificates=certificates)


def list_addresses(connection: Connection, address: str) -> dict[str, str]:
    if connection.kind == "OIDC":
        return {"callback": f"{address}{CALLBACK}"}
    own = OwnAddresses.of(address, connection.id)
    return {"entity_id": own.entity_id, "acs": own.acs_url, "slo": own.slo_url, "metadata": own.entity_id}


def _certificate(text: str, now: datetime) -> Certificate:
    found = load_certificate(text)
    ends = found.not_valid_after_utc
    pairs = fingerprint(found).upper()
    spelled = ":".join(pairs[n : n + 2] for n in range(0, len(pairs), 2))
    return Certificate(spelled, Timestamp.of(ends), ends <= now)
