"""Connections by SAML, and what goes through signing in and out by them."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import STORABLE, Name, Timestamp
from trilha.sso.domains.schema import DomainName
from trilha.sso.schema import Attributes, Connection, Units
from trilha.tenants.schema import TypedSlug

_Address = Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]
_RETURN = Meta(description="A path of this server to go on to.", max_length=2000, extra_json_schema=STORABLE)
_Document = Annotated[str, Meta(min_length=1, max_length=1024 * 1024, extra_json_schema=STORABLE)]


class NewSamlConnection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Either `metadata`, the document itself, or `metadata_url`, from where it is read again each day.

    With `wants_encrypted` assertions that are not encrypted are refused.
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
    """What is particular to this kind. Members left out stay as they are."""

    metadata: _Document | UnsetType = UNSET
    metadata_url: _Address | None | UnsetType = UNSET
    sign_requests: bool | UnsetType = UNSET
    wants_encrypted: bool | UnsetType = UNSET


class SamlDetail(Struct, frozen=True):
    """What is particular to this kind, without our private key. Certificates are PEM."""

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
    """Of one connection, under the server's own address. The entity id is the connection's alone, too: what
    was made for another one is not for this."""

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

    def shown(self, address: str) -> dict[str, Any]:
        """For the command line; `entity_id` is ours, which the provider is given."""
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
    """A person as the provider names them."""

    value: str
    format: str | None = None
    name_qualifier: str | None = None
    sp_name_qualifier: str | None = None


class StartQuery(Struct, frozen=True, kw_only=True):
    """To which company's provider, and where to go on to afterwards."""

    tenant_slug: Annotated[TypedSlug, Meta(description="The company.")]
    connection: Annotated[UUID, Meta(description="Which of several; else the oldest.")] | None = None
    return_to: Annotated[str, _RETURN] | None = None
