"""What goes through signing in and out by SAML."""

from msgspec import Struct


class NameId(Struct, frozen=True, omit_defaults=True):
    """A person as the provider names them."""

    value: str
    format: str | None = None
    name_qualifier: str | None = None
    sp_name_qualifier: str | None = None
