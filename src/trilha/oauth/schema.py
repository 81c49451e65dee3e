"""OAuth clients as the command line and the panel show them, and what /oauth answers."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.credentials import Credential, CredentialKind, Scope
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.oauth.rules import client_name


class OAuthClient(Struct, frozen=True):
    id: UUID
    name: str
    scopes: list[str]
    networks: str
    disabled_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

    def shown(self, **more: Any) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__struct_fields__}
        return {"id": plain.pop("id"), "client_id": client_name(self.id), **more, **plain}


class KnownClient(OAuthClient, frozen=True):
    """`public_keys` is the JWK set of a client that signs, which has no secret."""

    public_keys: dict[str, Any] | None

    @property
    def key_names(self) -> list[str]:
        """What its keys are told apart by: their `kid`, where they have one."""
        return [str(key.get("kid") or key.get("kty")) for key in (self.public_keys or {}).get("keys", [])]


class ClientQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of the name. Without `state` there are all."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: Literal["live", "disabled"] | None = None
    sort: Literal["created", "-created", "name", "-name"] = "-created"


class IssuedSecret(Struct, frozen=True):
    """A client with its secret, shown this once. None for a client that signs instead."""

    client: OAuthClient
    secret: str | None
    previous_expires_at: Timestamp | None = None

    def shown(self) -> dict[str, Any]:
        more = {"client_secret": self.secret} if self.secret else {}
        if self.previous_expires_at:
            more["previous_expires_at"] = self.previous_expires_at
        return self.client.shown(**more)


class NewToken(Struct, frozen=True):
    """An access token that is signed and not yet stored."""

    jti: UUID
    tenant_id: UUID
    client_id: UUID
    kid: str
    scope: str


_SCOPE = "|".join(map(re.escape, Scope))
_SCOPES = {"pattern": f"^(({_SCOPE})( ({_SCOPE}))*)?$"}
_SCOPE_MEANS = "Separated by spaces; all of the client's if left out."
_GRANTS = {"enum": ["client_credentials"]}
# A field that is empty counts as left out.
_GIVEN = {"minLength": 1, **STORABLE}
FormText = Annotated[str, Meta(extra_json_schema=STORABLE)]
Token = Annotated[
    str, Meta(extra_json_schema=_GIVEN, examples=["eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ0cmwifQ.c2ln"])
]
ScopeNames = Annotated[
    str, Meta(description=_SCOPE_MEANS, extra_json_schema=_SCOPES, examples=["users:read"])
]


class ClientForm(Struct, frozen=True, kw_only=True):
    """A client that does not authenticate by the Authorization header does so here."""

    client_id: FormText | None = None
    client_secret: FormText | None = None
    client_assertion_type: FormText | None = None
    client_assertion: FormText | None = None


class TokenRequest(ClientForm, frozen=True, kw_only=True):
    """What /oauth/token is sent. Other fields are passed over (RFC 6749 section 3.2).

    A client that does not authenticate by the Authorization header does so here.
    """

    grant_type: Annotated[str, Meta(extra_json_schema=_GRANTS, examples=["client_credentials"])]
    scope: ScopeNames | None = None


class TokenQuestion(ClientForm, frozen=True, kw_only=True):
    """What /oauth/revoke and /oauth/introspect are sent."""

    token: Token
    token_type_hint: FormText | None = None


class TokenAnswer(Struct, frozen=True):
    """RFC 6749 section 5.1. `expires_in` is in seconds."""

    access_token: Token
    token_type: Annotated[str, Meta(examples=["Bearer"])]
    expires_in: Annotated[int, Meta(examples=[3600])]
    scope: Annotated[str, Meta(examples=["users:read"])]


class Introspection(Struct, frozen=True):
    """RFC 7662 section 2.2. Of a token that is not active nothing else is told. Times are in Unix seconds."""

    active: bool
    scope: str | UnsetType = UNSET
    client_id: str | UnsetType = UNSET
    token_type: str | UnsetType = UNSET
    exp: int | UnsetType = UNSET
    iat: int | UnsetType = UNSET
    sub: str | UnsetType = UNSET
    aud: str | UnsetType = UNSET
    iss: str | UnsetType = UNSET
    jti: str | UnsetType = UNSET


class JwkSet(Struct, frozen=True):
    """RFC 7517 section 5."""

    keys: list[dict[str, Any]]


class ServerMetadata(Struct, frozen=True, kw_only=True):
    """RFC 8414 section 2."""

    issuer: str
    token_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    jwks_uri: str
    scopes_supported: Sequence[str]
    response_types_supported: Sequence[str]
    grant_types_supported: Sequence[str]
    token_endpoint_auth_methods_supported: Sequence[str]
    revocation_endpoint_auth_methods_supported: Sequence[str]
    introspection_endpoint_auth_methods_supported: Sequence[str]
    token_endpoint_auth_signing_alg_values_supported: Sequence[str]
    revocation_endpoint_auth_signing_alg_values_supported: Sequence[str]
    introspection_endpoint_auth_signing_alg_values_supported: Sequence[str]
    access_token_signing_alg_values_supported: Sequence[str]
    service_documentation: str


class SigningClient(Struct, frozen=True):
    """A client that proves who it is with assertions, and the keys they are checked with."""

    id: UUID
    tenant_id: UUID
    tenant_active: bool
    scopes: list[str]
    networks: str
    public_keys: dict[str, Any]
    disabled_at: str | None

    def as_credential(self) -> Credential:
        """Once it has proven itself: what a client with a secret is, too."""
        return Credential(
            kind=CredentialKind.CLIENT_SECRET,
            key=b"",
            id=self.id,
            tenant_id=self.tenant_id,
            tenant_active=self.tenant_active,
            scopes=self.scopes,
            networks=self.networks,
            expires_at=None,
            secret_expires_at=None,
            revoked_at=self.disabled_at,
        )


class StoredSigningKey(Struct, frozen=True):
    """A key that access tokens are signed with, its private part sealed."""

    number: int
    kid: str
    private: bytes
    public: dict[str, Any]
    signs_from: str
    created_at: str
