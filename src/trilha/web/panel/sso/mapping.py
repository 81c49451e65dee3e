"""The mapping from an attribute's values to business units, one a line."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from trilha.core.errors import invalid
from trilha.people.business_units.schema import PlacedUnit

_MAX_LINES = 1000


def lines_of(units: Mapping[str, str], tree: Sequence[PlacedUnit]) -> str:
    """Formats lines such as `SP = SP-01`: units by their codes, or by their names if they have no code."""
    shown = {str(each.id): each.code or each.name for each in tree}
    return "\n".join(f"{value} = {shown[unit]}" for value, unit in units.items() if unit in shown)


def read_lines(text: str, tree: Sequence[PlacedUnit]) -> dict[str, UUID]:
    """Raises Invalid."""
    found: dict[str, UUID] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        value, sign, unit = (part.strip() for part in line.rpartition("="))
        if not sign or not value or len(value) > 200:
            raise invalid("units", "invalid_text")
        found[value] = _find(unit, tree)
    if len(found) > _MAX_LINES:
        raise invalid("units", "too_long")
    return found


def _find(text: str, tree: Sequence[PlacedUnit]) -> UUID:
    by_code = [each.id for each in tree if each.code is not None and each.code == text]
    by_name = [each.id for each in tree if each.name.casefold() == text.casefold()]
    for matches in (by_code, by_name):
        if len(matches) == 1:
            return matches[0]
    raise invalid("units", "invalid_value")
