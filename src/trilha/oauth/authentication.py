"""Who calls /oauth: one of three ways to prove it, and the count of the tries."""

import hmac
from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import Clock
from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Forbidden, Unauthenticated
from trilha.core.net import parse_address
from trilha.core.web.admission import Admission
from trilha.core.web.hits import Hit
from trilha.core.web.limits import Limit, Usage
from trilha.oauth import assertions, queries, unscoped
from trilha.oauth.errors import OAuthError, invalid_client, invalid_request
from trilha.oauth.rules import client_name, parse_basic, parse_client_name


class Proof(Struct, frozen=True):
    """What a client sent to prove who it is: a secret or an assertion."""

    client_id: UUID | None  # None where the name cannot be one of ours
    secret: str | None = None
    assertion: str | None = None


class Attempt(Struct, frozen=True):
    """How it came out, and how the caller stands against its limit. `asked` is the token it asks about."""

    usage: Usage
    client: Credential | None
    refusal: OAuthError | None
    asked: Credential | None


class Authentication:
    def __init__(self, database: Database, admission: Admission, clock: Clock, issuer: str) -> None:
        self._database = database
        self._admission = admission
        self._clock = clock
        self._issuer = issuer

    async def attempt(
        self,
        form: Mapping[str, str] | OAuthError,
        authorization: Sequence[str],
        address: str,
        bucket: str,
        limit: Limit,
        asked: PresentedCredential | None = None,
    ) -> Attempt:
        """Counts the request by address and by the client it names, whatever else is wrong with it."""
        proof: Proof | None = None
        try:
            if isinstance(form, OAuthError):
                raise form
            proof, refusal = read_proof(form, authorization), None
        except OAuthError as error:
            refusal = error
        counted = [Hit(f"{bucket}:{address}", limit)]
        if proof and proof.client_id:
            counted.append(Hit(f"{bucket}:{proof.client_id}", limit))
        shown = None
        if proof and proof.secret:
            fingerprint = self._database.keyring.fingerprint(proof.secret)
            shown = PresentedCredential(CredentialKind.CLIENT_SECRET, fingerprint)
        admitted = await self._admission.admit([each for each in (shown, asked) if each], counted)
        assert admitted.usage is not None
        if admitted.usage.exceeded:
            refusal = OAuthError("temporarily_unavailable", "Too many requests; wait for the reset.", 429)
        client = None
        if refusal is None and proof is not None:
            try:
                client = (
                    await self._by_assertion(proof)
                    if proof.assertion
                    else self._by_secret(proof, shown, admitted.found.get(shown) if shown else None)
                )
                self._may(client, address)
            except OAuthError as error:
                refusal = error
        return Attempt(admitted.usage, client, refusal, admitted.found.get(asked) if asked else None)

    def _by_secret(
        self, proof: Proof, shown: PresentedCredential | None, found: Credential | None
    ) -> Credential:
        # An unknown client and a wrong secret take the same look-up and the same comparisons.
        known = hmac.compare_digest(found.key if found else b"", shown.key if shown else b"-")
        named = hmac.compare_digest(str(found.id if found else ""), str(proof.client_id))
        if not (found and known and named):
            raise invalid_client()
        return found

    async def _by_assertion(self, proof: Proof) -> Credential:
        if proof.client_id is None or proof.assertion is None:
            raise invalid_client()
        async with self._database.unscoped() as statements:
            client = await unscoped.find_signing_client(statements, proof.client_id)
        if client is None:
            raise invalid_client()
        name, now = client_name(client.id), self._clock()
        good = assertions.check(proof.assertion, name, client.public_keys, self._issuer, now)
        if good is None:
            raise invalid_client()
        async with self._database.transaction(client.tenant_id) as tx:
            if not await queries.use_assertion(tx, client.id, good.digest, good.expires_at):
                raise invalid_client()
        return Credential(
            kind=CredentialKind.CLIENT_SECRET,
            key=b"",
            id=client.id,
            tenant_id=client.tenant_id,
            tenant_active=client.tenant_active,
            scopes=client.scopes,
            networks=client.networks,
            expires_at=None,
            secret_expires_at=None,
            revoked_at=client.disabled_at,
        )

    def _may(self, client: Credential, address: str) -> None:
        try:
            known = parse_address(address)
            assert known is not None
            client.check(known, self._clock())
        except Unauthenticated:
            raise invalid_client() from None
        except Forbidden:
            raise OAuthError("unauthorized_client", "The client may not call from this address.") from None


def read_proof(form: Mapping[str, str], authorization: Sequence[str]) -> Proof:
    """Exactly one way (RFC 6749 section 2.3). Raises OAuthError."""
    ways = [bool(authorization), "client_secret" in form, "client_assertion" in form]
    if len(authorization) > 1 or sum(ways) > 1:
        raise invalid_request("Use one way to authenticate the client.")
    if not any(ways):
        raise invalid_client()
    if authorization:
        name, secret = parse_basic(authorization[0])
        if form.get("client_id", name) != name:
            raise invalid_request("The client_id is not that of the Authorization header.")
        return Proof(parse_client_name(name), secret=secret)
    if "client_assertion" in form:
        if form.get("client_assertion_type") != assertions.TYPE:
            raise invalid_request("The client_assertion_type is not one that is taken.")
        client_id = assertions.claimed_client(form["client_assertion"])
        if "client_id" in form and parse_client_name(form["client_id"]) != client_id:
            raise invalid_client()
        return Proof(client_id, assertion=form["client_assertion"])
    if "client_id" not in form:
        raise invalid_client()
    return Proof(parse_client_name(form["client_id"]), secret=form["client_secret"])
