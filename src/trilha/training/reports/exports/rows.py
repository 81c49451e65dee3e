"""The rows of an enrollment export, newest first, written by PostgreSQL as CSV."""

from typing import Any, Literal, cast
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Snapshot
from trilha.core.spreadsheets import FORMULA_STARTS
from trilha.people.users.reach import Reach
from trilha.people.users.schema import Role
from trilha.people.users.workplaces import UNIT_MANAGERS
from trilha.training.enrollments.lists import DUE
from trilha.training.reports.report_filter import courses_within, people_within

_PERSON = ("student_name", "student_email")
_WORKPLACE = ("employee_number", "business_unit", "manager")
_ENROLLMENT = (
    *("course", "status", "progress", "score"),
    *("enrolled_at", "started_at", "completed_at", "expires_at"),
)
# The columns of the API. Files of the panel also have the workplace, after the person.
COLUMNS = (*_PERSON, *_ENROLLMENT)
HEADER = (",".join(COLUMNS) + "\r\n").encode()
MAX_ROWS = 50_000
# PostgreSQL ends lines with LF, RFC 4180 with CRLF, and a LF inside a cell must stay. So each row ends with a
# character that no cell has.
END = "\x02"
_ROW_END, _CRLF = b"\x02\n", b"\r\n"
_STARTS = ", ".join(f"chr({ord(each)})" for each in FORMULA_STARTS)

Cells = Literal["guarded", "plain"]


class ExportFilter(Struct, frozen=True, kw_only=True):
    """The enrollments to export; of any status if none is named. `unit_id` includes the units below it.
    `reader` and `role` limit the export to the reach of the person who requested it; None means everybody.
    With `workplaces`, rows have the person's employee number, business unit and its managers.
    """

    course_id: UUID | None = None
    unit_id: UUID | None = None
    group_id: UUID | None = None
    statuses: list[str] = []
    reader: UUID | None = None
    role: str | None = None
    workplaces: bool = False


class Source(Struct, frozen=True):
    """What an export reads. Of the columns, the first `texts` are texts, then `numbers` are numbers, and the
    others are times. `count` is the number of rows.
    """

    header: bytes
    sql: str
    params: dict[str, Any]
    count: int
    texts: int
    numbers: int = 0


async def build_source(snapshot: Snapshot, export_filter: ExportFilter, cells: Cells) -> Source:
    sql, params = select(export_filter, cells)
    columns: tuple[str, ...] = COLUMNS
    texts = 4
    if export_filter.workplaces:
        columns, texts = (*_PERSON, *_WORKPLACE, *_ENROLLMENT), texts + len(_WORKPLACE)
    header = (",".join(columns) + "\r\n").encode()
    return Source(header, sql, params, await count(snapshot, export_filter), texts=texts, numbers=2)


def with_crlf(piece: bytes) -> bytes:
    """Ends the lines of `select`'s output with CRLF, as RFC 4180 requires. The input holds whole rows."""
    return piece.replace(_ROW_END, _CRLF)


def count_in(piece: bytes) -> int:
    """Counts the rows in `select`'s output."""
    return piece.count(_ROW_END)


async def is_over_limit(snapshot: Snapshot, export_filter: ExportFilter, maximum: int) -> bool:
    where, params = _where(export_filter)
    select = f"SELECT FROM enrollments AS e WHERE {where} OFFSET {maximum} LIMIT 1"
    more: bool = await snapshot.value(f"SELECT EXISTS ({select})", **params)
    return more


async def count(snapshot: Snapshot, export_filter: ExportFilter) -> int:
    where, params = _where(export_filter)
    found: int = await snapshot.value(
        f"SELECT count(*) FROM enrollments AS e WHERE {where}",  # noqa: S608
        **params,
    )
    return found


def select(
    export_filter: ExportFilter, cells: Cells, row_limit: int | None = None
) -> tuple[str, dict[str, Any]]:
    """Returns the statement and its parameters. `guarded` prefixes cells that a spreadsheet would run as
    formulas.
    """
    where, params = _where(export_filter)
    text = guard_formula if cells == "guarded" else plain
    limit = "" if row_limit is None else f"LIMIT {row_limit}"
    units, workplace, joined = "", "", ""
    if export_filter.workplaces:
        # Read once for each unit, as many people share one.
        units = f"""
            WITH places AS MATERIALIZED (
                SELECT unit.id, unit.name, ({UNIT_MANAGERS.format("unit.id")}) AS managers
                FROM business_units AS unit WHERE unit.tenant_id = :tenant)"""  # noqa: S608
        workplace = "".join(f"{text(name)}, " for name in ("employee_number", "unit", "managers"))
        joined = """LEFT JOIN (
            SELECT u.id AS person_id, u.employee_number, places.name AS unit, places.managers
            FROM users AS u LEFT JOIN places ON places.id = u.business_unit_id
            WHERE u.tenant_id = :tenant) AS place ON place.person_id = row.user_id"""
    # Cells are formatted last: only for the rows of the file, and after sorting.
    sql = f"""
        {units}
        SELECT {text("name")}, {text("email")}, {workplace}{text("title")}, status, progress, score,
               {_moment("created_at")}, {_moment("started_at")}, {_moment("completed_at")},
               COALESCE({_moment("expires_at")}, '') || chr({ord(END)})
        FROM (
            SELECT u.name, u.email, c.title,
                   CASE WHEN {DUE.format("e.")} THEN 'EXPIRED' ELSE e.status END AS status, e.progress,
                   e.score, e.created_at, e.started_at, e.completed_at, e.expires_at, e.id, e.user_id
            FROM enrollments AS e
            JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
            JOIN courses AS c ON c.tenant_id = :tenant AND c.id = e.course_id
            WHERE {where}
            ORDER BY e.created_at DESC, e.id DESC {limit}) AS row {joined}
        ORDER BY created_at DESC, id DESC"""  # noqa: S608
    return sql, params


def _where(export_filter: ExportFilter) -> tuple[str, dict[str, Any]]:
    conditions, params = ["e.tenant_id = :tenant"], dict[str, Any]()
    if export_filter.statuses:
        due = DUE.format("e.")
        others = [each for each in export_filter.statuses if each != "EXPIRED"]
        states = [f"e.status = ANY(:statuses) AND NOT COALESCE({due}, false)"] if others else []
        states += [f"e.status = 'EXPIRED' OR {due}"] if "EXPIRED" in export_filter.statuses else []
        conditions.append(f"({' OR '.join(states)})")
        params |= {"statuses": others} if others else {}
    reach = Reach(cast(Role, export_filter.role or "admin"), export_filter.reader)
    people, of_people = people_within(reach, export_filter.unit_id, export_filter.group_id)
    if people:
        conditions.append(
            f"""EXISTS (SELECT FROM users AS u
                WHERE u.tenant_id = :tenant AND u.id = e.user_id AND {" AND ".join(people)})"""
        )
    courses, of_courses = courses_within(reach, export_filter.course_id, "e.course_id")
    conditions += courses
    params |= of_people | of_courses
    return " AND ".join(conditions), params


def plain(column: str) -> str:
    return f"translate({column}, chr({ord(END)}), '')"


def guard_formula(column: str) -> str:
    return f"CASE WHEN left({column}, 1) IN ({_STARTS}) THEN '''' ELSE '' END || {plain(column)}"


def _moment(column: str) -> str:
    return f"""to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
