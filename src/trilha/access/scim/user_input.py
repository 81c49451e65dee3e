"""The desired state of a user, as a provider sends it."""

from typing import Any

from msgspec import Struct

from trilha.access.scim.users.extension import ExtensionInput


class UserInput(Struct, frozen=True, kw_only=True):
    """The desired state. `active` is None to keep the status, `enterprise` to keep the whole extension."""

    user_name: str
    external_id: str | None
    name: dict[str, str]
    display_name: str | None
    title: str | None
    active: bool | None
    emails: list[dict[str, Any]]
    enterprise: dict[str, Any] | None
    extension: ExtensionInput = ExtensionInput()
