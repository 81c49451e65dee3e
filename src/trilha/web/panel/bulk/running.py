"""Does the rows of a bulk action, a batch in each transaction, and undoes them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import structs

from trilha.access.permissions.roles import ROLES
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.people.users.reach import Reach
from trilha.platform.audit import queries as audit
from trilha.platform.bulk_actions import queries
from trilha.platform.bulk_actions.schema import GRACE, UNDO, BulkRun, ChangedItem, Item
from trilha.web.panel.bulk.actions import (
    REASON_CHANGED,
    REASON_GONE,
    REASON_NOT_PERMITTED,
    Context,
    find_action,
)

BATCH = 100


def is_undoable(run: BulkRun, now: datetime, grace: timedelta = GRACE) -> bool:
    """Returns whether the person may still undo the action."""
    action = find_action(run.action)
    if run.is_held:
        return now < run.begun_at
    if action is None or action.undo is None or run.state != "DONE" or not run.done:
        return False
    return run.finished_at is not None and now <= Timestamp(run.finished_at).moment() + UNDO + grace


async def hold(tx: Tx, run: BulkRun, reasons: Mapping[UUID, str]) -> BulkRun:
    """Lets a new, locked action wait while it can be undone. Rows with a reason are skipped already now."""
    skipped = await queries.skip_items(tx, run.id, reasons) if reasons else 0
    run = structs.replace(run, skipped=skipped)
    await queries.store_progress(tx, run)
    until = tx.now + UNDO + GRACE
    await queries.hold(tx, run.id, until)
    return structs.replace(run, state="HELD", held_until=Timestamp.of(until))


async def cancel(tx: Tx, run: BulkRun) -> BulkRun:
    """Undoes a locked action that is held: none of its rows was touched."""
    count = await queries.cancel_items(tx, run.id)
    run = structs.replace(run, state="UNDONE", done=count, undone=count, finished_at=Timestamp.of(tx.now))
    await queries.store_progress(tx, run)
    await _record(tx, run, "bulk_action.undone", undone=count, kept=0)
    return run


async def begin_undoing(tx: Tx, run: BulkRun) -> BulkRun:
    """Begins to undo a locked action."""
    run = structs.replace(run, state="UNDOING")
    await queries.store_progress(tx, run)
    return run


async def run_batch(tx: Tx, run: BulkRun) -> BulkRun:
    """Does, or undoes, the next rows of a locked action. Returns it with its new counts."""
    run = await (_do_batch if run.state == "RUNNING" else _undo_batch)(tx, run)
    await queries.store_progress(tx, run)
    return run


async def _do_batch(tx: Tx, run: BulkRun) -> BulkRun:
    items = await queries.list_items(tx, run.id, "WAITING", BATCH)
    if items:
        changed = await _do(tx, run, items)
        await queries.change_items(tx, run.id, changed)
        done = sum(each.state == "DONE" for each in changed)
        run = structs.replace(run, done=run.done + done, skipped=run.skipped + len(items) - done)
    if run.done + run.skipped < run.rows:
        return run
    await _record(tx, run, "bulk_action.done", done=run.done, skipped=run.skipped)
    return structs.replace(run, state="DONE", finished_at=Timestamp.of(tx.now))


async def _do(tx: Tx, run: BulkRun, items: Sequence[Item]) -> list[ChangedItem]:
    action, context = find_action(run.action), await _find_context(tx, run)
    if action is None or context is None:
        return [ChangedItem(each.number, "SKIPPED", REASON_NOT_PERMITTED) for each in items]
    ids = [each.target_id for each in items]
    before = await action.read(tx, context, ids) if action.read else {}
    # Read after taking the locks, so that rows are judged as they are now.
    rows = await action.targets.find(tx, context, ids)
    reasons: dict[UUID, str] = {id: REASON_GONE for id in ids if id not in rows}
    reasons |= {id: reason for id, row in rows.items() if (reason := action.skip(context, row))}
    left = [rows[id] for id in ids if id not in reasons]
    if left:
        reasons |= await action.act(tx, context, left)
    after = await action.read(tx, context, ids) if action.read else {}
    return [
        ChangedItem(each.number, "SKIPPED", reasons[each.target_id])
        if each.target_id in reasons
        else ChangedItem(each.number, "DONE", None, before.get(each.target_id), after.get(each.target_id))
        for each in items
    ]


async def _undo_batch(tx: Tx, run: BulkRun) -> BulkRun:
    items = await queries.list_items(tx, run.id, "DONE", BATCH)
    if items:
        reasons = await _undo(tx, run, items)
        await queries.change_items(
            tx,
            run.id,
            [
                ChangedItem(
                    each.number,
                    "KEPT" if each.target_id in reasons else "UNDONE",
                    reasons.get(each.target_id),
                )
                for each in items
            ],
        )
        kept = len(reasons)
        run = structs.replace(run, undone=run.undone + len(items) - kept, kept=run.kept + kept)
    if run.undone + run.kept < run.done:
        return run
    await _record(tx, run, "bulk_action.undone", undone=run.undone, kept=run.kept)
    return structs.replace(run, state="UNDONE")


async def _undo(tx: Tx, run: BulkRun, items: Sequence[Item]) -> Mapping[UUID, str]:
    """Returns the reasons of the rows that stay."""
    action, context = find_action(run.action), await _find_context(tx, run)
    ids = [each.target_id for each in items]
    if action is None or action.undo is None or action.read is None or context is None:
        return dict.fromkeys(ids, REASON_NOT_PERMITTED)
    now = await action.read(tx, context, ids)
    reasons = {each.target_id: REASON_CHANGED for each in items if now.get(each.target_id) != each.after}
    states = {each.target_id: each.before for each in items if each.target_id not in reasons}
    return {**reasons, **(await action.undo(tx, context, states) if states else {})}


async def _find_context(tx: Tx, run: BulkRun) -> Context | None:
    """Returns None if the person has lost the permission or access meanwhile."""
    action = find_action(run.action)
    user = await users.get(tx, run.user_id)
    if action is None or user.status != "ACTIVE":
        return None
    if action.permission not in ROLES[user.role]:
        return None
    return Context(Reach(user.role, user.id), run.options, run.begun_at)


async def _record(tx: Tx, run: BulkRun, event: str, **counts: int) -> None:
    await audit.record(tx, event, run.id, "", kind=run.action, rows=run.rows, **counts)
