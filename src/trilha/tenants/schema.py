"""Tenants, as the command line shows them."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Name, Refused, Text, Timestamp


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
    brand_colour: str | None
