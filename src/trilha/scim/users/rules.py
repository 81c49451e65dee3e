"""What a provider's person is in `users`. No I/O, no clock."""

from typing import Any

from trilha.core.types import Email, Name, Refused, is_readable
from trilha.scim.conditions import is_storable
from trilha.scim.errors import ScimError, refused
from trilha.scim.given import GivenUser

# Characters of what is stored as it is sent.
LONGEST = 254
MOST_EMAILS = 20
_LONGEST_NAME = 120


def check(given: GivenUser) -> None:
    """Raises ScimError."""
    if not given.user_name.strip():
        raise refused("invalidValue", "The userName is missing.")
    if len(given.emails) > MOST_EMAILS:
        raise refused("invalidValue", f"A user has at most {MOST_EMAILS} emails.")
    texts = [
        ("userName", given.user_name),
        ("externalId", given.external_id),
        ("displayName", given.display_name),
        ("title", given.title),
        *given.name.items(),
        *(pair for each in given.emails for pair in each.items()),
        *(given.enterprise or {}).items(),
    ]
    for name, value in texts:
        text = value.get("value") if isinstance(value, dict) else value
        most = 200 if name in ("title", "department", "employeeNumber") else LONGEST
        if isinstance(text, str) and (len(text) > most or not is_storable(text) or not is_readable(text)):
            raise refused("invalidValue", f"The {name} is too long, or cannot be stored.")


def full_name(given: GivenUser) -> Name:
    """What the person is called here. Raises ScimError."""
    both = " ".join(filter(None, (given.name.get("givenName"), given.name.get("familyName"))))
    formatted = given.name.get("formatted")
    for each in (given.display_name, both, formatted, given.user_name.strip()[:_LONGEST_NAME]):
        if each and each.strip():
            try:
                return Name.parse(each)
            except Refused:
                raise refused("invalidValue", "The person's name has 1 to 120 characters.") from None
    raise refused("invalidValue")


def address(given: GivenUser, now: str | None = None) -> Email:
    """The address that is used: the primary one, the one at work, any, else the userName.

    Where none is left it stays what it is `now`. Raises ScimError.
    """
    if chosen := _chosen(given.emails):
        return _email(chosen, "emails")
    if "@" in given.user_name:
        return _email(given.user_name, "userName")
    if now is None:
        raise refused("invalidValue", "The user has no e-mail address, in emails or as the userName.")
    return Email(now)


def _chosen(emails: list[dict[str, Any]]) -> str | None:
    def rank(email: dict[str, Any]) -> tuple[bool, bool]:
        return (email.get("primary") is not True, (email.get("type") or "").lower() != "work")

    found = sorted((each for each in emails if each.get("value")), key=rank)
    return str(found[0]["value"]) if found else None


def _email(text: str, where: str) -> Email:
    try:
        return Email.parse(text)
    except Refused:
        raise refused("invalidValue", f"The address in {where} is not an e-mail address.") from None


def check_not_admin(role: str) -> None:
    """Raises ScimError."""
    if role == "admin":
        raise ScimError(403, "An administrator is changed by administrators alone.")


def document(given: GivenUser, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """What is stored of it beside the columns; `before` where nothing is said of the extension."""
    kept = ("costCenter", "organization", "division", "manager")
    enterprise = given.enterprise
    if enterprise is None:
        enterprise = before or {}
    parts = {name: enterprise[name] for name in kept if enterprise.get(name)}
    whole = {
        "name": given.name,
        "displayName": given.display_name,
        "emails": given.emails,
        "enterprise": parts,
    }
    return {name: value for name, value in whole.items() if value}
