"""What a row means, and what is wrong with it. No I/O, no clock."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from trilha.core.errors import CODES, Invalid, Problem
from trilha.core.web.parsing import convert
from trilha.people_import.schema import CheckedRow, PersonRow, RowProblem
from trilha.people_import.sheet import Row, Sheet
from trilha.users.words import search_text

# What can be wrong with a row and with no request; the other codes are those of the API.
MESSAGES = {
    "duplicate_row": "An earlier line has the same e-mail, CPF or employee number.",
    "too_many_cells": "The line has more cells than the header.",
    "ambiguous_employee_number": "Several people have this employee number.",
    "employee_number_of_another": "The employee number is that of a person with another e-mail.",
    "ambiguous_business_unit": "Several business units have this name; give the code.",
}
_ROLES = {
    **dict.fromkeys(("learner", "aluno", "aluna", "colaborador", "colaboradora", "participante"), "learner"),
    **dict.fromkeys(("gestor", "gestora", "manager", "supervisor", "supervisora"), "gestor"),
    **dict.fromkeys(("instrutor", "instrutora", "instructor", "professor", "professora"), "instrutor"),
    **dict.fromkeys(("admin", "administrador", "administradora", "administrator"), "admin"),
}
_YES = {"sim", "s", "yes", "y", "true", "verdadeiro", "1", "x"}
_NO = {"nao", "n", "no", "false", "falso", "0", "-"}
_CNH = {"cnh_number": "numero", "cnh_category": "categoria", "cnh_expiry": "validade", "cnh_ear": "ear"}
_MEMBER_OF_PATH = {f"cnh.{name}": member for member, name in _CNH.items()} | {"cnh": "cnh_number"}
_DAY_FIRST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_SECRET = {"cpf", "phone", "birth_date", "cnh_number", "cnh_expiry", "password"}
_UNIQUE = ("email", "cpf", "employee_number")
_LONGEST_SHOWN = 60


def check_all(sheet: Sheet, mapping: Mapping[str, str], today: date) -> list[CheckedRow]:
    """Every row, understood or with its problems. Of those that say the same person, the first counts."""
    columns = {member: (sheet.headers.index(header), header) for header, member in mapping.items()}
    seen: set[tuple[str, str]] = set()
    checked = []
    headers = {member: header for member, (_, header) in columns.items()}
    for row in sheet.rows:
        values = {
            member: row.cells[place].strip()
            for member, (place, _) in columns.items()
            if place < len(row.cells) and row.cells[place].strip()
        }
        each = _check(row, values, headers, len(sheet.headers), today)
        keys = _keys(each.person) if each.person else []
        if twice := [name for name, value in keys if (name, value) in seen]:
            name = twice[0]
            found = problem(row.line, 0, headers[name], "duplicate_row", name, values[name])
            each = CheckedRow(row.line, None, [found])
        else:
            seen.update(keys)
        checked.append(each)
    return checked


def _keys(person: PersonRow) -> list[tuple[str, str]]:
    return [(name, value) for name in _UNIQUE if (value := getattr(person, name))]


def _check(
    row: Row, values: Mapping[str, str], headers: Mapping[str, str], width: int, today: date
) -> CheckedRow:
    if any(cell.strip() for cell in row.cells[width:]):
        return CheckedRow(row.line, None, [problem(row.line, 0, "", "too_many_cells")])
    try:
        person = convert(PersonRow, _members(values), today)
    except Invalid as error:
        return CheckedRow(row.line, None, list(_problems(row.line, error.detail, values, headers)))
    if person.email is None and person.employee_number is None:
        member = "email" if "email" in headers else "employee_number"
        return CheckedRow(row.line, None, [problem(row.line, 0, headers.get(member, ""), "required")])
    return CheckedRow(row.line, person)


def _problems(
    line: int, found: Sequence[Problem], values: Mapping[str, str], headers: Mapping[str, str]
) -> Iterator[RowProblem]:
    for number, each in enumerate(found):
        member = _MEMBER_OF_PATH.get(each.field, each.field)
        yield problem(line, number, headers.get(member, ""), each.code, member, values.get(member, ""))


def problem(line: int, number: int, column: str, code: str, member: str = "", value: str = "") -> RowProblem:
    message = MESSAGES.get(code) or CODES[code].message
    return RowProblem(line, number, column, code, message, masked(member, value))


def masked(member: str, value: str) -> str:
    """As a report may show it: no document can be read from it, in whichever column it stands."""
    if member == "password":
        return "*" * 8 if value else ""
    if member in _SECRET:
        value = re.sub(r"[^\W_](?=(?:[\W_]*[^\W_]){2})", "*", value)
    if member == "birth_date" or sum(each.isdigit() for each in value) >= 8:
        keep = 0 if member == "birth_date" else 2
        value = re.sub(rf"\d(?=(?:\D*\d){{{keep}}})", "*", value)
    return value if len(value) <= _LONGEST_SHOWN else value[: _LONGEST_SHOWN - 1] + "…"


def _members(values: Mapping[str, str]) -> dict[str, Any]:
    """The cells as the members of PersonRow."""
    raw: dict[str, Any] = {name: value for name, value in values.items() if name not in _CNH}
    if role := raw.get("role"):
        raw["role"] = _ROLES.get(search_text(role), role)
    if cpf := raw.get("cpf"):
        raw["cpf"] = _with_zeros(cpf)
    if born := raw.get("birth_date"):
        raw["birth_date"] = _iso_date(born)
    cnh: dict[str, Any] = {inner: values[name] for name, inner in _CNH.items() if name in values}
    # Whether they drive for a living says nothing of who has no licence.
    if set(cnh) - {"ear"}:
        if "numero" in cnh:
            cnh["numero"] = _with_zeros(re.sub(r"[ .-]", "", cnh["numero"]))
        if "categoria" in cnh:
            cnh["categoria"] = cnh["categoria"].upper()
        if "validade" in cnh:
            cnh["validade"] = _iso_date(cnh["validade"])
        raw["cnh"] = cnh | {"ear": _yes_or_no(cnh.get("ear", ""))}
    return raw


def _with_zeros(digits: str) -> str:
    """Spreadsheets take a document for a number, and drop the zeros it begins with."""
    return digits.zfill(11) if digits.isdecimal() and 8 < len(digits) < 11 else digits


def _iso_date(text: str) -> str:
    """31/12/1990 as 1990-12-31; what is of no such form stays, to be refused."""
    found = _DAY_FIRST.fullmatch(text)
    return f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}" if found else text.partition(" ")[0]


def _yes_or_no(text: str) -> bool | str:
    word = search_text(text)
    return True if word in _YES else False if not word or word in _NO else text
