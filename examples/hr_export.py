"""Reads an HR export as Brazilian payroll systems write it, row by row, into what the API takes."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass
class Employee:
    """One row. `body` is what the API takes: an empty cell is null, which clears the member."""

    line: int
    email: str
    has_left: bool
    body: Json


# A row, and what is wrong with it.
Problem = tuple[Employee, str]


def read_employees(path: Path) -> tuple[list[Employee], list[Problem]]:
    """The rows that can be sent, and those that cannot. Raises ValueError when columns are missing."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")  # what spreadsheets on Windows write
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if missing := {"Nome", "E-mail"} - set(reader.fieldnames or ()):
        raise ValueError(f"{path} has no column {', '.join(sorted(missing))}.")
    employees: dict[str, Employee] = {}
    problems: list[Problem] = []
    for cells in reader:
        employee = _employee(reader.line_num, {k: (v or "").strip() for k, v in cells.items() if k})
        if not employee.email:
            problems.append((employee, "The row has no e-mail."))
        elif first := employees.get(employee.email):
            problems.append((employee, f"Line {first.line} has the same e-mail."))
        else:
            employees[employee.email] = employee
    return list(employees.values()), problems


def _employee(line: int, cells: dict[str, str]) -> Employee:
    """Leaves out members without a column. What cannot be read is sent as it is, for the server to refuse."""
    body: Json = {"email": cells["E-mail"].lower()}
    for member, (title, read) in MEMBERS.items():
        if title in cells:
            body[member] = read(cells[title]) or None
    if "CNH" in cells:
        body["cnh"] = _cnh(cells) if cells["CNH"] else None
    return Employee(line, body["email"], cells.get("Situação", "").lower() == "desligado", body)


def _cpf(cell: str) -> str:
    # A spreadsheet that took it for a number has dropped the leading zeros.
    return cell.zfill(11) if cell.isdigit() else cell


def _phone(cell: str) -> str:
    # The 0 dialled before an area code is not part of the number.
    return "".join(c for c in cell if c not in " ()-./").lstrip("0")


def _iso(day: str) -> str:
    try:
        return datetime.strptime(day, "%d/%m/%Y").date().isoformat()  # noqa: DTZ007
    except ValueError:
        return day


def _cnh(cells: dict[str, str]) -> Json:
    return {
        "numero": cells["CNH"].zfill(11),
        "categoria": cells.get("Categoria CNH", "").upper(),
        "validade": _iso(cells.get("Validade CNH", "")),
        "ear": cells.get("EAR", "").lower() in ("sim", "s"),
    }


# Each member of a user with its column and the way to read a cell.
MEMBERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "name": ("Nome", str),
    "employee_number": ("Matrícula", str),
    "department": ("Departamento", str),
    "job_title": ("Cargo", str),
    "cpf": ("CPF", _cpf),
    "phone": ("Celular", _phone),
    "birth_date": ("Data de Nascimento", _iso),
}
