"""Calls to the provider when a person returns: tokens for the code, and the user info."""

import secrets
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote_plus
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jwt
from joserfc.jwk import RSAKey
from msgspec import Struct

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import rules
from trilha.access.sso.oidc.schema import Client
from trilha.core.outbound.fetching import Fetcher, FetchFailed, FetchResult

_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ASSERTION_LASTS = timedelta(minutes=1)
_KEY_BITS = 2048


class Tokens(Struct, frozen=True):
    """The provider's tokens. They are never shown or logged."""

    id_token: str
    access_token: str | None

    def __repr__(self) -> str:
        return "Tokens()"


async def redeem(
    fetcher: Fetcher,
    tenant_id: UUID,
    client: Client,
    *,
    code: str,
    verifier: str,
    redirect_uri: str,
    now: datetime,
) -> Tokens:
    """Redeems the code at the connection's token endpoint. Raises SignInRefused."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    headers, proof = _proof(client, now)
    try:
        answer = await fetcher.post(tenant_id, client.document.token_endpoint, form | proof, headers)
    except FetchFailed as error:
        raise SignInRefused("provider_unreachable", client.document.token_endpoint, str(error)) from None
    return _read_tokens(answer)


def _read_tokens(answer: FetchResult) -> Tokens:
    try:
        said = rules.read_object(answer.body)
    except rules.Unreadable:
        raise SignInRefused("token_refused", "JSON, status 200", f"status {answer.status}") from None
    if answer.status != 200:
        known = rules.name_error(said.get("error"))
        raise SignInRefused("token_refused", "status 200", f"status {answer.status}: {known}")
    token, access_token = said.get("id_token"), said.get("access_token")
    if not isinstance(token, str):
        raise SignInRefused("token_unreadable", "an id_token", "none")
    return Tokens(token, access_token if isinstance(access_token, str) else None)


def _proof(client: Client, now: datetime) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the headers and form fields that authenticate the client."""
    if client.auth_method == "client_secret_basic":
        # RFC 6749 section 2.3.1: each is form-encoded before they are joined by a colon.
        pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret)}"
        return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}, {}
    if client.auth_method == "client_secret_post":
        return {}, {"client_id": client.client_id, "client_secret": client.secret}
    assertion = _assertion(client, now)
    return {}, {
        "client_id": client.client_id,
        "client_assertion_type": _ASSERTION,
        "client_assertion": assertion,
    }


def _assertion(client: Client, now: datetime) -> str:
    """Builds a client assertion (RFC 7523). The key belongs to this connection alone, so no other
    provider accepts it.
    """
    # We made the key and stored it sealed; checking its primes again would take 40 ms of every sign-in.
    loaded = load_pem_private_key(client.secret.encode(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(loaded, RSAPrivateKey)
    key = RSAKey(loaded, client.secret)
    assert client.public_key is not None
    header = {"alg": "RS256", "typ": "JWT", "kid": client.public_key["kid"]}
    claims = {
        "iss": client.client_id,
        "sub": client.client_id,
        "aud": client.document.token_endpoint,
        "jti": secrets.token_urlsafe(16),
        "iat": int(now.timestamp()),
        "exp": int((now + _ASSERTION_LASTS).timestamp()),
    }
    return jwt.encode(header, claims, key, algorithms=["RS256"])


def make_key() -> tuple[str, dict[str, Any]]:
    """Returns a new private key as PEM, and its public part for the provider. Takes about 100 ms."""
    key = RSAKey.generate_key(_KEY_BITS, private=True)
    public: dict[str, Any] = dict(key.as_dict(private=False))
    public |= {"kid": key.thumbprint(), "use": "sig", "alg": "RS256"}
    return key.as_pem(private=True).decode(), public


async def read_person(
    fetcher: Fetcher, tenant_id: UUID, endpoint: str, access_token: str, subject: str
) -> Mapping[str, Any]:
    """Returns the user info of the person who is signing in. Raises SignInRefused."""
    headers = {"Authorization": f"Bearer {access_token}", "Accept": "application/json"}
    try:
        answer = await fetcher.get(tenant_id, endpoint, headers)
        said = rules.read_object(answer.body)
    except FetchFailed as error:
        raise SignInRefused("userinfo_failed", endpoint, str(error)) from None
    except rules.Unreadable:
        raise SignInRefused("userinfo_failed", "a JSON object", f"status {answer.status}") from None
    if answer.status != 200:
        raise SignInRefused("userinfo_failed", "status 200", f"status {answer.status}")
    if said.get("sub") != subject:
        raise SignInRefused("userinfo_subject", "the subject of the token", "another")
    return said
