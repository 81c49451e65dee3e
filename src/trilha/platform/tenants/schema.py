"""Tenants and their settings."""

import re
from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import InvalidValue, Name, Text, Timestamp
from trilha.platform.tenants import rules


class Slug(Text):
    """A tenant's short name in URLs: up to 63 lower-case letters, digits and inner hyphens."""

    __slots__ = ()
    schema = {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}

    @classmethod
    def normalise(cls, text: str) -> str:
        plain = text.replace("-", "")
        if not (plain.isascii() and plain.isalnum() and plain.islower() | plain.isdigit()):
            raise InvalidValue("invalid_value")
        if len(text) > 63 or text.startswith("-") or text.endswith("-"):
            raise InvalidValue("invalid_value")
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
    """A slug as people type it: capitals and surrounding spaces are accepted."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.strip().lower())


class Sign(Struct, frozen=True):
    """The name and brand of a tenant, as displayed before sign-in."""

    slug: str
    name: str
    locale: Literal["pt-BR", "en"]
    environment: Literal["production", "homologation"]
    time_zone: str
    brand_colour: str | None
    logo_name: str | None


class Colour(Text):
    """A color as `#rrggbb`. Capitals and a missing `#` are accepted."""

    __slots__ = ()
    schema = {"type": "string", "pattern": "^#[0-9a-f]{6}$", "examples": ["#0b6677"]}

    @classmethod
    def normalise(cls, text: str) -> str:
        colour = f"#{text.strip().lower().removeprefix('#')}"
        if not rules.COLOUR.fullmatch(colour):
            raise InvalidValue("invalid_value")
        return colour


class TimeZone(Text):
    """An IANA time zone."""

    __slots__ = ()
    schema = {"type": "string", "examples": ["America/Sao_Paulo"]}
    codes = ("unknown_time_zone",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in rules.time_zones():
            raise InvalidValue("unknown_time_zone")
        return text


class CompanySettings(Struct, frozen=True, kw_only=True):
    """A company's name, language and time zone. People may choose another language."""

    name: Name
    locale: Literal["pt-BR", "en"]
    time_zone: TimeZone


class BrandSettings(Struct, frozen=True, kw_only=True):
    """A company's color, or None for the default."""

    brand_colour: Colour | None


class SecuritySettings(Struct, frozen=True, kw_only=True):
    """`password_minimum` is in characters. Administrators can be required to use two-step verification."""

    password_minimum: Annotated[int, Meta(ge=rules.PASSWORD_MINIMUM, le=rules.MAX_PASSWORD_MINIMUM)]
    second_factor_required: bool
    passkeys_allowed: bool


class TenantSettings(Struct, frozen=True):
    """All settings of a company. `logo_name` is the file name of the logo below /logos."""

    name: str
    locale: Literal["pt-BR", "en"]
    time_zone: str
    brand_colour: str | None
    logo_name: str | None
    password_minimum: int
    second_factor_required: bool
    passkeys_allowed: bool


class Month(Text):
    """A month as `2026-11`."""

    __slots__ = ()
    schema = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "examples": ["2026-11"]}

    @classmethod
    def normalise(cls, text: str) -> str:
        if not re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", text) or text < "0002":
            raise InvalidValue("invalid_value")
        return text

    def first_day(self) -> date:
        return date.fromisoformat(f"{self}-01")


class Logo(Struct, frozen=True):
    """A safe image. `name` is derived from the content, so the content of a name never changes."""

    name: str
    content: bytes
