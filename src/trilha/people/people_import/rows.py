"""Parses rows and finds their problems. No I/O, no clock."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from trilha.core.errors import CODES, Invalid, Problem
from trilha.core.web.parsing import convert
from trilha.people.custom_fields import values as custom_values
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import PREFIX
from trilha.people.people_import import cells
from trilha.people.people_import.schema import CheckedRow, PersonRow, RowProblem
from trilha.people.people_import.sheet import Row, Sheet
from trilha.people.users.words import search_text

# Codes for problems that only a row can have; all others are codes of the API.
MESSAGES = {
    "duplicate_row": "An earlier line has the same e-mail address, CPF or employee number.",
    "too_many_cells": "The line has more cells than the header.",
    "ambiguous_employee_number": "Several people have this employee number.",
    "employee_number_of_another": "The employee number belongs to a person with a different e-mail address.",
    "invalid_number": "This is not a number.",
    "ambiguous_business_unit": "Several business units have this name. Use the unit's code.",
}
_ROLES = {
    **dict.fromkeys(("learner", "aluno", "aluna", "colaborador", "colaboradora", "participante"), "learner"),
    **dict.fromkeys(("gestor", "gestora", "manager", "supervisor", "supervisora"), "gestor"),
    **dict.fromkeys(("instrutor", "instrutora", "instructor", "professor", "professora"), "instrutor"),
    **dict.fromkeys(("admin", "administrador", "administradora", "administrator"), "admin"),
}
_CNH = {"cnh_number": "numero", "cnh_category": "categoria", "cnh_expiry": "validade", "cnh_ear": "ear"}
_MEMBER_OF_PATH = {f"cnh.{name}": member for member, name in _CNH.items()} | {"cnh": "cnh_number"}
_SECRET = {"cpf", "phone", "birth_date", "cnh_number", "cnh_expiry", "password"}
_UNIQUE = ("email", "cpf", "employee_number")
_MAX_DISPLAY_LENGTH = 60


def check_all(
    sheet: Sheet, mapping: Mapping[str, str], today: date, fields: Mapping[str, CustomField]
) -> list[CheckedRow]:
    """Parses every row. If two rows are about the same person, only the first is accepted. `fields` are the
    company's custom fields by key.
    """
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
        checked_row = _check(row, values, headers, len(sheet.headers), today, fields)
        keys = _keys(checked_row.person) if checked_row.person else []
        if duplicate_keys := [name for name, value in keys if (name, value) in seen]:
            name = duplicate_keys[0]
            duplicate = problem(row.line, 0, headers[name], "duplicate_row", mask(name, values[name]))
            checked_row = CheckedRow(row.line, None, [duplicate])
        else:
            seen.update(keys)
        checked.append(checked_row)
    return checked


def _keys(person: PersonRow) -> list[tuple[str, str]]:
    return [(name, value) for name in _UNIQUE if (value := getattr(person, name))]


def _check(
    row: Row,
    values: Mapping[str, str],
    headers: Mapping[str, str],
    width: int,
    today: date,
    fields: Mapping[str, CustomField],
) -> CheckedRow:
    if any(cell.strip() for cell in row.cells[width:]):
        return CheckedRow(row.line, None, [problem(row.line, 0, "", "too_many_cells")])
    errors: list[Problem] = []
    person = custom = None
    try:
        person = convert(PersonRow, _members(values), today)
    except Invalid as error:
        errors += error.detail
    try:
        custom = custom_values.check(_custom_members(values, fields), fields)
    except Invalid as error:
        errors += error.detail
    if person is None or custom is None:
        return CheckedRow(row.line, None, list(_problems(row.line, errors, values, headers, fields)))
    if person.email is None and person.employee_number is None:
        member = "email" if "email" in headers else "employee_number"
        return CheckedRow(row.line, None, [problem(row.line, 0, headers.get(member, ""), "required")])
    return CheckedRow(row.line, person, custom_fields=custom)


def _problems(
    line: int,
    errors: Sequence[Problem],
    values: Mapping[str, str],
    headers: Mapping[str, str],
    fields: Mapping[str, CustomField],
) -> Iterator[RowProblem]:
    for number, error in enumerate(errors):
        member = _MEMBER_OF_PATH.get(error.field, error.field)
        code = "invalid_number" if _is_of_number(member, error.code, fields) else error.code
        value = mask(member, values.get(member, ""), fields)
        yield problem(line, number, headers.get(member, ""), code, value)


def _is_of_number(member: str, code: str, fields: Mapping[str, CustomField]) -> bool:
    """Returns whether a cell of a number has other text."""
    return code == "invalid_type" and member.removeprefix(PREFIX) in fields and member.startswith(PREFIX)


def problem(line: int, number: int, column: str, code: str, value: str = "") -> RowProblem:
    """Builds a problem of a line. `value` must be masked."""
    return RowProblem(line, number, column, code, MESSAGES.get(code) or CODES[code].message, value)


def mask(member: str, value: str, fields: Mapping[str, CustomField] | None = None) -> str:
    """Hides documents, passwords and personal custom fields for a report. Long digits are hidden in every
    column, because a value may be in the wrong one.
    """
    if member.startswith(PREFIX):
        field = (fields or {}).get(member.removeprefix(PREFIX))
        if field is None or field.personal:  # An unknown field may be a misspelled personal one.
            return custom_values.MASK if value else ""
    if member == "password":
        return "*" * 8 if value else ""
    if member in _SECRET:
        value = re.sub(r"[^\W_](?=(?:[\W_]*[^\W_]){2})", "*", value)
    if member == "birth_date" or sum(character.isdigit() for character in value) >= 8:
        keep = 0 if member == "birth_date" else 2
        value = re.sub(rf"\d(?=(?:\D*\d){{{keep}}})", "*", value)
    return value if len(value) <= _MAX_DISPLAY_LENGTH else value[: _MAX_DISPLAY_LENGTH - 1] + "…"


def _custom_members(values: Mapping[str, str], fields: Mapping[str, CustomField]) -> dict[str, Any]:
    """Converts the cells of custom fields to their values by key."""
    texts = {name.removeprefix(PREFIX): text for name, text in values.items() if name.startswith(PREFIX)}
    return cells.custom_values(texts, fields)


def _members(values: Mapping[str, str]) -> dict[str, Any]:
    """Converts cells to the members of PersonRow."""
    raw: dict[str, Any] = {
        name: value for name, value in values.items() if name not in _CNH and not name.startswith(PREFIX)
    }
    if role := raw.get("role"):
        raw["role"] = _ROLES.get(search_text(role), role)
    if cpf := raw.get("cpf"):
        raw["cpf"] = cells.with_zeros(cpf)
    for name in ("birth_date", "hire_date"):
        if day := raw.get(name):
            raw[name] = cells.iso_date(day)
    cnh: dict[str, Any] = {inner: values[name] for name, inner in _CNH.items() if name in values}
    # An EAR cell alone says nothing: the person has no license.
    if set(cnh) - {"ear"}:
        if "numero" in cnh:
            cnh["numero"] = cells.with_zeros(re.sub(r"[ .-]", "", cnh["numero"]))
        if "categoria" in cnh:
            cnh["categoria"] = cnh["categoria"].upper()
        if "validade" in cnh:
            cnh["validade"] = cells.iso_date(cnh["validade"])
        raw["cnh"] = cnh | {"ear": cells.yes_or_no(cnh.get("ear", ""))}
    return raw
