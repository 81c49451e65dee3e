"""What a user may be. No I/O, no clock."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.errors import Problem, problem

XP_OF_A_LEVEL = 500  # the column `users.level` is made with it


class Level(Struct, frozen=True):
    """`xp` of the `needed` ones for the next level are earned."""

    number: int
    xp: int
    needed: int = XP_OF_A_LEVEL


def level_of(xp: int) -> Level:
    return Level(1 + xp // XP_OF_A_LEVEL, xp % XP_OF_A_LEVEL)


def profile_problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    """What is wrong with these documents on this day."""
    born = values.get("birth_date")
    if born:
        if not born.is_possible(today):
            yield problem("birth_date", "invalid_birth_date")
        elif not born.is_adult(today):
            yield problem("birth_date", "underage")
    cnh = values.get("cnh")
    if cnh and cnh.validade < today.isoformat():
        yield problem("cnh.validade", "cnh_expired")


def missing_documents(profile: Any, required: Iterable[str], today: date) -> list[str]:
    """The required members that a profile lacks. An expired licence counts as missing."""
    missing = []
    for name in required:
        value = getattr(profile, name)
        if value is None or (name == "cnh" and value["validade"] < today.isoformat()):
            missing.append(name)
    return missing
