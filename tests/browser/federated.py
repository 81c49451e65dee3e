"""Single sign-on data for a company whose pages are checked."""

from typing import Any

from access.sso.saml.provider import new_key
from trilha.access.sso import queries, sign_ins
from trilha.access.sso.domains import actions as domains
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import actions as oidc
from trilha.access.sso.oidc.schema import Document, NewOidcConnection, Provider
from trilha.access.sso.saml import actions as saml
from trilha.access.sso.saml.metadata import ProviderMetadata
from trilha.access.sso.saml.schema import NewSamlConnection
from trilha.access.sso.schema import Step
from trilha.core.database import Tx
from trilha.core.web.parsing import convert


async def federate(tx: Tx, names: tuple[str, str] = ("Entra ID", "AD FS")) -> None:
    """Creates two domains, a disabled connection of each kind, and a sign-in log."""
    stem = f"{tx.tenant_id.hex}.example.com"
    verified = await domains.claim(tx, stem)
    await domains.assume_verified(tx, verified.id)
    await domains.claim(tx, f"{'comprido.' * 12}{stem}")
    issuer = f"https://login.{stem}"
    document = Document(
        authorization_endpoint=f"{issuer}/authorize",
        token_endpoint=f"{issuer}/token",
        jwks_uri=f"{issuer}/keys",
    )
    raw: dict[str, Any] = {"issuer": issuer, "client_id": "trilha", "client_secret": "secret"}
    raw |= {"name": names[0], "domains": [stem]}
    new = convert(NewOidcConnection, raw, tx.today)
    by_oidc = (await oidc.create(tx, new, Provider(issuer, document, [], None))).connection
    found = ProviderMetadata(
        f"{issuer}/entity", f"{issuer}/sso", f"{issuer}/slo", None, (new_key().pem,), False
    )
    raw = {"name": names[1], "domains": [stem], "metadata_url": f"{issuer}/metadata"}
    by_saml = (await saml.create(tx, convert(NewSamlConnection, raw, tx.today), found)).connection
    await queries.put_alert(tx, by_saml.id, "certificate", "2026-12-24T12:00:00.000Z")
    refused = SignInRefused("domain_not_of_connection", stem, f"{'outra-empresa.' * 6}example.org")
    await sign_ins.record(tx, by_oidc.id, "REFUSED", refused=refused)
    await sign_ins.record(tx, by_oidc.id, "SIGNED_IN")
    late = SignInRefused("token_expired", "exp after 1795362000", "1795358400")
    trace = [Step("answer", True), Step("key", True, "kid 2026-11"), Step("token_expired", False, "…")]
    await sign_ins.record(tx, by_oidc.id, "TESTED", refused=late, trace=trace)
