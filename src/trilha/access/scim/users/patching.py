"""Applies the operations of a PATCH to a user."""

from collections.abc import Mapping
from typing import Any

from scim2_models import Context

from trilha.access.scim import dialects, library, urns
from trilha.access.scim.errors import build_error
from trilha.access.scim.reading import build_input, translate_errors
from trilha.access.scim.user_input import UserInput
from trilha.access.scim.users.extension import split_patch


def apply_patch(resource: Mapping[str, Any], operations: list[Any]) -> UserInput:
    """Applies a PATCH to a resource and returns the result. Raises ScimError."""
    others, extension = split_patch(operations, resource)
    before = {name: value for name, value in resource.items() if name not in ("meta", urns.TRILHA)}
    before["schemas"] = [urn for urn in resource["schemas"] if urn != urns.TRILHA]
    with translate_errors():
        model = library.ScimUser.model_validate(before)
        if others:
            _read_patch(others).patch(model, scim_policy=library.POLICY)
    user_input = build_input(model, extension, says_enterprise=True)
    if user_input.active is None:
        raise build_error("mutability", "The active attribute cannot be removed.")
    return user_input


def _read_patch(operations: list[Any]) -> Any:
    body = {
        "schemas": [urns.PATCH_OP],
        "Operations": [dialects.operation(operation) for operation in operations],
    }
    return library.UserPatch.model_validate(
        body, scim_ctx=Context.RESOURCE_PATCH_REQUEST, scim_policy=library.POLICY
    )
