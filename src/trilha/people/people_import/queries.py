"""The SQL of imports."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import Conflict
from trilha.core.lists import get_row
from trilha.people.people_import.lists import IMPORTS
from trilha.people.people_import.schema import Import, ImportFile, RowProblem, RunningImport, Tally
from trilha.platform.mail.schema import Recipient

_PROBLEM = columns_of(RowProblem).replace("column", '"column"')


class Unit(Struct, frozen=True):
    id: UUID
    name: str
    code: str | None


async def get(tx: Tx, import_id: UUID) -> Import:
    """Raises NotFound."""
    return await get_row(tx, IMPORTS, import_id, missing="import_not_found")


_FILE = """
    SELECT path, mapping, dialect FROM imports
    WHERE tenant_id = :tenant AND id = :import_id AND state IN ('DRAFT', 'CHECKED')"""


async def get_file(tx: Tx, import_id: UUID) -> ImportFile:
    """Returns the file of an import that has not started. Raises NotFound or Conflict (import_started)."""
    return await _require_unstarted(tx, import_id, await tx.find(ImportFile, _FILE, import_id=import_id))


async def lock_file(tx: Tx, import_id: UUID) -> ImportFile:
    """Like `get_file`, and locks the import until the transaction ends."""
    file = await tx.find(ImportFile, f"{_FILE} FOR UPDATE", import_id=import_id)
    return await _require_unstarted(tx, import_id, file)


async def _require_unstarted(tx: Tx, import_id: UUID, file: ImportFile | None) -> ImportFile:
    if file is None:
        await get(tx, import_id)
        raise Conflict("import_started")
    return file


async def has_path(tx: Tx, path: str) -> bool:
    """Returns whether an import refers to this file."""
    sql = "SELECT EXISTS (SELECT FROM imports WHERE tenant_id = :tenant AND path = :path)"
    return bool(await tx.value(sql, path=path))


async def redraft(tx: Tx, import_id: UUID, **values: Any) -> None:
    """Stores a new mapping and dialect for an import that has not started, and discards a dry run's
    results.
    """
    await _reset(tx, import_id, values | {"state": "DRAFT", "dry_run": True})


async def release(tx: Tx, import_id: UUID, *, dry_run: bool) -> None:
    """Hands an import that has not started to the worker, under the name of the current actor."""
    actor = {"actor_kind": tx.actor.kind, "actor": tx.actor.name, "source": tx.actor.source}
    await _reset(tx, import_id, actor | {"state": "WAITING", "dry_run": dry_run})


async def _reset(tx: Tx, import_id: UUID, values: dict[str, Any]) -> None:
    """Sets these columns, and resets the progress."""
    await tx.execute(
        f"""
        UPDATE imports SET {", ".join(f"{name} = :{name}" for name in values)},
            done = 0, created = 0, updated = 0, unchanged = 0, refused = 0
        WHERE tenant_id = :tenant AND id = :import_id
        """,  # noqa: S608
        import_id=import_id,
        **values,
    )
    await tx.execute(
        "DELETE FROM import_problems WHERE tenant_id = :tenant AND import_id = :import_id",
        import_id=import_id,
    )


async def close_unstarted(tx: Tx, before: Any, limit: int) -> int:
    """Ends imports that nobody started; the worker then removes their files."""
    return await tx.execute(
        """
        UPDATE imports SET finished_at = :now,
            state = CASE WHEN state = 'CHECKED' THEN 'DONE' ELSE 'FAILED' END,
            failure = CASE WHEN state = 'CHECKED' THEN NULL ELSE 'Nobody started it within a day.' END
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM imports
            WHERE tenant_id = :tenant AND state IN ('DRAFT', 'CHECKED') AND created_at <= :before
            ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        """,
        before=before,
        limit=limit,
    )


async def list_problems(tx: Tx, import_id: UUID, after_line: int = 0, limit: int = 1000) -> list[RowProblem]:
    """Returns the problems after this line, in order. The last line may be cut off by `limit`."""
    return await tx.list(
        RowProblem,
        f"""
        SELECT {_PROBLEM} FROM import_problems
        WHERE tenant_id = :tenant AND import_id = :import_id AND line > :after_line
        ORDER BY line, number LIMIT :limit
        """,  # noqa: S608
        import_id=import_id,
        after_line=after_line,
        limit=limit,
    )


async def list_lines(tx: Tx, import_id: UUID, code: str) -> list[int]:
    """Returns the lines that have this problem."""
    rows = await tx.rows(
        """
        SELECT line FROM import_problems
        WHERE tenant_id = :tenant AND import_id = :import_id AND code = :code
        """,
        import_id=import_id,
        code=code,
    )
    return [row["line"] for row in rows]


class ProblemCount(Struct, frozen=True):
    """How many rows have a problem in a column."""

    column: str
    code: str
    message: str
    rows: int


async def count_problems(tx: Tx, import_id: UUID, limit: int) -> list[ProblemCount]:
    """Returns the problems of most rows first."""
    return await tx.list(
        ProblemCount,
        """
        SELECT "column", code, min(message) AS message, count(*) AS rows FROM import_problems
        WHERE tenant_id = :tenant AND import_id = :import_id
        GROUP BY "column", code ORDER BY count(*) DESC, code, "column" LIMIT :limit
        """,
        import_id=import_id,
        limit=limit,
    )


class MissingUnit(Struct, frozen=True):
    """A name of a business unit in the report of problems, and the number of rows that have it."""

    name: str
    rows: int


async def count_missing_units(tx: Tx, import_id: UUID, limit: int) -> list[MissingUnit]:
    """Returns the names of units that a file has and the company does not, those of most rows first."""
    return await tx.list(
        MissingUnit,
        """
        SELECT value AS name, count(*) AS rows FROM import_problems
        WHERE tenant_id = :tenant AND import_id = :import_id AND code = 'unknown_business_unit'
        GROUP BY value ORDER BY count(*) DESC, value LIMIT :limit
        """,
        import_id=import_id,
        limit=limit,
    )


async def insert(tx: Tx, **values: Any) -> UUID:
    names = list(values)
    import_id: UUID = await tx.value(
        f"""
        INSERT INTO imports (tenant_id, {", ".join(names)}, actor_kind, actor, source, created_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in names)}, :actor_kind, :actor, :source, :now)
        RETURNING id
        """,  # noqa: S608
        **values,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
    )
    return import_id


async def claim(tx: Tx, import_id: UUID | None = None) -> RunningImport | None:
    """Locks and returns the oldest import that has a file, skipping those that other processes work on."""
    return await tx.find(
        RunningImport,
        f"""
        SELECT {columns_of(RunningImport)} FROM imports
        WHERE tenant_id = :tenant AND has_file AND (CAST(:import_id AS uuid) IS NULL OR id = :import_id)
        ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
        import_id=import_id,
    )


async def advance(tx: Tx, import_id: UUID, rows: int, tally: Tally) -> None:
    """Adds to the progress, and ends the import after its last row.

    A dry run that keeps its file becomes CHECKED instead, and can then be started.
    """
    await tx.execute(
        """
        UPDATE imports SET done = done + :count, created = created + :created, updated = updated + :updated,
            unchanged = unchanged + :unchanged, refused = refused + :refused,
            enrolled = enrolled + :enrolled, enrolled_before = enrolled_before + :enrolled_before,
            not_enrolled = not_enrolled + :not_enrolled,
            state = CASE WHEN done + :count < rows THEN 'RUNNING'
                         WHEN dry_run AND keeps_file THEN 'CHECKED' ELSE 'DONE' END,
            finished_at = CASE WHEN done + :count = rows AND NOT (dry_run AND keeps_file)
                               THEN CAST(:now AS timestamptz) END
        WHERE tenant_id = :tenant AND id = :import_id
        """,
        import_id=import_id,
        count=rows,
        created=tally.created,
        updated=tally.updated,
        unchanged=tally.unchanged,
        refused=tally.refused,
        enrolled=tally.enrolled,
        enrolled_before=tally.enrolled_before,
        not_enrolled=tally.not_enrolled,
    )


async def find_starter(tx: Tx) -> Recipient | None:
    """Returns the person that the transaction acts for, as a recipient of mail."""
    return await tx.find(
        Recipient,
        """
        SELECT u.id AS user_id, u.email, u.name, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone
        FROM users u JOIN tenants t ON t.id = u.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = u.tenant_id
        WHERE u.tenant_id = :tenant AND u.id = CAST(:actor AS uuid) AND u.status = 'ACTIVE'
        """,
        actor=tx.actor.name,
    )


async def fail(tx: Tx, import_id: UUID, failure: str) -> None:
    await tx.execute(
        """
        UPDATE imports SET state = 'FAILED', failure = :failure, finished_at = :now
        WHERE tenant_id = :tenant AND id = :import_id
        """,
        import_id=import_id,
        failure=failure,
    )


async def forget_file(tx: Tx, import_id: UUID) -> None:
    await tx.execute(
        "UPDATE imports SET path = NULL WHERE tenant_id = :tenant AND id = :import_id", import_id=import_id
    )


async def insert_problems(tx: Tx, import_id: UUID, problems: Sequence[RowProblem]) -> None:
    if not problems:
        return
    await tx.execute(
        f"""
        INSERT INTO import_problems (tenant_id, import_id, {_PROBLEM})
        SELECT :tenant, :import_id, problem.* FROM unnest(
            :line::integer[], :number::smallint[], :column::text[], :code::text[], :message::text[],
            :value::text[]) AS problem
        RETURNING tenant_id
        """,  # noqa: S608
        import_id=import_id,
        **{name: [getattr(problem, name) for problem in problems] for name in RowProblem.__struct_fields__},
    )


async def delete_finished(tx: Tx, before: Any, limit: int) -> int:
    """Deletes imports that finished before this moment, with their problems."""
    return await tx.execute(
        """
        DELETE FROM imports WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM imports WHERE tenant_id = :tenant AND finished_at <= :before AND NOT has_file
            ORDER BY finished_at LIMIT :limit)
        """,
        before=before,
        limit=limit,
    )


async def lock_units(tx: Tx) -> list[Unit]:
    """Locks every unit against deletion until the transaction ends."""
    return await tx.list(
        Unit, "SELECT id, name, code FROM business_units WHERE tenant_id = :tenant ORDER BY id FOR KEY SHARE"
    )


async def find_known_emails(tx: Tx, emails: Sequence[str]) -> set[str]:
    rows = await tx.rows(
        "SELECT email FROM users WHERE tenant_id = :tenant AND email = ANY(:emails)", emails=emails
    )
    return {row["email"] for row in rows}
