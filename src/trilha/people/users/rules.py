"""Rules about users. No I/O, no clock."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.errors import Problem, problem

XP_OF_A_LEVEL = 500  # The generated column `users.level` uses the same number.


class Level(Struct, frozen=True):
    """A level, with the `xp` earned towards the next one, out of `needed`."""

    number: int
    xp: int
    needed: int = XP_OF_A_LEVEL


def level_of(xp: int) -> Level:
    return Level(1 + xp // XP_OF_A_LEVEL, xp % XP_OF_A_LEVEL)


def profile_problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    """Yields the problems of these documents as of this day."""
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
    """Returns the required members that a profile lacks. An expired license counts as missing."""
    missing = []
    for name in required:
        value = getattr(profile, name)
        if value is None or (name == "cnh" and value["validade"] < today.isoformat()):
            missing.append(name)
    return missing
