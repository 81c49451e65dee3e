"""Structs of OpenID Connect connections."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.access.sso.domains.schema import DomainName
from trilha.access.sso.schema import Attributes, Connection, Units
from trilha.core.types import STORABLE, Name, Timestamp
from trilha.platform.tenants.schema import TypedSlug

AuthMethod = Literal["client_secret_basic", "client_secret_post", "private_key_jwt"]
_Text = Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]


class Document(Struct, frozen=True, kw_only=True):
    """The used parts of a discovery document. `answers_name_issuer`: answers contain their issuer (RFC
    9207).
    """

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    answers_name_issuer: bool = False


class Provider(Struct, frozen=True):
    """What a provider publishes about itself."""

    issuer: str
    document: Document
    keys: list[dict[str, Any]]
    keys_max_age: int | None


class NewOidcConnection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new connection. `client_secret` is left out for `private_key_jwt`, for which a key is generated."""

    name: Name
    issuer: _Text
    client_id: _Text
    client_secret: _Text | None = None
    auth_method: AuthMethod = "client_secret_basic"
    scopes: Annotated[str, Meta(max_length=500)] = "openid email profile"
    algorithms: list[str] | None = None
    domains: Annotated[list[DomainName], Meta(max_length=100)] = []
    jit: bool = True
    attributes: Attributes = {}
    unit_attribute: Annotated[str, Meta(max_length=200)] | None = None
    units: Units = {}


class OidcPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes of members that only this kind has. Members that are left out do not change; a new issuer is
    looked up first.
    """

    issuer: _Text | UnsetType = UNSET
    client_id: _Text | UnsetType = UNSET
    client_secret: _Text | UnsetType = UNSET
    auth_method: AuthMethod | UnsetType = UNSET
    scopes: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    algorithms: list[str] | UnsetType = UNSET


class OidcDetail(Struct, frozen=True):
    """Members that only this kind has, without the secret."""

    connection_id: UUID
    issuer: str
    client_id: str
    auth_method: AuthMethod
    public_key: Mapping[str, Any] | None
    scopes: str
    algorithms: list[str]
    document: Mapping[str, Any]
    document_read_at: Timestamp
    keys_read_at: Timestamp | None


class Client(Struct, frozen=True):
    """What is needed to sign somebody in. `secret` is in plain text: never display or log it."""

    connection_id: UUID
    issuer: str
    client_id: str
    auth_method: AuthMethod
    secret: str
    public_key: Mapping[str, Any] | None
    scopes: str
    algorithms: list[str]
    document: Document

    def __repr__(self) -> str:
        return f"Client({self.connection_id})"


class StoredKeys(Struct, frozen=True):
    """A connection's keys and their state."""

    keys: list[dict[str, Any]]
    is_fresh: bool
    is_usable: bool
    is_asked: bool


class OidcConnection(Struct, frozen=True):
    connection: Connection
    detail: OidcDetail


def _text(description: str, longest: int | None = None) -> Meta:
    return Meta(description=description, max_length=longest, extra_json_schema=STORABLE)


class StartQuery(Struct, frozen=True, kw_only=True):
    """The company to sign in to, and where to continue afterwards."""

    tenant_slug: Annotated[TypedSlug, Meta(description="The company's slug.")]
    connection: (
        Annotated[UUID, Meta(description="The connection to use. Defaults to the oldest enabled one.")] | None
    ) = None
    return_to: Annotated[str, _text("A path of this server to continue to.", 2000)] | None = None


class CallbackQuery(Struct, frozen=True, kw_only=True):
    """A provider's answer (RFC 6749 section 4.1.2, RFC 9207). Other parameters are ignored."""

    passes_over_unknown: ClassVar[bool] = True

    state: Annotated[str, _text("The state that was sent to the provider.")] | None = None
    code: Annotated[str, _text("The authorization code to exchange for tokens.")] | None = None
    iss: Annotated[str, _text("The provider's issuer.")] | None = None
    error: Annotated[str, _text("The provider's error code, if there is no authorization code.")] | None = (
        None
    )
