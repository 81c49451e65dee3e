"""Which attributes there are to filter, sort and choose by, and the SQL of each.

In the SQL, `u` is the row of `users` and `s` that of `scim_users`, which need not be there. Of an
administrator only the name of the account is told.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trilha.scim import urns


class Attribute(Struct, frozen=True):
    """`exact` tells small letters from capitals. Of one with several values `parts` are those of each."""

    name: str
    sql: str
    kind: Literal["text", "boolean", "time"] = "text"
    exact: bool = False
    parts: Mapping[str, "Attribute"] | None = None


Attributes = Mapping[str, Attribute]


def _own(sql: str) -> str:
    return f"CASE WHEN u.role <> 'admin' THEN {sql} END"


def _named(part: str, otherwise: str) -> str:
    """A part of the name as it was sent, unless the person was renamed elsewhere since."""
    sent = f"s.document #>> '{part}'"
    return _own(f"CASE WHEN s.seen_name = u.name THEN {sent} ELSE {otherwise} END")


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


def _sent(part: str) -> str:
    return _own(f"s.document #>> '{{enterprise,{part}}}'")


_OF_ENTERPRISE = (
    Attribute("employeeNumber", _own("NULLIF(u.employee_number, '')")),
    Attribute("costCenter", _sent("costCenter")),
    Attribute("organization", _sent("organization")),
    Attribute("division", _sent("division")),
    Attribute("department", _own("NULLIF(u.department, '')")),
    Attribute("manager.value", _own("s.document #>> '{enterprise,manager,value}'"), exact=True),
)
LAST_MODIFIED = "GREATEST(u.updated_at, s.updated_at)"
_OF_USERS = (
    Attribute("id", "u.id::text", exact=True),
    Attribute("externalId", _own("s.external_id"), exact=True),
    Attribute("userName", USER_NAME),
    Attribute("name.formatted", _named("{name,formatted}", "u.name")),
    Attribute("name.givenName", _named("{name,givenName}", _FIRST)),
    Attribute("name.familyName", _named("{name,familyName}", _REST)),
    Attribute("displayName", _named("{displayName}", "u.name")),
    Attribute("title", _own("NULLIF(u.job_title, '')")),
    Attribute("active", "u.status = 'ACTIVE'", "boolean"),
    Attribute("emails", EMAILS, parts=_EMAIL_PARTS),
    Attribute("meta.resourceType", "'User'::text", exact=True),
    Attribute("meta.created", "u.created_at", "time"),
    Attribute("meta.lastModified", LAST_MODIFIED, "time"),
)


def _by_name(core: str, own: tuple[Attribute, ...], extension: tuple[Attribute, ...] = ()) -> Attributes:
    """In small letters: short, and with the schema in front. Providers leave it out of extensions, too."""
    found = {}
    for schema, attributes in ((core, own), (urns.ENTERPRISE, extension)):
        for each in attributes:
            for name in (each.name, each.name.removesuffix(".value")):
                found[name.lower()] = found[f"{schema}:{name}".lower()] = each
    return found


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
