"""Structs of business units."""

from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from trilha.core.types import InvalidValue, Name, Text, Timestamp


class Code(Text):
    """The company's own code for a unit: trimmed, 1 to 60 characters."""

    __slots__ = ()
    schema = {"type": "string", "minLength": 1, "maxLength": 60, "examples": ["SP-01"]}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        code = text.strip()
        if len(code) > 60:
            raise InvalidValue("too_long")
        return Name.normalise(code)


class NewBusinessUnit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Name
    code: Code | None = None
    parent_id: UUID | None = None


class BusinessUnitPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members that are left out do not change; null clears the code."""

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
    """A unit in the tree. `path` has the names from the top of the tree to the unit itself."""

    id: UUID
    parent_id: UUID | None
    name: str
    code: str | None
    path: list[str]


class ListedUnit(PlacedUnit, frozen=True):
    """A unit with the number of `people` directly in it and the names of its managers."""

    people: int
    managers: list[str]
