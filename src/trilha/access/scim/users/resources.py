"""Writes a person as a SCIM resource."""

from trilha.access.scim import urns
from trilha.access.scim.answers import Resource, etag
from trilha.access.scim.users.schema import ScimUser
from trilha.core.types import Timestamp


def resource(user: ScimUser, base: str) -> Resource:
    """Builds the resource. Attributes without a value are left out, as are all but the account of an
    administrator.
    """
    extensions = {urns.ENTERPRISE: _enterprise(user), urns.TRILHA: _extension(user)}
    extensions = {urn: attributes for urn, attributes in extensions.items() if attributes}
    built: Resource = {"schemas": [urns.USER, *extensions], "id": str(user.id)}
    if user.external_id is not None:
        built["externalId"] = user.external_id
    built["userName"] = user.user_name
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
        built["name"] = name
    if user.display_name:
        built["displayName"] = user.display_name
    if user.title:
        built["title"] = user.title
    built["active"] = user.active
    if user.emails:
        built["emails"] = user.emails
    built |= extensions
    version = etag(user.version, *built.values())
    built["meta"] = meta("User", f"{base}/Users/{user.id}", user.created_at, user.modified_at, version)
    return built


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


def _extension(user: ScimUser) -> Resource:
    parts = {"hireDate": user.hire_date, "customFields": user.custom_fields}
    return {part: value for part, value in parts.items() if value}


def meta(kind: str, location: str, created: Timestamp, modified: Timestamp, version: str) -> Resource:
    return {
        "resourceType": kind,
        "created": created,
        "lastModified": modified,
        "location": location,
        "version": version,
    }
