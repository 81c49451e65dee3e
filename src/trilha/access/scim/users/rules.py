"""Maps a SCIM user to a person. No I/O, no clock."""

from typing import Any

from trilha.access.scim.conditions import is_storable
from trilha.access.scim.errors import ScimError, build_error
from trilha.access.scim.user_input import UserInput
from trilha.core.types import Email, InvalidValue, Name, is_readable

# Maximum length of attributes that are stored as they are sent.
LONGEST = 254
MAX_EMAILS = 20
_LONGEST_NAME = 120


def check(desired: UserInput) -> None:
    """Validates the desired state. Raises ScimError."""
    if not desired.user_name.strip():
        raise build_error("invalidValue", "The userName is required.")
    if len(desired.emails) > MAX_EMAILS:
        raise build_error("invalidValue", f"A user can have at most {MAX_EMAILS} emails.")
    texts = [
        ("userName", desired.user_name),
        ("externalId", desired.external_id),
        ("displayName", desired.display_name),
        ("title", desired.title),
        *desired.name.items(),
        *(pair for email in desired.emails for pair in email.items()),
        *(desired.enterprise or {}).items(),
    ]
    for name, value in texts:
        text = value.get("value") if isinstance(value, dict) else value
        limit = 200 if name in ("title", "department", "employeeNumber") else LONGEST
        if isinstance(text, str) and (len(text) > limit or not is_storable(text) or not is_readable(text)):
            raise build_error("invalidValue", f"The {name} is too long or contains invalid characters.")


def full_name(desired: UserInput) -> Name:
    """Returns the person's display name. Raises ScimError."""
    full = " ".join(filter(None, (desired.name.get("givenName"), desired.name.get("familyName"))))
    formatted = desired.name.get("formatted")
    for candidate in (desired.display_name, full, formatted, desired.user_name.strip()[:_LONGEST_NAME]):
        if candidate and candidate.strip():
            try:
                return Name.parse(candidate)
            except InvalidValue:
                raise build_error(
                    "invalidValue", "The person's name must have 1 to 120 characters."
                ) from None
    raise build_error("invalidValue")


def address(desired: UserInput, current: str | None = None) -> Email:
    """Returns the address to use: the primary one, else the work one, else any, else the userName.

    If there is none, the `current` address remains. Raises ScimError.
    """
    if email := _choose_email(desired.emails):
        return _email(email, "emails")
    if "@" in desired.user_name:
        return _email(desired.user_name, "userName")
    if current is None:
        raise build_error("invalidValue", "The user needs an e-mail address, in emails or as the userName.")
    return Email(current)


def _choose_email(emails: list[dict[str, Any]]) -> str | None:
    def rank(email: dict[str, Any]) -> tuple[bool, bool]:
        return (email.get("primary") is not True, (email.get("type") or "").lower() != "work")

    ranked = sorted((email for email in emails if email.get("value")), key=rank)
    return str(ranked[0]["value"]) if ranked else None


def _email(text: str, where: str) -> Email:
    try:
        return Email.parse(text)
    except InvalidValue:
        raise build_error("invalidValue", f"The value of {where} is not an e-mail address.") from None


def check_not_admin(role: str) -> None:
    """Raises ScimError for an administrator."""
    if role == "admin":
        raise ScimError(403, "Administrators can only be changed in the admin panel.")


def document(desired: UserInput, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns the attributes that have no column in `users`. Without an extension, that of `before`
    remains.
    """
    names = ("costCenter", "organization", "division", "manager")
    enterprise = desired.enterprise
    if enterprise is None:
        enterprise = before or {}
    parts = {name: enterprise[name] for name in names if enterprise.get(name)}
    whole = {
        "name": desired.name,
        "displayName": desired.display_name,
        "emails": desired.emails,
        "enterprise": parts,
    }
    return {name: value for name, value in whole.items() if value}
