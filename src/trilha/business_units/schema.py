"""Business units, in and out."""

from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from trilha.core.types import Name, Refused, Text, Timestamp


class Code(Text):
    """A company's own name for a unit: trimmed, 1 to 60 characters."""

    __slots__ = ()
    schema = {"type": "string", "minLength": 1, "maxLength": 60, "examples": ["SP-01"]}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        code = text.strip()
        if len(code) > 60:
            raise Refused("too_long")
        return Name.normalise(code)


class NewBusinessUnit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Name
    code: Code | None = None
    parent_id: UUID | None = None


class BusinessUnitPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members left out stay as they are; null clears the code."""

    name: Name | UnsetType = UNSET
    code: Code | None | UnsetType = UNSET


class BusinessUnit(Struct, frozen=True):
    id: UUID
    parent_id: UUID | None
    name: str
    code: str | None
    created_at: Timestamp
    updated_at: Timestamp


class PlacedUnit(Struct, frozen=True):
    """A unit in the tree: `path` are the names from the top to its own."""

    id: UUID
    parent_id: UUID | None
    name: str
    code: str | None
    path: list[str]


class ListedUnit(PlacedUnit, frozen=True):
    """With how many `people` are directly in it, and the names of its managers."""

    people: int
    managers: list[str]
