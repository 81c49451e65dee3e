"""Structs of SAML connections, sign-in and sign-out."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.access.sso.domains.schema import DomainName
from trilha.access.sso.schema import Attributes, Connection, Units
from trilha.core.types import STORABLE, Name, Timestamp
from trilha.platform.tenants.schema import TypedSlug

_Address = Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]
_RETURN = Meta(
    description="A path of this server to continue to.", max_length=2000, extra_json_schema=STORABLE
)
_Document = Annotated[str, Meta(min_length=1, max_length=1024 * 1024, extra_json_schema=STORABLE)]


class NewSamlConnection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new connection. Provide either `metadata`, the document itself, or `metadata_url`, which is read
    again every day.

    With `wants_encrypted`, assertions that are not encrypted are refused.
    """

    name: Name
    metadata: _Document | None = None
    metadata_url: _Address | None = None
    domains: Annotated[list[DomainName], Meta(max_length=100)] = []
    sign_requests: bool = True
    wants_encrypted: bool = False
    idp_initiated: bool = False
    jit: bool = True
    attributes: Attributes = {}
    unit_attribute: Annotated[str, Meta(max_length=200)] | None = None
    units: Units = {}


class SamlPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes of members that only this kind has. Members that are left out do not change."""

    metadata: _Document | UnsetType = UNSET
    metadata_url: _Address | None | UnsetType = UNSET
    sign_requests: bool | UnsetType = UNSET
    wants_encrypted: bool | UnsetType = UNSET


class SamlDetail(Struct, frozen=True):
    """Members that only this kind has, without our private key. Certificates are PEM."""

    connection_id: UUID
    entity_id: str
    sso_url: str
    slo_url: str | None
    slo_answer_url: str | None
    certificates: list[str]
    metadata_url: str | None
    refreshed_at: Timestamp | None
    sign_requests: bool
    wants_encrypted: bool
    certificate: str


class OwnAddresses(Struct, frozen=True):
    """The addresses of one connection. Each connection has its own entity id, so that a message for another
    one is not valid here.
    """

    base: str

    @classmethod
    def of(cls, address: str, connection_id: UUID) -> "OwnAddresses":
        return cls(f"{address}/api/sso/saml/{connection_id}")

    @property
    def entity_id(self) -> str:
        return f"{self.base}/metadata"

    @property
    def acs_url(self) -> str:
        return f"{self.base}/acs"

    @property
    def slo_url(self) -> str:
        return f"{self.base}/slo"


class SamlConnection(Struct, frozen=True):
    connection: Connection
    detail: SamlDetail

    def to_dict(self, address: str) -> dict[str, Any]:
        """Converts to members for the command line. `entity_id` is ours, for the provider."""
        own = OwnAddresses.of(address, self.connection.id)
        return {
            "id": self.connection.id,
            "kind": "SAML",
            "name": self.connection.name,
            "enabled": self.connection.enabled,
            "domains": self.connection.domains,
            "entity_id": own.entity_id,
            "acs_url": own.acs_url,
            "slo_url": own.slo_url,
            "metadata_url": own.entity_id,
            "provider_entity_id": self.detail.entity_id,
            "provider_metadata_url": self.detail.metadata_url,
        }


class NameId(Struct, frozen=True, omit_defaults=True):
    """A person's name at the provider."""

    value: str
    format: str | None = None
    name_qualifier: str | None = None
    sp_name_qualifier: str | None = None


class StartQuery(Struct, frozen=True, kw_only=True):
    """The company to sign in to, and where to continue afterwards."""

    tenant_slug: Annotated[TypedSlug, Meta(description="The company's slug.")]
    connection: (
        Annotated[UUID, Meta(description="The connection to use. Defaults to the oldest enabled one.")] | None
    ) = None
    return_to: Annotated[str, _RETURN] | None = None
