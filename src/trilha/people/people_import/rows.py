"""Parses rows and finds their problems. No I/O, no clock."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from trilha.core.errors import CODES, Invalid, Problem
from trilha.core.web.parsing import convert
from trilha.people.people_import.schema import CheckedRow, PersonRow, RowProblem
from trilha.people.people_import.sheet import Row, Sheet
from trilha.people.users.words import search_text

# Codes for problems that only a row can have; all others are codes of the API.
MESSAGES = {
    "duplicate_row": "An earlier line has the same e-mail address, CPF or employee number.",
    "too_many_cells": "The line has more cells than the header.",
    "ambiguous_employee_number": "Several people have this employee number.",
    "employee_number_of_another": "The employee number belongs to a person with a different e-mail address.",
    "ambiguous_business_unit": "Several business units have this name. Use the unit's code.",
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
_MAX_DISPLAY_LENGTH = 60


def check_all(sheet: Sheet, mapping: Mapping[str, str], today: date) -> list[CheckedRow]:
    """Parses every row. If two rows are about the same person, only the first is accepted."""
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
        checked_row = _check(row, values, headers, len(sheet.headers), today)
        keys = _keys(checked_row.person) if checked_row.person else []
        if duplicate_keys := [name for name, value in keys if (name, value) in seen]:
            name = duplicate_keys[0]
            duplicate = problem(row.line, 0, headers[name], "duplicate_row", name, values[name])
            checked_row = CheckedRow(row.line, None, [duplicate])
        else:
            seen.update(keys)
        checked.append(checked_row)
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
    line: int, errors: Sequence[Problem], values: Mapping[str, str], headers: Mapping[str, str]
) -> Iterator[RowProblem]:
    for number, error in enumerate(errors):
        member = _MEMBER_OF_PATH.get(error.field, error.field)
        yield problem(line, number, headers.get(member, ""), error.code, member, values.get(member, ""))


def problem(line: int, number: int, column: str, code: str, member: str = "", value: str = "") -> RowProblem:
    message = MESSAGES.get(code) or CODES[code].message
    return RowProblem(line, number, column, code, message, mask(member, value))


def mask(member: str, value: str) -> str:
    """Hides documents and passwords for a report. Long digits are hidden in every column, because a value may
    be in the wrong one.
    """
    if member == "password":
        return "*" * 8 if value else ""
    if member in _SECRET:
        value = re.sub(r"[^\W_](?=(?:[\W_]*[^\W_]){2})", "*", value)
    if member == "birth_date" or sum(character.isdigit() for character in value) >= 8:
        keep = 0 if member == "birth_date" else 2
        value = re.sub(rf"\d(?=(?:\D*\d){{{keep}}})", "*", value)
    return value if len(value) <= _MAX_DISPLAY_LENGTH else value[: _MAX_DISPLAY_LENGTH - 1] + "…"


def _members(values: Mapping[str, str]) -> dict[str, Any]:
    """Converts cells to the members of PersonRow."""
    raw: dict[str, Any] = {name: value for name, value in values.items() if name not in _CNH}
    if role := raw.get("role"):
        raw["role"] = _ROLES.get(search_text(role), role)
    if cpf := raw.get("cpf"):
        raw["cpf"] = _with_zeros(cpf)
    for name in ("birth_date", "hire_date"):
        if day := raw.get(name):
            raw[name] = _iso_date(day)
    cnh: dict[str, Any] = {inner: values[name] for name, inner in _CNH.items() if name in values}
    # An EAR cell alone says nothing: the person has no license.
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
    """Restores leading zeros, which spreadsheets remove from documents because they read them as numbers."""
    return digits.zfill(11) if digits.isdecimal() and 8 < len(digits) < 11 else digits


def _iso_date(text: str) -> str:
    """Converts 31/12/1990 to 1990-12-31. Other text is returned as it is; validation refuses it later."""
    match = _DAY_FIRST.fullmatch(text)
    return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}" if match else text.partition(" ")[0]


def _yes_or_no(text: str) -> bool | str:
    word = search_text(text)
    return True if word in _YES else False if not word or word in _NO else text
