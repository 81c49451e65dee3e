"""What a provider says of a person, and what is told of one."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, field

from trilha.core.types import Timestamp
from trilha.scim import urns


class ScimUser(Struct, frozen=True):
    """A person with what a provider has said of them, in the state in which it is told."""

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
    version: int
    created_at: Timestamp
    modified_at: Timestamp


class StoredUser(ScimUser, frozen=True):
    """With what was sent; null for whom no provider has written."""

    document: Any


class Linked(Struct, frozen=True):
    """Who bears a name of an account already."""

    user_id: UUID
    external_id: str | None
    is_linked: bool
    is_deleted: bool
    is_active: bool


class LinkedCounts(Struct, frozen=True):
    users: int
    groups: int


class NameShown(Struct, frozen=True, rename="camel", omit_defaults=True):
    formatted: Annotated[str, Meta(examples=["Ana Lima"])] | None = None
    given_name: Annotated[str, Meta(examples=["Ana"])] | None = None
    family_name: Annotated[str, Meta(examples=["Lima"])] | None = None


class EmailShown(Struct, frozen=True, omit_defaults=True):
    value: Annotated[str, Meta(examples=["ana.lima@example.com"])] | None = None
    type: Annotated[str, Meta(examples=["work"])] | None = None
    primary: bool | None = None


class ManagerShown(Struct, frozen=True):
    value: str


class EnterpriseShown(Struct, frozen=True, rename="camel", omit_defaults=True):
    employee_number: Annotated[str, Meta(examples=["A1042"])] | None = None
    cost_center: str | None = None
    organization: str | None = None
    division: str | None = None
    department: Annotated[str, Meta(examples=["Logística"])] | None = None
    manager: ManagerShown | None = None


class MetaShown(Struct, frozen=True, rename="camel", omit_defaults=True):
    resource_type: Annotated[str, Meta(examples=["User"])] | None = None
    created: Timestamp | None = None
    last_modified: Timestamp | None = None
    location: str | None = None
    version: Annotated[str, Meta(examples=['W/"3-9f2c1a7e"'])] | None = None


class UserResource(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A person. Which members there are depends on what the provider has said."""

    schemas: Annotated[list[str], Meta(examples=[[urns.USER]])]
    id: str
    user_name: Annotated[str, Meta(examples=["ana.lima@example.com"])] | None = None
    external_id: Annotated[str, Meta(examples=["00u1x2y3"])] | None = None
    name: NameShown | None = None
    display_name: Annotated[str, Meta(examples=["Ana Lima"])] | None = None
    title: Annotated[str, Meta(examples=["Motorista"])] | None = None
    active: bool | None = None
    emails: list[EmailShown] | None = None
    enterprise: EnterpriseShown | None = field(name=urns.ENTERPRISE, default=None)
    meta: MetaShown | None = None


class UserBody(Struct, frozen=True, rename="camel"):
    """What a person is to be. Attributes that are not known are passed over."""

    user_name: Annotated[str, Meta(min_length=1, max_length=254, examples=["ana.lima@example.com"])]
    schemas: Annotated[list[str], Meta(examples=[[urns.USER]])] = []
    external_id: Annotated[str, Meta(max_length=254, examples=["00u1x2y3"])] | None = None
    name: NameShown | None = None
    display_name: Annotated[str, Meta(max_length=120, examples=["Ana Lima"])] | None = None
    title: Annotated[str, Meta(max_length=200, examples=["Motorista"])] | None = None
    active: bool | None = None
    emails: list[EmailShown] | None = None
    enterprise: EnterpriseShown | None = field(name=urns.ENTERPRISE, default=None)
