"""The schemas of users and groups as they are published: what is stored, no more (RFC 7643 section 7)."""

from typing import Any

from trilha.scim import urns

Attribute = dict[str, Any]


def _attribute(name: str, description: str, kind: str = "string", **more: Any) -> Attribute:
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
    return plain | more


def _complex(name: str, description: str, *parts: Attribute, **more: Any) -> Attribute:
    return _attribute(name, description, "complex", subAttributes=list(parts), **more)


_EXTERNAL_ID = _attribute(
    "externalId", "The id that the provider knows it by.", caseExact=True, uniqueness="server"
)
_USER = (
    _attribute("userName", "The name of the account.", required=True, uniqueness="server"),
    _EXTERNAL_ID,
    _complex(
        "name",
        "The parts of the person's name.",
        _attribute("formatted", "The whole name."),
        _attribute("familyName", "The family name."),
        _attribute("givenName", "The given name."),
    ),
    _attribute("displayName", "What the person is called, 1 to 120 characters."),
    _attribute("title", "The person's job."),
    _attribute(
        "active",
        "Whether the person may sign in; true where nothing is sent.",
        "boolean",
        required=True,
    ),
    _complex(
        "emails",
        "Addresses. The primary one is used, else the one at work. None is needed where the userName is one.",
        _attribute("value", "The address.", required=True),
        _attribute("type", "What it is for.", canonicalValues=["work", "home", "other"]),
        _attribute("primary", "Whether it is the one that is used.", "boolean"),
        multiValued=True,
        required=True,
    ),
)
_ENTERPRISE = (
    _attribute("employeeNumber", "The company's number of the person."),
    _attribute("costCenter", "The cost center."),
    _attribute("organization", "The organization."),
    _attribute("division", "The division."),
    _attribute("department", "The department."),
    _complex(
        "manager", "Whom the person reports to.", _attribute("value", "The manager's id.", caseExact=True)
    ),
)
_GROUP = (
    _attribute("displayName", "The name, 1 to 120 characters.", required=True, uniqueness="server"),
    _EXTERNAL_ID,
    _complex(
        "members",
        "The people in it. Ids of nobody are passed over.",
        _attribute("value", "The user's id.", mutability="immutable", caseExact=True),
        _attribute(
            "$ref",
            "Where the user is.",
            "reference",
            mutability="immutable",
            referenceTypes=["User"],
            caseExact=True,
        ),
        _attribute("type", "User, always.", mutability="immutable", canonicalValues=["User"]),
        multiValued=True,
    ),
)
SCHEMAS: tuple[dict[str, Any], ...] = (
    {"id": urns.USER, "name": "User", "description": "A person.", "attributes": list(_USER)},
    {
        "id": urns.ENTERPRISE,
        "name": "EnterpriseUser",
        "description": "A person's place in the company.",
        "attributes": list(_ENTERPRISE),
    },
    {"id": urns.GROUP, "name": "Group", "description": "A learning group.", "attributes": list(_GROUP)},
)
