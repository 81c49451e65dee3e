"""Structs of SCIM users, in and out."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, field

from trilha.access.scim import urns
from trilha.core.types import Timestamp


class ScimUser(Struct, frozen=True):
    """A user with the attributes that a provider sent, as returned to it."""

    id: UUID
    role: str
    active: bool
    user_name: str
    external_id: str | None
    formatted: str | None
    given_name: str | None
    family_name: str | None
    display_name: str | None
    title: str | None
    emails: Any
    employee_number: str | None
    cost_center: str | None
    organization: str | None
    division: str | None
    department: str | None
    manager: str | None
    hire_date: str | None
    custom_fields: dict[str, Any]
    version: int
    created_at: Timestamp
    modified_at: Timestamp


class StoredUser(ScimUser, frozen=True):
    """A user with the stored document; null if no provider has written it yet."""

    document: Any


class NameOwner(Struct, frozen=True):
    """The user that an account name belongs to."""

    user_id: UUID
    external_id: str | None
    is_linked: bool
    is_deleted: bool
    is_active: bool


class LinkedCounts(Struct, frozen=True):
    users: int
    groups: int


class NameOutput(Struct, frozen=True, rename="camel", omit_defaults=True):
    formatted: Annotated[str, Meta(examples=["Ana Lima"])] | None = None
    given_name: Annotated[str, Meta(examples=["Ana"])] | None = None
    family_name: Annotated[str, Meta(examples=["Lima"])] | None = None


class EmailOutput(Struct, frozen=True, omit_defaults=True):
    value: Annotated[str, Meta(examples=["ana.lima@example.com"])] | None = None
    type: Annotated[str, Meta(examples=["work"])] | None = None
    primary: bool | None = None


class ManagerOutput(Struct, frozen=True):
    value: str


class EnterpriseOutput(Struct, frozen=True, rename="camel", omit_defaults=True):
    employee_number: Annotated[str, Meta(examples=["A1042"])] | None = None
    cost_center: str | None = None
    organization: str | None = None
    division: str | None = None
    department: Annotated[str, Meta(examples=["Logística"])] | None = None
    manager: ManagerOutput | None = None


class ExtensionOutput(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Our own extension. `customFields` has one attribute per custom field; personal ones read `***`."""

    hire_date: Annotated[str, Meta(examples=["2021-03-01"])] | None = None
    custom_fields: (
        Annotated[
            dict[str, Any],
            Meta(examples=[{"cost_center": "4200"}], extra_json_schema={"additionalProperties": True}),
        ]
        | None
    ) = None


class MetaOutput(Struct, frozen=True, rename="camel", omit_defaults=True):
    resource_type: Annotated[str, Meta(examples=["User"])] | None = None
    created: Timestamp | None = None
    last_modified: Timestamp | None = None
    location: str | None = None
    version: Annotated[str, Meta(examples=['W/"3-9f2c1a7e"'])] | None = None


class UserResource(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A user. Members without a value are left out."""

    schemas: Annotated[list[str], Meta(examples=[[urns.USER]])]
    id: str
    user_name: Annotated[str, Meta(examples=["ana.lima@example.com"])] | None = None
    external_id: Annotated[str, Meta(examples=["00u1x2y3"])] | None = None
    name: NameOutput | None = None
    display_name: Annotated[str, Meta(examples=["Ana Lima"])] | None = None
    title: Annotated[str, Meta(examples=["Motorista"])] | None = None
    active: bool | None = None
    emails: list[EmailOutput] | None = None
    enterprise: EnterpriseOutput | None = field(name=urns.ENTERPRISE, default=None)
    extension: ExtensionOutput | None = field(name=urns.TRILHA, default=None)
    meta: MetaOutput | None = None


class UserBody(Struct, frozen=True, rename="camel"):
    """The desired state of a user. Unknown attributes are ignored."""

    user_name: Annotated[str, Meta(min_length=1, max_length=254, examples=["ana.lima@example.com"])]
    schemas: Annotated[list[str], Meta(examples=[[urns.USER]])] = []
    external_id: Annotated[str, Meta(max_length=254, examples=["00u1x2y3"])] | None = None
    name: NameOutput | None = None
    display_name: Annotated[str, Meta(max_length=120, examples=["Ana Lima"])] | None = None
    title: Annotated[str, Meta(max_length=200, examples=["Motorista"])] | None = None
    active: bool | None = None
    emails: list[EmailOutput] | None = None
    enterprise: EnterpriseOutput | None = field(name=urns.ENTERPRISE, default=None)
    extension: ExtensionOutput | None = field(name=urns.TRILHA, default=None)
