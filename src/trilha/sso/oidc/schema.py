"""Connections by OpenID Connect."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import STORABLE, Name, Timestamp
from trilha.sso.domains.schema import DomainName
from trilha.sso.schema import Attributes, Connection, Units
from trilha.tenants.schema import TypedSlug

AuthMethod = Literal["client_secret_basic", "client_secret_post", "private_key_jwt"]
_Text = Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]


class Document(Struct, frozen=True, kw_only=True):
    """What is used of a discovery document. `answers_name_issuer`: answers say whose they are (RFC 9207)."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    answers_name_issuer: bool = False


class Provider(Struct, frozen=True):
    """What a provider said of itself when it was asked: nothing of a tenant's is in it."""

    issuer: str
    document: Document
    keys: list[dict[str, Any]]
    keys_max_age: int | None


class NewOidcConnection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`client_secret` is left out for `private_key_jwt`, for which a key is made."""

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
    """What is particular to this kind. Members left out stay as they are; a new issuer is looked up first."""

    issuer: _Text | UnsetType = UNSET
    client_id: _Text | UnsetType = UNSET
    client_secret: _Text | UnsetType = UNSET
    auth_method: AuthMethod | UnsetType = UNSET
    scopes: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    algorithms: list[str] | UnsetType = UNSET


class OidcDetail(Struct, frozen=True):
    """What is particular to this kind, without its secret."""

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
    """What is needed to sign somebody in. `secret` is open: it is never shown nor logged."""

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
    """A connection's keys, and how they stand."""

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
    """To which company's provider, and where to go on to afterwards."""

    tenant_slug: Annotated[TypedSlug, Meta(description="The company.")]
    connection: Annotated[UUID, Meta(description="Which of several; else the oldest.")] | None = None
    return_to: Annotated[str, _text("A path of this server to go on to.", 2000)] | None = None


class CallbackQuery(Struct, frozen=True, kw_only=True):
    """What a provider's answer brings (RFC 6749 section 4.1.2, RFC 9207). The rest is not read."""

    passes_over_unknown: ClassVar[bool] = True

    state: Annotated[str, _text("What was sent to the provider.")] | None = None
    code: Annotated[str, _text("What tokens are given for.")] | None = None
    iss: Annotated[str, _text("The provider's issuer.")] | None = None
    error: Annotated[str, _text("Why there is no code.")] | None = None
