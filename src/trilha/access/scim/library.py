"""Reads bodies and filters with scim2-models, restricted to the attributes that we store.

Importing this module takes half a second. Responses are written without it.
"""

from typing import Annotated, Any

from scim2_models import CaseExact, PatchOp, Required, ScimFilter, ScimPolicy, Uniqueness
from scim2_models.attributes import ComplexAttribute
from scim2_models.resources.resource import AnyExtension, Extension, Resource
from scim2_models.urn import URN

from trilha.access.scim import urns

# Providers send attributes that we do not have, and expect a PATCH of a missing entry to create it.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)


class Manager(ComplexAttribute):
    value: Annotated[str | None, CaseExact.true] = None


class Enterprise(Extension):
    __schema__ = URN(urns.ENTERPRISE)

    employee_number: str | None = None
    cost_center: str | None = None
    organization: str | None = None
    division: str | None = None
    department: str | None = None
    manager: Manager | None = None


class Name(ComplexAttribute):
    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class Email(ComplexAttribute):
    # Any text is accepted here; the address that becomes the user's is validated like any other.
    value: str | None = None
    type: str | None = None
    primary: bool | None = None


class User(Resource[AnyExtension]):
    __schema__ = URN(urns.USER)

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: Name | None = None
    display_name: str | None = None
    title: str | None = None
    active: bool | None = None
    emails: list[Email] | None = None


class Member(ComplexAttribute):
    value: Annotated[str | None, CaseExact.true] = None


class Group(Resource[AnyExtension]):
    __schema__ = URN(urns.GROUP)

    display_name: Annotated[str | None, Required.true] = None
    members: list[Member] | None = None


ScimUser = User[Enterprise]
UserPatch = PatchOp[ScimUser]
UserFilter = ScimFilter[ScimUser]
GroupFilter = ScimFilter[Group[Any]]
