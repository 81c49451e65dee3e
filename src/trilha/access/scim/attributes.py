"""The attributes for filters, order and selection, and their SQL.

In the SQL, `u` is the row of `users`, and `s` that of `scim_users`, if there is one. Of administrators, only
the account name is visible.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trilha.access.scim import urns


class Attribute(Struct, frozen=True):
    """An attribute. `exact` ones are case-sensitive. `parts` are the parts of each value of a multi-valued
    attribute.
    """

    name: str
    sql: str
    kind: Literal["text", "boolean", "time"] = "text"
    exact: bool = False
    parts: Mapping[str, "Attribute"] | None = None


Attributes = Mapping[str, Attribute]


def _own(sql: str) -> str:
    return f"CASE WHEN u.role <> 'admin' THEN {sql} END"


def _name_part(part: str, otherwise: str) -> str:
    """Returns a part of the name as the provider sent it, unless the person was renamed elsewhere since."""
    provisioned = f"s.document #>> '{part}'"
    return _own(f"CASE WHEN s.seen_name = u.name THEN {provisioned} ELSE {otherwise} END")


_FIRST = "split_part(u.name, ' ', 1)"
_REST = f"NULLIF(ltrim(substr(u.name, length({_FIRST}) + 2)), '')"
USER_NAME = "COALESCE(s.user_name, u.email)"
EMAILS = _own(
    "CASE WHEN s.seen_email = u.email THEN s.document -> 'emails' ELSE jsonb_build_array("
    "jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)) END"
)
_EMAIL_PARTS = {
    "value": Attribute("value", "e.value ->> 'value'"),
    "type": Attribute("type", "e.value ->> 'type'"),
    "primary": Attribute("primary", "(e.value ->> 'primary')::boolean", "boolean"),
}


def _enterprise_part(part: str) -> str:
    return _own(f"s.document #>> '{{enterprise,{part}}}'")


_OF_ENTERPRISE = (
    Attribute("employeeNumber", _own("NULLIF(u.employee_number, '')")),
    Attribute("costCenter", _enterprise_part("costCenter")),
    Attribute("organization", _enterprise_part("organization")),
    Attribute("division", _enterprise_part("division")),
    Attribute("department", _own("NULLIF(u.department, '')")),
    Attribute("manager.value", _own("s.document #>> '{enterprise,manager,value}'"), exact=True),
)
HIRE_DATE = _own("u.hire_date")
CUSTOM_FIELDS = f"COALESCE({_own('u.custom_fields')}, '{{}}'::jsonb)"
LAST_MODIFIED = "GREATEST(u.updated_at, s.updated_at)"
_OF_USERS = (
    Attribute("id", "u.id::text", exact=True),
    Attribute("externalId", _own("s.external_id"), exact=True),
    Attribute("userName", USER_NAME),
    Attribute("name.formatted", _name_part("{name,formatted}", "u.name")),
    Attribute("name.givenName", _name_part("{name,givenName}", _FIRST)),
    Attribute("name.familyName", _name_part("{name,familyName}", _REST)),
    Attribute("displayName", _name_part("{displayName}", "u.name")),
    Attribute("title", _own("NULLIF(u.job_title, '')")),
    Attribute("active", "u.status = 'ACTIVE'", "boolean"),
    Attribute("emails", EMAILS, parts=_EMAIL_PARTS),
    Attribute("meta.resourceType", "'User'::text", exact=True),
    Attribute("meta.created", "u.created_at", "time"),
    Attribute("meta.lastModified", LAST_MODIFIED, "time"),
)


def _by_name(core: str, own: tuple[Attribute, ...], extension: tuple[Attribute, ...] = ()) -> Attributes:
    """Indexes attributes by lower-case name, with and without the schema. Providers omit it even for
    extensions.
    """
    index = {}
    for schema, attributes in ((core, own), (urns.ENTERPRISE, extension)):
        for attribute in attributes:
            for name in (attribute.name, attribute.name.removesuffix(".value")):
                index[name.lower()] = index[f"{schema}:{name}".lower()] = attribute
    return index


OF_USERS = _by_name(urns.USER, _OF_USERS, _OF_ENTERPRISE)

_MEMBER = Attribute("value", "e.user_id::text", exact=True)
MEMBERS = """
    learning_group_members AS e
    JOIN users AS member ON member.tenant_id = e.tenant_id AND member.id = e.user_id
    WHERE e.tenant_id = :tenant AND e.group_id = g.id AND member.erased_at IS NULL
"""
_OF_GROUPS = (
    Attribute("id", "g.id::text", exact=True),
    Attribute("externalId", "s.external_id", exact=True),
    Attribute("displayName", "g.name"),
    Attribute("members", MEMBERS, parts={"value": _MEMBER}),
    Attribute("meta.resourceType", "'Group'::text", exact=True),
    Attribute("meta.created", "g.created_at", "time"),
    Attribute("meta.lastModified", "GREATEST(g.updated_at, s.updated_at)", "time"),
)
OF_GROUPS = _by_name(urns.GROUP, _OF_GROUPS)
