"""Reads an HR export of a Brazilian payroll system row by row, and converts it to API requests.

A mapping file describes how your system differs; `Mapping` has the defaults.
"""

import codecs
import csv
import io
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import idna

Json = dict[str, Any]

SEPARATORS = {"semicolon": ";", "tab": "\t", "comma": ",", "pipe": "|"}
# The header of each column, unless the mapping names another.
HEADERS = {
    "name": "Nome",
    "email": "E-mail",
    "employee_number": "Matrícula",
    "department": "Departamento",
    "job_title": "Cargo",
    "cpf": "CPF",
    "phone": "Celular",
    "birth_date": "Data de Nascimento",
    "cnh": "CNH",
    "cnh_category": "Categoria CNH",
    "cnh_expiry": "Validade CNH",
    "cnh_paid": "EAR",
    "status": "Situação",
    "courses": "Cursos",
}
NEEDED = ("name", "email")


@dataclass(frozen=True)
class Mapping:
    """The content of a mapping file. `separator` and `encoding` are detected if they are not set.

    `active` lists the statuses of people who work here. If it is empty, all statuses except those in `left`
    count. Headers and statuses are compared without regard to case. `date` is a format of `strptime`.
    """

    headers: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ("Desligado",)
    active: tuple[str, ...] = ()
    separator: str | None = None
    encoding: str | None = None
    date: str = "%d/%m/%Y"
    course_separator: str = ","

    def header(self, name: str) -> str:
        return self.headers.get(name, HEADERS[name])


@dataclass
class Employee:
    """One row. `body` is the request body: an empty cell is null, which clears the member.

    `courses` are slugs; None if the file has no such column.
    """

    line: int
    email: str
    number: str | None
    has_left: bool
    body: Json
    courses: tuple[str, ...] | None = None


# A row, and what is wrong with it.
Problem = tuple[Employee, str]


def read_mapping(path: Path | None) -> Mapping:
    """Reads a mapping file. Raises ValueError if it is invalid."""
    if path is None:
        return Mapping()
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}.") from None
    statuses = raw.pop("statuses", {})
    known = {each.name for each in fields(Mapping)}
    unknown = [*(raw.keys() - known), *(statuses.keys() - {"left", "active"})]
    unknown += raw.get("headers", {}).keys() - HEADERS.keys()
    if unknown:
        raise ValueError(f"{path} says {', '.join(sorted(unknown))}, which means nothing here.")
    lists = {name: tuple(values) for name, values in statuses.items()}
    if (separator := raw.get("separator")) is not None:
        raw["separator"] = SEPARATORS.get(separator, separator)
    return Mapping(**raw, **lists)


def read_employees(path: Path, mapping: Mapping | None = None) -> tuple[list[Employee], list[Problem]]:
    """Returns the rows that can be sent, and those that cannot. Raises ValueError if columns are missing."""
    mapping = mapping or Mapping()
    text, skipped = _without_hint(_decoded(path.read_bytes(), mapping))
    header = text.partition("\n")[0]
    separator = mapping.separator or skipped or max(SEPARATORS.values(), key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    columns = {_folded(title): place for place, title in enumerate(next(reader, []))}
    places = {name: columns.get(_folded(mapping.header(name))) for name in HEADERS}
    if missing := [mapping.header(name) for name in NEEDED if places[name] is None]:
        raise ValueError(f"{path} has no column {', '.join(sorted(missing))}.")
    first_line = 1 if skipped else 0
    rows = (
        _Row(reader.line_num + first_line, _cells(places, row)) for row in reader if any(map(str.strip, row))
    )
    return _sorted_out((row.employee(mapping) for row in rows), mapping)


def _decoded(raw: bytes, mapping: Mapping) -> str:
    if mapping.encoding:
        return raw.decode(mapping.encoding).removeprefix("\ufeff")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    # UTF-16 without a byte order mark: no header begins with two characters of which one is NUL
    if raw[1:2] == b"\0":
        return raw.decode("utf-16-le")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")  # what spreadsheets on Windows write


def _without_hint(text: str) -> tuple[str, str | None]:
    """Skips a first line `sep=;`, which tells spreadsheets the separator."""
    first, _, rest = text.partition("\n")
    hint = first.strip("\r\"' ")
    if hint.lower().startswith("sep=") and len(hint) == 5:
        return rest, hint[4]
    return text, None


def _cells(places: dict[str, int | None], row: list[str]) -> dict[str, str]:
    """Returns the cells by the names in `HEADERS`, without missing columns."""
    return {
        name: row[place].strip() if place < len(row) else ""
        for name, place in places.items()
        if place is not None
    }


def _sorted_out(
    rows: Iterator[tuple[Employee, str]], mapping: Mapping
) -> tuple[list[Employee], list[Problem]]:
    employees: list[Employee] = []
    problems: list[Problem] = []
    by_email: dict[str, Employee] = {}
    by_number: dict[str, Employee] = {}
    for employee, status in rows:
        known = not mapping.active or employee.has_left or _is_in(status, mapping.active)
        if not employee.email:
            problems.append((employee, "The row has no e-mail."))
        elif not employee.body["name"] and not employee.has_left:
            problems.append((employee, "The row has no name."))
        elif not known:
            problems.append((employee, f"The mapping does not say what the status {status!r} is."))
        elif first := by_email.get(employee.email):
            problems.append((employee, f"Line {first.line} has the same e-mail."))
        elif employee.number and (first := by_number.get(employee.number)):
            problems.append((employee, f"Line {first.line} has the same employee number."))
        else:
            employees.append(employee)
            by_email[employee.email] = employee
            if employee.number:
                by_number[employee.number] = employee
    return employees, problems


class _Row:
    def __init__(self, line: int, cells: dict[str, str]) -> None:
        self._line = line
        self._cells = cells

    def employee(self, mapping: Mapping) -> tuple[Employee, str]:
        """Returns the employee and the raw status. Unreadable cells are sent unchanged, so that the server
        refuses them.
        """
        cells = self._cells
        body: Json = {"email": _email(cells["email"])}
        for member, read in MEMBERS.items():
            if member in cells:
                body[member] = read(cells[member]) or None
        if "birth_date" in cells:
            body["birth_date"] = _iso(cells["birth_date"], mapping.date) or None
        if "cnh" in cells:
            body["cnh"] = _cnh(cells, mapping.date) if cells["cnh"] else None
        courses = None
        if "courses" in cells:
            slugs = (slug.strip() for slug in cells["courses"].split(mapping.course_separator))
            courses = tuple(slug for slug in slugs if slug)
        status = cells.get("status", "")
        has_left = _is_in(status, mapping.left)
        number = body.get("employee_number")
        return Employee(self._line, body["email"], number, has_left, body, courses), status


def _is_in(status: str, statuses: tuple[str, ...]) -> bool:
    return _folded(status) in map(_folded, statuses)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _email(cell: str) -> str:
    """Returns the address as Trilha stores it: in lowercase, with the domain in ASCII."""
    local, at, domain = cell.lower().rpartition("@")
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except idna.IDNAError:
            return cell.lower()
    return f"{local}{at}{domain}"


def _cpf(cell: str) -> str:
    # A spreadsheet that took it for a number has dropped the leading zeros.
    return cell.zfill(11) if cell.isdigit() else cell


def _phone(cell: str) -> str:
    # The 0 before an area code is not part of the number.
    return "".join(c for c in cell if c not in " ()-./").lstrip("0")


def _iso(day: str, form: str) -> str:
    try:
        return datetime.strptime(day, form).date().isoformat()  # noqa: DTZ007
    except ValueError:
        return day


def _cnh(cells: dict[str, str], form: str) -> Json:
    return {
        "numero": cells["cnh"].zfill(11),
        "categoria": cells.get("cnh_category", "").upper(),
        "validade": _iso(cells.get("cnh_expiry", ""), form),
        "ear": cells.get("cnh_paid", "").lower() in ("sim", "s"),
    }


# The members that are one cell each, with the functions that read them.
MEMBERS: dict[str, Callable[[str], str]] = {
    "name": str,
    "employee_number": str,
    "department": str,
    "job_title": str,
    "cpf": _cpf,
    "phone": _phone,
}
