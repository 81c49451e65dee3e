"""Rules about users. No I/O, no clock."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.common_passwords import is_common, is_name
from trilha.core.errors import Problem, invalid, problem
from trilha.platform.tenants.rules import PASSWORD_MINIMUM, check_password_length

XP_OF_A_LEVEL = 500  # The generated column `users.level` uses the same number.
PASSWORD_LENGTHS = range(PASSWORD_MINIMUM, 129)


class Level(Struct, frozen=True):
    """A level, with the `xp` earned towards the next one, out of `needed`."""

    number: int
    xp: int
    needed: int = XP_OF_A_LEVEL


def level_of(xp: int) -> Level:
    return Level(1 + xp // XP_OF_A_LEVEL, xp % XP_OF_A_LEVEL)


def find_password_problem(password: str) -> str | None:
    """Returns the code of what is wrong with a new password, or None."""
    if len(password) not in PASSWORD_LENGTHS:
        return "too_short" if len(password) < PASSWORD_LENGTHS.start else "too_long"
    if "\0" in password:
        return "invalid_text"
    return "password_common" if is_common(password) else None


def check_new_password(password: str, minimum: int, names: Iterable[str], field: str) -> None:
    """Checks a valid password against the company's minimum length and against names of the person and the
    company. Raises Invalid (password_below_minimum, password_is_name).
    """
    check_password_length(password, minimum, field)
    check_not_a_name(password, names, field)


def check_not_a_name(password: str, names: Iterable[str], field: str = "password") -> None:
    """Raises Invalid (password_is_name)."""
    if is_name(password, names):
        raise invalid(field, "password_is_name")


def new_user_problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    """Yields the problems of a user's documents as of this day, and of a password that is their name."""
    yield from profile_problems(values, today)
    names = [name for name in (values.get("name"), values.get("email")) if name]
    if (password := values.get("password")) and is_name(password, names):
        yield problem("password", "password_is_name")


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
