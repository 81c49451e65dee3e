"""What a provider sends, read with the library: bodies, operations and filters."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from scim2_models import Context, SCIMException

from trilha.scim import dialects, library, urns
from trilha.scim.attributes import OF_GROUPS, OF_USERS
from trilha.scim.conditions import Condition
from trilha.scim.errors import ScimError, refused
from trilha.scim.filters import parse_filter
from trilha.scim.given import GivenUser
from trilha.scim.groups import patching
from trilha.scim.groups.schema import Change

MOST_OPERATIONS = 100
_KNOWN = ("uniqueness", "mutability", "invalidSyntax", "invalidPath", "noTarget", "invalidValue")


@contextmanager
def _translated() -> Iterator[None]:
    """The library's failures as ours, without the words that quote what was sent."""
    try:
        yield
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        raise _told(found["type"].removeprefix("scim_"), found["loc"]) from None
    except SCIMException as error:
        raise _told(error.scim_type, ()) from None
    except (ValueError, TypeError, RecursionError):
        raise refused("invalidValue") from None


def _told(scim_type: str, place: tuple[int | str, ...]) -> ScimError:
    names = [part for part in place if isinstance(part, str) and part.replace("_", "").isalpha()]
    if scim_type not in _KNOWN:
        scim_type = "invalidValue"
    return refused(scim_type, f"{'.'.join(names)}: the value cannot be taken." if names else "")


def given_user(sent: Mapping[str, Any]) -> GivenUser:
    """The body of a POST or PUT. Raises ScimError."""
    body = dialects.user(sent)
    with _translated():
        model = library.ScimUser.model_validate(
            body, scim_ctx=Context.RESOURCE_CREATION_REQUEST, scim_policy=library.POLICY
        )
    return _given(model, says_enterprise=urns.ENTERPRISE in body)


def operations_of(sent: Mapping[str, Any], most: int) -> list[Any]:
    """Raises ScimError."""
    found = next((value for name, value in sent.items() if name.lower() == "operations"), None)
    if not isinstance(found, list) or not found:
        raise refused("invalidValue", "The body has Operations, at least one.")
    if len(found) > most:
        raise refused("tooMany", f"A PATCH has at most {most} operations.")
    return found


def patched_user(resource: Mapping[str, Any], operations: list[Any]) -> GivenUser:
    """What the operations, as they were sent, make of a resource as it is told. Raises ScimError."""
    body = {"schemas": [urns.PATCH_OP], "Operations": [dialects.operation(each) for each in operations]}
    before = {name: value for name, value in resource.items() if name != "meta"}
    with _translated():
        patch = library.UserPatch.model_validate(
            body, scim_ctx=Context.RESOURCE_PATCH_REQUEST, scim_policy=library.POLICY
        )
        model = library.ScimUser.model_validate(before)
        patch.patch(model, scim_policy=library.POLICY)
    given = _given(model, says_enterprise=True)
    if given.active is None:
        raise refused("mutability", "A user is active or not.")
    return given


def _given(model: Any, *, says_enterprise: bool) -> GivenUser:
    return GivenUser(
        user_name=model.user_name or "",
        external_id=model.external_id or None,
        name=_texts(model.name, ("formatted", "given_name", "family_name")),
        display_name=model.display_name or None,
        title=model.title or None,
        active=model.active,
        emails=[_email(each) for each in model.emails or [] if each and each.value],
        enterprise=_enterprise(model[library.Enterprise]) if says_enterprise else None,
    )


_NAMES = {
    "given_name": "givenName",
    "family_name": "familyName",
    "employee_number": "employeeNumber",
    "cost_center": "costCenter",
}


def _texts(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {_NAMES.get(name, name): value for name in names if model and (value := getattr(model, name))}


def _email(model: Any) -> dict[str, Any]:
    parts = {"value": model.value, "type": model.type, "primary": model.primary}
    return {name: value for name, value in parts.items() if value is not None}


def _enterprise(model: Any) -> dict[str, Any]:
    found = _texts(model, ("employee_number", "cost_center", "organization", "division", "department"))
    if model and model.manager and model.manager.value:
        found["manager"] = {"value": model.manager.value}
    return found


def condition_of_users(text: str | None) -> Condition | None:
    """Raises ScimError."""
    return None if text is None else parse_filter(text, OF_USERS, library.UserFilter)


def condition_of_groups(text: str | None) -> Condition | None:
    """Raises ScimError."""
    return None if text is None else parse_filter(text, OF_GROUPS, library.GroupFilter)


def group_to(sent: Mapping[str, Any]) -> Change:
    """What a POST or PUT makes of a group. Raises ScimError."""
    return patching.change_to(sent)


def group_patch(sent: Mapping[str, Any], group_id: UUID) -> Change:
    """Raises ScimError."""
    return patching.change_of(operations_of(sent, patching.MOST_OPERATIONS), group_id)
