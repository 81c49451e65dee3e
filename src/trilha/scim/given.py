"""What a provider wants a person to be."""

from typing import Any

from msgspec import Struct


class GivenUser(Struct, frozen=True, kw_only=True):
    """`active` is None to leave the status as it is, `enterprise` to leave all of the extension so."""

    user_name: str
    external_id: str | None
    name: dict[str, str]
    display_name: str | None
    title: str | None
    active: bool | None
    emails: list[dict[str, Any]]
    enterprise: dict[str, Any] | None
