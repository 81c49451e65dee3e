"""The life of an import, from the file to its end. Each batch is one transaction that also stores its
progress.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.passwords import HashedPassword
from trilha.people.custom_fields.schema import CustomField
from trilha.people.people_import import columns, enrolling, queries
from trilha.people.people_import.applying import Batch
from trilha.people.people_import.enrolling import Target
from trilha.people.people_import.schema import CheckedRow, Draft, Import, RunningImport
from trilha.people.people_import.sheet import MAX_COLUMNS, Dialect, Sheet, read
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import ImportFinished


def inspect(
    raw: bytes,
    mapping: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
    fields: Sequence[CustomField] = (),
) -> Draft:
    """Parses a file and maps its columns. `mapping`, from header to member, replaces the guess, which knows
    the custom `fields` by their names.

    Raises Invalid (file_too_large, file_not_a_table, unknown_header, invalid_value, no_identifying_column).
    """
    draft = look_at(raw, mapping, dialect, fields)
    check_identified(draft.mapping)
    return draft


def check_identified(mapping: Mapping[str, str]) -> None:
    """Raises Invalid (no_identifying_column)."""
    if not {"email", "employee_number"} & set(mapping.values()):
        raise invalid("mapping", "no_identifying_column")


def look_at(
    raw: bytes,
    mapping: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
    fields: Sequence[CustomField] = (),
) -> Draft:
    """Like `inspect`, but accepts a mapping without an identifying column, which a person can still correct.
    `dialect` replaces the guess.

    Raises Invalid (file_too_large, file_not_a_table, unknown_header, invalid_value).
    """
    sheet: Sheet = read(raw, dialect)
    columns_mapping = (
        columns.guess(sheet.headers, fields) if mapping is None else columns.check(mapping, sheet.headers)
    )
    ignored = [header for header in sheet.headers if header and header not in columns_mapping]
    return Draft(sheet.dialect, sheet.headers, columns_mapping, ignored, len(sheet.rows))


async def start(
    tx: Tx, draft: Draft, path: str, file_name: str, *, dry_run: bool, target: Target | None = None
) -> Import:
    """Starts an import. `path` is that of `ImportFiles.keep`; the import removes it at its end. The people
    are enrolled in `target`.
    """
    import_id = await queries.insert(
        tx, file_name=file_name[:200], path=path, dry_run=dry_run, **_columns_of(draft, target)
    )
    await audit.record(tx, "import.started", import_id, "", dry_run=dry_run, rows=draft.rows)
    return await queries.get(tx, import_id)


def _columns_of(draft: Draft, target: Target | None = None) -> dict[str, Any]:
    columns = {
        "mapping": draft.mapping,
        "dialect": draft.dialect,
        "rows": draft.rows,
        # A file without a header would store a person here.
        "ignored": draft.ignored[:MAX_COLUMNS] if draft.mapping else [],
    }
    if target is not None:
        columns |= {
            "enroll_kind": target.kind,
            "enroll_id": target.id,
            "enroll_due_at": target.due_at,
            "enroll_new_only": target.new_only,
        }
    return columns


async def upload(tx: Tx, draft: Draft, path: str, file_name: str, target: Target | None = None) -> Import:
    """Stores a file that a person reviews before the import starts. `path` and `target` are as in
    `start`.
    """
    import_id = await queries.insert(
        tx,
        file_name=file_name[:200],
        path=path,
        dry_run=True,
        keeps_file=True,
        state="DRAFT",
        **_columns_of(draft, target),
    )
    return await queries.get(tx, import_id)


async def correct(tx: Tx, import_id: UUID, draft: Draft) -> None:
    """Changes the mapping or the dialect. Raises NotFound or Conflict (import_started)."""
    await queries.lock_file(tx, import_id)
    await queries.redraft(tx, import_id, **_columns_of(draft))


async def release(tx: Tx, import_id: UUID, *, dry_run: bool) -> None:
    """Starts an uploaded import, or its dry run.

    Raises NotFound, Conflict (import_started) or Invalid (no_identifying_column).
    """
    file = await queries.lock_file(tx, import_id)
    check_identified(file.mapping)
    await queries.release(tx, import_id, dry_run=dry_run)
    started = await queries.get(tx, import_id)
    await audit.record(tx, "import.started", import_id, "", dry_run=dry_run, rows=started.rows)


async def do_batch(
    tx: Tx,
    running: RunningImport,
    rows: Sequence[CheckedRow],
    passwords: Mapping[int, HashedPassword],
    address: str,
) -> None:
    """Applies the next rows of an import that this transaction has claimed. `passwords` are by line number.

    After the last row, the person who started the import gets an e-mail; `address` is the base of its link.
    """
    target = None if running.dry_run else running.target
    if target is not None and (lock := enrolling.get(target.kind).lock):
        with suppress(NotFound):  # It is reported for each person.
            await lock(tx, target.id)
    batch = Batch(tx, {member: header for header, member in running.mapping.items()}, dry_run=running.dry_run)
    await batch.take(rows, passwords)
    if target is not None:
        await batch.enroll(target)
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
    message = ImportFinished(
        file=ended.file_name,
        created=ended.created,
        updated=ended.updated,
        unchanged=ended.unchanged,
        failed=ended.refused,
        link=f"{address}/admin/people/import/{ended.id}",
    )
    await outbox.send(tx, to=to, message=message)


async def fail(tx: Tx, import_id: UUID, failure: str) -> None:
    await queries.fail(tx, import_id, failure)
    await audit.record(tx, "import.failed", import_id, "", reason=failure)
