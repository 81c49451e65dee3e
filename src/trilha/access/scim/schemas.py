"""The published schemas of users and groups, with only the attributes that we store (RFC 7643 section 7)."""

from collections.abc import Sequence
from typing import Any

from trilha.access.scim import urns
from trilha.people.custom_fields.schema import CustomField

Attribute = dict[str, Any]


def _attribute(name: str, description: str, kind: str = "string", **extra: Any) -> Attribute:
    plain: Attribute = {
        "name": name,
        "type": kind,
        "multiValued": False,
        "description": description,
        "required": False,
        "mutability": "readWrite",
        "returned": "default",
    }
    if kind in ("string", "reference"):
        plain |= {"caseExact": False, "uniqueness": "none"}
    if kind == "complex":
        plain["uniqueness"] = "none"
    return plain | extra


def _complex(name: str, description: str, *parts: Attribute, **extra: Any) -> Attribute:
    return _attribute(name, description, "complex", subAttributes=list(parts), **extra)


_EXTERNAL_ID = _attribute(
    "externalId", "The provider's ID of the resource.", caseExact=True, uniqueness="server"
)
_USER = (
    _attribute("userName", "The account name.", required=True, uniqueness="server"),
    _EXTERNAL_ID,
    _complex(
        "name",
        "The parts of the person's name.",
        _attribute("formatted", "The whole name."),
        _attribute("familyName", "The family name."),
        _attribute("givenName", "The given name."),
    ),
    _attribute("displayName", "The name to display, 1 to 120 characters."),
    _attribute("title", "The person's job title."),
    _attribute(
        "active",
        "Whether the person may sign in. Defaults to true.",
        "boolean",
        required=True,
    ),
    _complex(
        "emails",
        "E-mail addresses. The primary one is used, else the work one. Optional if the userName is one.",
        _attribute("value", "The address.", required=True),
        _attribute("type", "The type of the address.", canonicalValues=["work", "home", "other"]),
        _attribute("primary", "Whether this is the address to use.", "boolean"),
        multiValued=True,
        required=True,
    ),
)
_ENTERPRISE = (
    _attribute("employeeNumber", "The person's employee number."),
    _attribute("costCenter", "The cost center."),
    _attribute("organization", "The organization."),
    _attribute("division", "The division."),
    _attribute("department", "The department."),
    _complex("manager", "The person's manager.", _attribute("value", "The manager's ID.", caseExact=True)),
)
_GROUP = (
    _attribute("displayName", "The group's name, 1 to 120 characters.", required=True, uniqueness="server"),
    _EXTERNAL_ID,
    _complex(
        "members",
        "The group's members. Unknown IDs are ignored.",
        _attribute("value", "The user's ID.", mutability="immutable", caseExact=True),
        _attribute(
            "$ref",
            "The address of the user resource.",
            "reference",
            mutability="immutable",
            referenceTypes=["User"],
            caseExact=True,
        ),
        _attribute("type", "Always User.", mutability="immutable", canonicalValues=["User"]),
        multiValued=True,
    ),
)
_STANDARD: tuple[dict[str, Any], ...] = (
    {"id": urns.USER, "name": "User", "description": "A person.", "attributes": list(_USER)},
    {
        "id": urns.ENTERPRISE,
        "name": "EnterpriseUser",
        "description": "A person's place in the company.",
        "attributes": list(_ENTERPRISE),
    },
    {"id": urns.GROUP, "name": "Group", "description": "A learning group.", "attributes": list(_GROUP)},
)
_KINDS = {"text": "string", "number": "decimal", "date": "string", "choice": "string"}


def build_schemas(fields: Sequence[CustomField]) -> list[dict[str, Any]]:
    """Returns the schemas for a tenant with these custom fields."""
    user, enterprise, group = _STANDARD
    return [user, enterprise, _build_extension(fields), group]


def _build_extension(fields: Sequence[CustomField]) -> dict[str, Any]:
    attributes = [
        _attribute("hireDate", "The first day at the company, YYYY-MM-DD.", canonicalValues=["2021-03-01"])
    ]
    if fields:
        parts = [_build_custom_field(field) for field in fields]
        attributes.append(_complex("customFields", "The company's own fields.", *parts))
    return {
        "id": urns.TRILHA,
        "name": "TrilhaUser",
        "description": "What the company keeps of an employee.",
        "attributes": attributes,
    }


def _build_custom_field(field: CustomField) -> Attribute:
    notes = {"date": ": YYYY-MM-DD"}.get(field.type, "")
    masked = ". It reads ***, and *** does not change it" if field.personal else ""
    extra = {"canonicalValues": field.choices} if field.type == "choice" else {}
    if _KINDS[field.type] == "string":
        extra["caseExact"] = True  # type: ignore[assignment]
    return _attribute(field.key, f"{field.name}{notes}{masked}.", _KINDS[field.type], **extra)
