"""How long the steps of a sign-in last, and the form of secrets and references."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.core.types import Email, InvalidValue

FLOW = timedelta(minutes=10)
TICKET = timedelta(seconds=60)
# A browser sends several requests together, and different processes handle them one after the other.
AT_ONCE = timedelta(seconds=5)
# The page that redeems a ticket, or shows that a sign-in failed.
FRONT_END = "/login/sso"
# The members of a person that a provider's attributes may fill.
MAPPED_MEMBERS = ("name", "department", "job_title", "employee_number")
_SECRET_BYTES = 32
# No letters that look like digits, because people read references out on the telephone.
_REFERENCE = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LONGEST = 200


def new_secret() -> str:
    """256 random bits in 43 characters of base64url."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def is_secret(text: str) -> bool:
    """Whether the text has the form of a secret."""
    return len(text) == 43 and text.isascii() and text.replace("-", "").replace("_", "").isalnum()


def new_reference() -> str:
    """40 random bits, as `XXXX-XXXX`."""
    letters = "".join(secrets.choice(_REFERENCE) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def test_address(connection_id: UUID, sign_in_id: UUID) -> str:
    """Returns the address of a test's result, for the administrator who tested a connection."""
    return f"/admin/sso/{connection_id}/sign-ins/{sign_in_id}"


def strict_email(text: str) -> Email | None:
    """Returns an address in its stored form, or None if only normalization makes it another person's
    address.

    Upper case does not make another person. A non-ASCII letter that normalizes to an ASCII letter does, such
    as the Kelvin sign.
    """
    try:
        email = Email.parse(text)
    except InvalidValue:
        return None
    local, _, domain = text.strip().rpartition("@")
    kept_local, _, kept_domain = email.rpartition("@")
    if not local.isascii() and kept_local.isascii():
        return None
    labels = zip(domain.split("."), kept_domain.split("."), strict=False)
    if any(not told.isascii() and not kept.startswith("xn--") for told, kept in labels):
        return None
    return email


def domain_of(email: str) -> str:
    return email.rpartition("@")[2]


def map_attributes(attributes: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> dict[str, str]:
    """Returns the members that the provider sent, cut to the stored length; empty ones are left out."""
    found = {}
    for member in MAPPED_MEMBERS:
        values = attributes.get(names.get(member, ""), ())
        value = " ".join("".join(c if c.isprintable() else " " for c in values[0]).split()) if values else ""
        if value := value[: 120 if member == "name" else _LONGEST].strip():
            found[member] = value
    return found


def unit_of(
    attributes: Mapping[str, Sequence[str]], attribute: str | None, units: Mapping[str, Any]
) -> UUID | None:
    """Returns the business unit of the first value that is mapped to one."""
    for value in attributes.get(attribute or "", ()):
        if value in units:
            return UUID(units[value])
    return None
