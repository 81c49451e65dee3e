"""Reads bodies, operations and filters with the SCIM library."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from scim2_models import Context, SCIMException

from trilha.access.scim import dialects, library, urns
from trilha.access.scim.attributes import OF_GROUPS, OF_USERS
from trilha.access.scim.conditions import Condition
from trilha.access.scim.errors import ScimError, build_error
from trilha.access.scim.filters import parse_filter
from trilha.access.scim.groups import patching
from trilha.access.scim.groups.schema import Change
from trilha.access.scim.user_input import UserInput
from trilha.access.scim.users.extension import ExtensionInput, read_extension

MAX_OPERATIONS = 100
_KNOWN_TYPES = ("uniqueness", "mutability", "invalidSyntax", "invalidPath", "noTarget", "invalidValue")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translates the library's exceptions, without its messages, which quote the input."""
    try:
        yield
    except ValidationError as error:
        detail = error.errors(include_input=False, include_url=False)[0]
        raise _build_error(detail["type"].removeprefix("scim_"), detail["loc"]) from None
    except SCIMException as error:
        raise _build_error(error.scim_type, ()) from None
    except (ValueError, TypeError, RecursionError):
        raise build_error("invalidValue") from None


def _build_error(scim_type: str, location: tuple[int | str, ...]) -> ScimError:
    names = [part for part in location if isinstance(part, str) and part.replace("_", "").isalpha()]
    if scim_type not in _KNOWN_TYPES:
        scim_type = "invalidValue"
    return build_error(scim_type, f"{'.'.join(names)}: the value is invalid." if names else "")


def read_user(raw: Mapping[str, Any]) -> UserInput:
    """Reads the body of a POST or PUT. Raises ScimError."""
    body = dialects.user(raw)
    with translate_errors():
        model = library.ScimUser.model_validate(
            body, scim_ctx=Context.RESOURCE_CREATION_REQUEST, scim_policy=library.POLICY
        )
    return build_input(model, read_extension(raw), says_enterprise=urns.ENTERPRISE in body)


def operations_of(body: Mapping[str, Any], limit: int) -> list[Any]:
    """Returns the operations of a PATCH. Raises ScimError."""
    operations = next((value for name, value in body.items() if name.lower() == "operations"), None)
    if not isinstance(operations, list) or not operations:
        raise build_error("invalidValue", "The body must have at least one operation in Operations.")
    if len(operations) > limit:
        raise build_error("tooMany", f"A PATCH can have at most {limit} operations.")
    return operations


def build_input(model: Any, extension: ExtensionInput, *, says_enterprise: bool) -> UserInput:
    """Converts a user of the library."""
    return UserInput(
        user_name=model.user_name or "",
        external_id=model.external_id or None,
        name=_texts(model.name, ("formatted", "given_name", "family_name")),
        display_name=model.display_name or None,
        title=model.title or None,
        active=model.active,
        emails=[_email(email) for email in model.emails or [] if email and email.value],
        enterprise=_enterprise(model[library.Enterprise]) if says_enterprise else None,
        extension=extension,
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
    attributes = _texts(model, ("employee_number", "cost_center", "organization", "division", "department"))
    if model and model.manager and model.manager.value:
        attributes["manager"] = {"value": model.manager.value}
    return attributes


def condition_of_users(text: str | None) -> Condition | None:
    """Raises ScimError."""
    return None if text is None else parse_filter(text, OF_USERS, library.UserFilter)


def condition_of_groups(text: str | None) -> Condition | None:
    """Raises ScimError."""
    return None if text is None else parse_filter(text, OF_GROUPS, library.GroupFilter)


def group_to(sent: Mapping[str, Any]) -> Change:
    """Reads the body of a POST or PUT of a group. Raises ScimError."""
    return patching.change_to(sent)


def group_patch(sent: Mapping[str, Any], group_id: UUID) -> Change:
    """Reads the body of a PATCH of a group. Raises ScimError."""
    return patching.change_of(operations_of(sent, patching.MAX_OPERATIONS), group_id)
