"""What bodies and filters are read with: scim2-models, and what of its models this server has.

Importing this takes half a second. What is answered is written without it.
"""

from typing import Annotated, Any

from scim2_models import CaseExact, PatchOp, Required, ScimFilter, ScimPolicy, Uniqueness
from scim2_models.attributes import ComplexAttribute
from scim2_models.resources.resource import AnyExtension, Extension, Resource
from scim2_models.urn import URN

from trilha.scim import urns

# Providers send more than this server has, and take an entry that is not there for one to be made.
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
    # Any text: the address that is used is checked as everywhere else.
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
