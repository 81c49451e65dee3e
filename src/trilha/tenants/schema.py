"""Tenants, and what a company chooses about its own."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Name, Refused, Text, Timestamp
from trilha.tenants import rules


class Slug(Text):
    """A tenant's short name in addresses: lower-case letters, digits and inner hyphens, at most 63."""

    __slots__ = ()
    schema = {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}

    @classmethod
    def normalise(cls, text: str) -> str:
        plain = text.replace("-", "")
        if not (plain.isascii() and plain.isalnum() and plain.islower() | plain.isdigit()):
            raise Refused("invalid_value")
        if len(text) > 63 or text.startswith("-") or text.endswith("-"):
            raise Refused("invalid_value")
        return text


class NewTenant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    slug: Slug
    name: Name
    environment: Literal["production", "homologation"] = "production"
    locale: Literal["pt-BR", "en"] = "pt-BR"


class Tenant(Struct, frozen=True):
    id: UUID
    slug: str
    name: str
    environment: str
    locale: str
    status: str
    created_at: Timestamp


class TypedSlug(Slug):
    """As people type it: with capitals, and with spaces around."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.strip().lower())


class Sign(Struct, frozen=True):
    """What a tenant shows to who is not signed in yet: who it is, and how it looks."""

    slug: str
    name: str
    locale: Literal["pt-BR", "en"]
    environment: Literal["production", "homologation"]
    time_zone: str
    brand_colour: str | None
    logo_name: str | None


class Colour(Text):
    """`#rrggbb`; the sign and small letters are added."""

    __slots__ = ()
    schema = {"type": "string", "pattern": "^#[0-9a-f]{6}$", "examples": ["#0b6677"]}

    @classmethod
    def normalise(cls, text: str) -> str:
        colour = f"#{text.strip().lower().removeprefix('#')}"
        if not rules.COLOUR.fullmatch(colour):
            raise Refused("invalid_value")
        return colour


class TimeZone(Text):
    """An IANA name."""

    __slots__ = ()
    schema = {"type": "string", "examples": ["America/Sao_Paulo"]}
    codes = ("unknown_time_zone",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in rules.time_zones():
            raise Refused("unknown_time_zone")
        return text


class CompanySettings(Struct, frozen=True, kw_only=True):
    """What a company is called, and how it speaks where a person has chosen nothing."""

    name: Name
    locale: Literal["pt-BR", "en"]
    time_zone: TimeZone


class BrandSettings(Struct, frozen=True, kw_only=True):
    """None for Trilha's own colour."""

    brand_colour: Colour | None


class SecuritySettings(Struct, frozen=True, kw_only=True):
    """`password_minimum` is in characters; a second factor is required of administrators."""

    password_minimum: Annotated[int, Meta(ge=rules.PASSWORD_MINIMUM, le=rules.PASSWORD_MINIMUM_MOST)]
    second_factor_required: bool


class TenantSettings(Struct, frozen=True):
    """All that a company chose. `logo_name` is what its logo is served as, below /logos."""

    name: str
    locale: Literal["pt-BR", "en"]
    time_zone: str
    brand_colour: str | None
    logo_name: str | None
    password_minimum: int
    second_factor_required: bool


class Logo(Struct, frozen=True):
    """An image that is safe to show. `name` is made of the content, which it never changes."""

    name: str
    content: bytes
