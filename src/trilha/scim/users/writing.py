"""A person as a resource."""

from trilha.core.types import Timestamp
from trilha.scim import urns
from trilha.scim.answers import Resource, etag
from trilha.scim.users.schema import ScimUser

_CORE = [urns.USER]
_BOTH = [urns.USER, urns.ENTERPRISE]


def resource(user: ScimUser, base: str) -> Resource:
    """Of an administrator there is no more than the account. What has no value is left out."""
    enterprise = _enterprise(user)
    told: Resource = {"schemas": _BOTH if enterprise else _CORE, "id": str(user.id)}
    if user.external_id is not None:
        told["externalId"] = user.external_id
    told["userName"] = user.user_name
    name = {
        part: value
        for part, value in (
            ("formatted", user.formatted),
            ("givenName", user.given_name),
            ("familyName", user.family_name),
        )
        if value
    }
    if name:
        told["name"] = name
    if user.display_name:
        told["displayName"] = user.display_name
    if user.title:
        told["title"] = user.title
    told["active"] = user.active
    if user.emails:
        told["emails"] = user.emails
    if enterprise:
        told[urns.ENTERPRISE] = enterprise
    version = etag(user.version, *told.values())
    told["meta"] = meta("User", f"{base}/Users/{user.id}", user.created_at, user.modified_at, version)
    return told


def _enterprise(user: ScimUser) -> Resource:
    parts: Resource = {
        part: value
        for part, value in (
            ("employeeNumber", user.employee_number),
            ("costCenter", user.cost_center),
            ("organization", user.organization),
            ("division", user.division),
            ("department", user.department),
        )
        if value
    }
    if user.manager:
        parts["manager"] = {"value": user.manager}
    return parts


def meta(kind: str, location: str, created: Timestamp, modified: Timestamp, version: str) -> Resource:
    return {
        "resourceType": kind,
        "created": created,
        "lastModified": modified,
        "location": location,
        "version": version,
    }
