"""An import, from the file to its end. Each batch is a transaction that holds its own progress."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import UUID

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.passwords import HashedPassword
from trilha.mail import outbox
from trilha.mail.catalogue import ImportFinished
from trilha.people_import import columns, queries
from trilha.people_import.batch import Batch
from trilha.people_import.schema import CheckedRow, Draft, Import, RunningImport
from trilha.people_import.sheet import Dialect, Sheet, read


def inspect(raw: bytes, mapping: Mapping[str, str] | None = None) -> Draft:
    """What a file looks like, and which column is which. `mapping`, header to member, replaces the guess.

    Raises Invalid (file_too_large, file_not_a_table, unknown_header, invalid_value, no_identifying_column).
    """
    draft = look_at(raw, mapping)
    check_identified(draft.mapping)
    return draft


def check_identified(mapping: Mapping[str, str]) -> None:
    """Raises Invalid (no_identifying_column)."""
    if not {"email", "employee_number"} & set(mapping.values()):
        raise invalid("mapping", "no_identifying_column")


def look_at(raw: bytes, mapping: Mapping[str, str] | None = None, dialect: Dialect | None = None) -> Draft:
    """As `inspect`, while it may still be corrected. `dialect` replaces the guess.

    Raises Invalid (file_too_large, file_not_a_table, unknown_header, invalid_value).
    """
    sheet: Sheet = read(raw, dialect)
    chosen = columns.guess(sheet.headers) if mapping is None else columns.check(mapping, sheet.headers)
    ignored = [header for header in sheet.headers if header and header not in chosen]
    return Draft(sheet.dialect, sheet.headers, chosen, ignored, len(sheet.rows))


async def start(tx: Tx, draft: Draft, path: Path, file_name: str, *, dry_run: bool) -> Import:
    """`path` is where the caller has stored the file; from here on the import removes it at its end."""
    import_id = await queries.insert(
        tx,
        file_name=file_name[:200],
        path=str(path),
        dry_run=dry_run,
        mapping=draft.mapping,
        dialect=draft.dialect,
        rows=draft.rows,
    )
    await audit.record(tx, "import.started", import_id, "", dry_run=dry_run, rows=draft.rows)
    return await queries.get(tx, import_id)


async def upload(tx: Tx, draft: Draft, path: Path, file_name: str) -> Import:
    """A file that is to be looked at first. `path` is as in `start`."""
    import_id = await queries.insert(
        tx,
        file_name=file_name[:200],
        path=str(path),
        dry_run=True,
        keeps_file=True,
        state="DRAFT",
        mapping=draft.mapping,
        dialect=draft.dialect,
        rows=draft.rows,
    )
    return await queries.get(tx, import_id)


async def correct(tx: Tx, import_id: UUID, draft: Draft) -> None:
    """Another way to read the file. Raises NotFound, and Conflict (import_started)."""
    await queries.lock_file(tx, import_id)
    await queries.redraft(tx, import_id, mapping=draft.mapping, dialect=draft.dialect, rows=draft.rows)


async def release(tx: Tx, import_id: UUID, *, dry_run: bool) -> None:
    """Starts an import that was uploaded, or its dry run.

    Raises NotFound, Conflict (import_started), and Invalid (no_identifying_column).
    """
    kept = await queries.lock_file(tx, import_id)
    check_identified(kept.mapping)
    await queries.release(tx, import_id, dry_run=dry_run)
    found = await queries.get(tx, import_id)
    await audit.record(tx, "import.started", import_id, "", dry_run=dry_run, rows=found.rows)


async def do_batch(
    tx: Tx,
    running: RunningImport,
    rows: Sequence[CheckedRow],
    passwords: Mapping[int, HashedPassword],
    address: str,
) -> None:
    """The next rows of an import that this transaction has claimed. `passwords` are by line.

    With the last of them, who started it is told by e-mail; `address` is what its link begins with.
    """
    batch = Batch(tx, {member: header for header, member in running.mapping.items()}, dry_run=running.dry_run)
    await batch.take(rows, passwords)
    await queries.insert_problems(tx, running.id, batch.problems)
    await queries.advance(tx, running.id, len(rows), batch.tally)
    if running.done + len(rows) == running.rows:
        await audit.record(tx, "import.finished", running.id, "", dry_run=running.dry_run)
        if not running.dry_run:
            await _tell(tx, running, address)


async def _tell(tx: Tx, running: RunningImport, address: str) -> None:
    to = await queries.find_starter(tx) if running.actor_kind == "session" else None
    if to is None:
        return
    ended = await queries.get(tx, running.id)
    told = ImportFinished(
        file=ended.file_name,
        created=ended.created,
        updated=ended.updated,
        unchanged=ended.unchanged,
        failed=ended.refused,
        link=f"{address}/admin/people/import/{ended.id}",
    )
    await outbox.send(tx, to=to, message=told)


async def fail(tx: Tx, import_id: UUID, failure: str) -> None:
    await queries.fail(tx, import_id, failure)
    await audit.record(tx, "import.failed", import_id, "", reason=failure)
