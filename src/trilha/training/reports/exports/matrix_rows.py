"""The rows of a compliance export: a person in each, and a column for each requirement."""

import csv
import io
from typing import Any, Literal, cast
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Snapshot
from trilha.core.spreadsheets import safe_cell
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import Role
from trilha.people.users.workplaces import UNIT_MANAGERS
from trilha.training.reports.exports.rows import END, Cells, Source, guard_formula, plain
from trilha.training.reports.report_filter import people_within
from trilha.training.requirements import queries as requirements
from trilha.training.requirements.matrix import LATEST, MAX_COLUMNS
from trilha.training.requirements.standing import State

_HEADS = {
    "en": ("Name", "E-mail", "Employee number", "Business unit", "Manager", "Job title"),
    "pt-BR": ("Nome", "E-mail", "Número de registro", "Unidade de negócio", "Gestor(a)", "Cargo"),
}
_STATES: dict[str, dict[State, str]] = {
    "en": {
        "VALID": "Valid",
        "DUE_SOON": "Due soon",
        "OVERDUE": "Overdue",
        "MISSING": "Not done yet",
        "EXCUSED": "Excused",
    },
    "pt-BR": {
        "VALID": "Em dia",
        "DUE_SOON": "Vence em breve",
        "OVERDUE": "Atrasado",
        "MISSING": "Ainda não feito",
        "EXCUSED": "Dispensado",
    },
}


class MatrixFilter(Struct, frozen=True, kw_only=True):
    """The people and requirements to export. `at` is the end of an earlier day. `reader` and `role` limit the
    export to the reach of the person who requested it; None means everybody.
    """

    locale: Literal["en", "pt-BR"]
    time_zone: str
    at: str | None = None
    unit_id: UUID | None = None
    job_title: str | None = None
    requirement_id: UUID | None = None
    state: State | None = None
    reader: UUID | None = None
    role: str | None = None


async def build_source(snapshot: Snapshot, matrix_filter: MatrixFilter, cells: Cells) -> Source:
    """Reads which requirements are columns, and returns the statement of the rows."""
    columns = [
        each
        for each in await requirements.list_all(snapshot)
        if (each.active if matrix_filter.requirement_id is None else each.id == matrix_filter.requirement_id)
    ][:MAX_COLUMNS]
    titles = [each.title for each in columns]
    heads = [*_HEADS[matrix_filter.locale], *(map(safe_cell, titles) if cells == "guarded" else titles)]
    where, params = _where(matrix_filter)
    params |= {"requirements": [each.id for each in columns], "zone": matrix_filter.time_zone}
    params |= {f"word_{state}": word for state, word in _STATES[matrix_filter.locale].items()}
    text = guard_formula if cells == "guarded" else plain
    values = "".join(f", COALESCE(cells ->> '{each.id}', '')" for each in columns)
    sql = f"""
        SELECT {text("name")}, {text("email")}, {text("employee_number")}, {text("unit")}, {text("managers")},
               {text("job_title")}{values}
               || chr({ord(END)})
        FROM (
            SELECT u.name, u.email, u.employee_number, u.job_title, u.name_key, u.id, own.cells,
                ({UNIT_MANAGERS.format("u.business_unit_id")}) AS managers, (
                SELECT unit.name FROM business_units AS unit
                WHERE unit.tenant_id = :tenant AND unit.id = u.business_unit_id) AS unit
            FROM users AS u CROSS JOIN LATERAL (
                SELECT jsonb_object_agg(requirement_id, {_cell(matrix_filter)}) AS cells
                FROM {_standings(matrix_filter)} AS standing
                WHERE user_id = u.id AND requirement_id = ANY(:requirements)) AS own
            WHERE u.tenant_id = :tenant AND {where} AND own.cells IS NOT NULL
            ORDER BY u.name_key, u.id) AS row
        ORDER BY name_key, id"""  # noqa: S608
    count = await snapshot.value(
        f"SELECT count(*) FROM users AS u WHERE u.tenant_id = :tenant AND {where}",  # noqa: S608
        **{name: params[name] for name in _where(matrix_filter)[1]},
    )
    return Source(_write_header(heads), sql, params, count, texts=len(heads))


def _write_header(heads: list[str]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(heads)
    return line.getvalue().encode()


def _standings(matrix_filter: MatrixFilter) -> str:
    if matrix_filter.at is None:
        return """(SELECT user_id, requirement_id, state, valid_until FROM requirement_people
                   WHERE tenant_id = :tenant)"""
    return f"(SELECT *, NULL::timestamptz AS valid_until FROM ({LATEST}) AS past WHERE state IS NOT NULL)"  # noqa: S608


def _cell(matrix_filter: MatrixFilter) -> str:
    whens = " ".join(f"WHEN '{state}' THEN CAST(:word_{state} AS text)" for state in _STATES["en"])
    date = "DD/MM/YYYY" if matrix_filter.locale == "pt-BR" else "YYYY-MM-DD"
    return f"""(CASE state {whens} END)
        || COALESCE(' · ' || to_char(valid_until AT TIME ZONE CAST(:zone AS text), '{date}'), '')"""


def _where(matrix_filter: MatrixFilter) -> tuple[str, dict[str, Any]]:
    reach = Reach(cast(Role, matrix_filter.role or "admin"), matrix_filter.reader)
    within, params = reach.condition("u")
    # The managed units are a condition of both.
    of_unit, of_params = people_within(EVERYONE, matrix_filter.unit_id, None)
    conditions, params = [within, *of_unit], params | of_params
    if matrix_filter.job_title is not None:
        conditions.append("u.job_title = :job_title")
        params["job_title"] = matrix_filter.job_title
    chosen = ""
    if matrix_filter.requirement_id is not None:
        chosen = "AND p.requirement_id = :requirement_id"
        params["requirement_id"] = matrix_filter.requirement_id
    if matrix_filter.at is not None:
        params["at"] = matrix_filter.at
    if matrix_filter.state is not None:
        params["state"] = matrix_filter.state
        standings = f"""
            SELECT p.state FROM requirement_people AS p
            WHERE p.tenant_id = :tenant AND p.user_id = u.id {chosen}"""  # noqa: S608
        if matrix_filter.at is not None:
            standings = f"""
                SELECT DISTINCT ON (p.requirement_id) p.state FROM requirement_history AS p
                WHERE p.tenant_id = :tenant AND p.user_id = u.id AND p.changed_at < :at {chosen}
                ORDER BY p.requirement_id, p.changed_at DESC"""  # noqa: S608
        conditions.append(f"EXISTS (SELECT FROM ({standings}) AS own WHERE own.state = :state)")
    return " AND ".join(conditions) or "true", params
