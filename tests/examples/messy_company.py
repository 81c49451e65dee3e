"""A messy HR export of two days, and what Trilha is to hold after each: a model."""

import csv
import importlib
import io
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
ACTIVE, LEFT = ("Ativo", "ATIVO ", "Férias", "afastado"), ("Demitido", "DEMITIDO", "Aposentado ")
MAPPING = """
course_separator = "|"
[headers]
name = "Nome do Colaborador"
status = "Sit."
courses = "Treinamentos"
[statuses]
left = ["Demitido", "Aposentado"]
active = ["Ativo", "Férias", "Afastado"]
"""
EVERYBODY, SOME = "boas-vindas", "direcao"


@dataclass
class Person:
    """`had_left` before the first day, with an account that is suspended."""

    row: dict[str, str]
    active: bool = True
    listed: bool = True
    had_left: bool = False
    courses: tuple[str, ...] = (EVERYBODY,)

    @property
    def number(self) -> str:
        return self.row["Matrícula"]

    @property
    def email(self) -> str:
        """As Trilha keeps it."""
        local, _, domain = self.row["E-mail"].lower().partition("@")
        return f"{local}@{domain.encode('idna').decode()}"


@dataclass
class Sizes:
    people: int
    leavers: int
    rehires: int
    changed: int
    wrong: int


@dataclass
class MessyCompany:
    sizes: Sizes
    people: list[Person] = field(default_factory=list)

    @classmethod
    def first_day(cls, sizes: Sizes) -> "MessyCompany":
        sys.path.insert(0, str(EXAMPLES))
        try:
            rows = importlib.import_module("make_employees").make_employees(sizes.people, 0, 2026)
        finally:
            sys.path.remove(str(EXAMPLES))
        people = [Person(row) for row in rows]
        for number, person in enumerate(people):
            if number % 50 == 0:
                person.row["E-mail"] = person.row["E-mail"].replace("aurora.test", "aurora-café.test")
            if number % 3 == 0:
                person.courses = (EVERYBODY, SOME)
        for person in people[-sizes.rehires :]:
            person.active, person.had_left, person.courses = False, True, (EVERYBODY,)
        return cls(sizes, people)

    def second_day(self) -> "MessyCompany":
        """Each change happens to people of its own; half of the leavers are marked, the others gone."""
        people = [replace(each, row=dict(each.row)) for each in self.people]
        rest = iter(people)
        for number in range(self.sizes.leavers):
            person = next(rest)
            person.active, person.listed = False, number % 2 == 0
        changed = [next(rest) for _ in range(self.sizes.changed)]
        # Each takes the e-mail of the one before, whose own is new: as where an address is a post's.
        for before, person in zip(changed[::2], changed[1::2], strict=True):
            person.row["E-mail"], before.row["E-mail"] = (
                before.row["E-mail"],
                f"novo.{before.number}@aurora.test",
            )
        wrong = [each for each in rest if SOME in each.courses and each.active][: self.sizes.wrong]
        assert len(wrong) == self.sizes.wrong
        for person in wrong:
            person.courses = (EVERYBODY,)
        for person in people[-self.sizes.rehires :]:
            person.active = True
        return MessyCompany(self.sizes, people)

    @property
    def rehired(self) -> Sequence[Person]:
        return [each for each in self.people if each.had_left]

    def write(self, path: Path, encoding: str, separator: str, *, hint: bool) -> None:
        listed = [each for each in self.people if each.listed]
        random.Random(str(path)).shuffle(listed)
        text = io.StringIO(newline="")
        if hint:
            text.write(f"sep={separator}\r\n")
        writer = csv.writer(text, delimiter=separator)
        rows = list(map(_cells, listed))
        writer.writerow(f" {title} " if number % 4 == 3 else title for number, title in enumerate(rows[0]))
        writer.writerows(row.values() for row in rows)
        text.write("\r\n")
        path.write_bytes(text.getvalue().encode(encoding))

    def statuses(self) -> dict[str, tuple[str, str, str]]:
        """Of each employee number: e-mail, name and status."""
        return {
            each.number: (each.email, each.row["Nome"], "ACTIVE" if each.active else "SUSPENDED")
            for each in self.people
        }

    def places(self) -> set[tuple[str, str]]:
        """Employee number and course of those who work here."""
        return {(each.number, slug) for each in self.people if each.active for slug in each.courses}


def _cells(person: Person) -> dict[str, str]:
    statuses = ACTIVE if person.active else LEFT
    place = int(person.number)
    renamed = {"Nome": "Nome do Colaborador", "Situação": "Sit."}
    cells = {renamed.get(title, title): cell for title, cell in person.row.items()}
    pad = " " if place % 7 == 0 else ""
    return {
        **{title: f"{pad}{cell}{pad}" for title, cell in cells.items()},
        "Sit.": statuses[place % len(statuses)],
        "Treinamentos": " | ".join(person.courses),
    }


def accounts_of(people: Sequence[Person]) -> Iterator[dict[str, Any]]:
    """What the API takes to make them before the first day."""
    for each in people:
        yield {"email": each.email, "name": each.row["Nome"], "employee_number": each.number}
