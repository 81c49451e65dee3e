"""Lists the problems that parsing a Struct may report, for the API reference."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, inspect


def possible_problems(kind: type[Struct]) -> Iterator[tuple[str, str]]:
    """Yields every field and code that parsing this Struct may report."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    yield from _possible_in(info, "")


def _possible_in(info: inspect.StructType, at: str) -> Iterator[tuple[str, str]]:
    for field in info.fields:
        if field.required:
            yield at + field.encode_name, "required"
        yield from _possible(field.type, at + field.encode_name)


def _possible(info: Any, at: str) -> Iterator[tuple[str, str]]:
    match info:
        case inspect.Metadata():
            yield from _possible(info.type, at)
        case inspect.UnionType():
            for arm in info.types:
                yield from _possible(arm, at)
        case inspect.StructType():
            yield from _possible_in(info, at + ".")
        case inspect.ListType():
            yield from ((at, code) for code in _length_codes(info))
            yield from _possible(info.item_type, at + ".0")
        case inspect.StrType():
            yield from ((at, code) for code in (*_length_codes(info), "invalid_text"))
        case inspect.CustomType():
            yield from ((at, code) for code in (*info.cls.codes, "invalid_text"))  # type: ignore[attr-defined]
        case _:
            yield from ((at, code) for code in _LEAF_CODES.get(type(info), ()))


_LEAF_CODES: dict[type, tuple[str, ...]] = {
    inspect.BoolType: ("invalid_type",),
    inspect.IntType: ("invalid_type", "out_of_range"),
    inspect.FloatType: ("invalid_type", "out_of_range"),
    inspect.UUIDType: ("invalid_uuid",),
    inspect.LiteralType: ("invalid_value", "invalid_text"),
    inspect.EnumType: ("invalid_value",),
}


def _length_codes(info: inspect.ListType | inspect.StrType) -> Iterator[str]:
    if info.min_length:
        yield "too_short"
    if info.max_length is not None:
        yield "too_long"
