"""A messy HR export on two days, and a model of what Trilha must contain after each."""

import csv
import importlib
import io
import random
import sys
from collections import Counter
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
Row = dict[str, str]
VALID_CPF = "529.982.247-25"
ALL = ("Nome", "E-mail", "Matrícula", "CPF")
# The cells copied from another person, the wrong cells, and the message about the row.
WRONGS: tuple[tuple[Sequence[str], Row, str], ...] = (
    ((), {"CPF": "529.982.247-26"}, "invalid_cpf"),
    ((), {"CPF": "12"}, "invalid_cpf"),
    ((), {"E-mail": ""}, "has no e-mail"),
    ((), {"E-mail": "somebody"}, "invalid_email"),
    ((), {"Nome": ""}, "has no name"),
    ((), {"Data de Nascimento": "31/02/1980"}, "birth_date"),
    ((), {"Celular": "12"}, "phone"),
    ((), {"Situação": "Sumiu"}, "does not say what the status 'Sumiu' is"),
    (("E-mail",), {}, "has the same e-mail"),
    (("Matrícula",), {}, "has the same employee number"),
    (("CPF",), {}, "cpf_exists"),
    (ALL, {}, "has the same e-mail"),
)
# What happens on the second day to the row of a person of the first day.
SLIPS: tuple[tuple[Row, str], ...] = (
    ({"Situação": "Sumiu"}, "does not say what the status 'Sumiu' is"),
    ({"E-mail": ""}, "has no e-mail"),
    ({"Nome": ""}, "has no name"),
)


@dataclass
class Person:
    """`had_left`: the person left before the first day, and their account is suspended."""

    row: Row
    active: bool = True
    listed: bool = True
    had_left: bool = False
    courses: tuple[str, ...] = (EVERYBODY,)
    misspelt: bool = False  # also names a course that does not exist

    @property
    def number(self) -> str:
        return self.row["Matrícula"]

    @property
    def email(self) -> str:
        """The address as Trilha stores it."""
        local, _, domain = self.row["E-mail"].lower().partition("@")
        return f"{local}@{domain.encode('idna').decode()}"

    def account(self) -> dict[str, str]:
        status = "ACTIVE" if self.active else "SUSPENDED"
        known = {"email": self.email, "name": self.row["Nome"], "status": status}
        if self.had_left and not self.active:
            return known
        more = {"department": self.row["Departamento"], "job_title": self.row["Cargo"]}
        return known | more | {"cpf": f"***.***.***-{self.row['CPF'][-2:]}"}


@dataclass
class Sizes:
    people: int
    leavers: int
    rehires: int
    changed: int
    wrong: int
    misspelt: int = 3


@dataclass
class MessyCompany:
    """`wrong` are the rows that describe no valid person, each with the message that the run must print."""

    sizes: Sizes
    people: list[Person] = field(default_factory=list)
    wrong: list[tuple[Row, str]] = field(default_factory=list)

    @classmethod
    def first_day(cls, sizes: Sizes) -> "MessyCompany":
        sys.path.insert(0, str(EXAMPLES))
        try:
            make = importlib.import_module("make_employees").make_employees
            rows = make(sizes.people + len(WRONGS), 0, 2026)
        finally:
            sys.path.remove(str(EXAMPLES))
        people = [Person(row) for row in rows[: sizes.people]]
        for number, person in enumerate(people):
            if number % 50 == 0:
                person.row["E-mail"] = person.row["E-mail"].replace("aurora.test", "aurora-café.test")
            if number % 3 == 0:
                person.courses = (EVERYBODY, SOME)
        for person in people[-sizes.rehires :]:
            person.active, person.had_left, person.courses = False, True, (EVERYBODY,)
        return cls(sizes, people, _wrong(rows[sizes.people :], people))

    def second_day(self) -> "MessyCompany":
        """Changes the company. Each change happens to different people; half of the leavers are marked, and
        the others are missing from the file.

        One of the wrong rows is corrected, and the rest stay wrong. The rows of three people who stay become
        unreadable.
        """
        people = [replace(each, row=dict(each.row)) for each in self.people]
        rest = iter(people)
        for number in range(self.sizes.leavers):
            person = next(rest)
            person.active, person.listed = False, number % 2 == 0
        changed = [next(rest) for _ in range(self.sizes.changed)]
        # Each person takes the e-mail of the one before, who gets a new address, as in companies where an
        # address belongs to a position.
        for before, person in zip(changed[::2], changed[1::2], strict=True):
            person.row["E-mail"], before.row["E-mail"] = (
                before.row["E-mail"],
                f"novo.{before.number}@aurora.test",
            )
        slipped = [each for each in rest if SOME in each.courses and each.active][: self.sizes.wrong]
        assert len(slipped) == self.sizes.wrong
        for person in slipped:
            person.courses = (EVERYBODY,)
        for person in people[-self.sizes.rehires :]:
            person.active = True
        # These people are not among those whose e-mail changed.
        for person in people[-self.sizes.rehires - self.sizes.misspelt : -self.sizes.rehires]:
            person.misspelt = True
        (mended, _), *wrong = self.wrong
        stay = people[-self.sizes.rehires - self.sizes.misspelt - len(SLIPS) :]
        for person, (slip, told) in zip(stay, SLIPS, strict=False):
            person.listed = False
            wrong.append(({**person.row, **slip}, told))
        people.append(Person(dict(mended, CPF=VALID_CPF)))
        return MessyCompany(self.sizes, people, wrong)

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
        # These rows come last, because the first of two rows about one person counts.
        writer.writerows(_cells(Person(row)).values() for row, _ in self.wrong)
        text.write(f"{separator * 3}\r\n")
        path.write_bytes(text.getvalue().encode(encoding))

    def accounts(self) -> dict[str, dict[str, str]]:
        """Returns the expected account of each employee number. For a leaver, it has the data that was last
        sent.
        """
        return {each.number: each.account() for each in self.people}

    def reasons(self) -> Counter[str]:
        """Returns the expected messages, each with its number of rows."""
        misspelt = ["There is no course boas-vidas." for each in self.people if each.misspelt]
        return Counter([why for _, why in self.wrong] + misspelt)

    def places(self) -> set[tuple[str, str]]:
        """Returns employee number and course of the people who work here."""
        return {(each.number, slug) for each in self.people if each.active for slug in each.courses}


def _cells(person: Person) -> dict[str, str]:
    place = int(person.number)
    statuses = ACTIVE if person.active else LEFT
    told = person.row["Situação"] if person.row["Situação"] == "Sumiu" else statuses[place % len(statuses)]
    renamed = {"Nome": "Nome do Colaborador", "Situação": "Sit."}
    cells = {renamed.get(title, title): cell for title, cell in person.row.items()}
    pad = " " if place % 7 == 0 else ""
    return {
        **{title: f"{pad}{cell}{pad}" for title, cell in cells.items()},
        "Sit.": told,
        "Treinamentos": " | ".join((*person.courses, *(("boas-vidas",) if person.misspelt else ()))),
    }


def _wrong(spare: Sequence[Row], people: Sequence[Person]) -> list[tuple[Row, str]]:
    """Creates a row for each of WRONGS. The repeated row is that of a person who does not change."""
    stays = people[-len(people) // 4].row
    return [
        ({**row, **{title: stays[title] for title in repeated}, **cells}, told)
        for row, (repeated, cells, told) in zip(spare, WRONGS, strict=True)
    ]


def accounts_of(people: Sequence[Person]) -> Iterator[dict[str, Any]]:
    """Returns the request bodies that create them before the first day."""
    for each in people:
        yield {"email": each.email, "name": each.row["Nome"], "employee_number": each.number}
