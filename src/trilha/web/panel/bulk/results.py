"""/admin/bulk-actions/{id}: how far an action on many rows is, what it left out, and undoing it."""

from collections.abc import Sequence
from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_, State
from trilha.platform.bulk_actions import queries
from trilha.platform.bulk_actions.schema import UNDO, BulkRun, Item
from trilha.web.panel.bulk import words
from trilha.web.panel.bulk.actions import BulkAction, Context, find_action
from trilha.web.panel.bulk.running import begin_undoing, cancel, is_undoable, run_batch
from trilha.web.panel.confirm import Button
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Bulk actions", "Actions on many rows of a list.")
ADDRESS = f"{HOME}/bulk-actions"
# Everybody who may use the panel has it, and sees only what they did themselves.
_ACCESS = may(Permission.DASHBOARD_READ)
_MAX_AT_ONCE = 200
_MAX_LISTED = 100


def lead_back(tx: Tx, view: PanelView, run: BulkRun) -> Answer:
    """Redirects to the list after an action that is finished, with what was done and a button to undo it."""
    action = find_action(run.action)
    assert action is not None
    undo = f"{ADDRESS}/{run.id}/undo" if is_undoable(run, tx.now) else ""
    details = f"{ADDRESS}/{run.id}" if run.skipped or run.kept else ""
    return view.lead_with_undo(run.address, describe(view, action, run), _state_of(run), undo, details)


def describe(view: PanelView, action: BulkAction, run: BulkRun) -> str:
    """Says what was done or undone, and how many rows were left out."""
    if run.state == "UNDONE":
        texts = [view.say(N_("Undone: %(num)s."), num=view.number(run.undone))]
        if run.kept:
            texts.append(view.say(N_("Not undone, changed since: %(num)s."), num=view.number(run.kept)))
        return " ".join(texts)
    if run.is_held and action.held:
        texts = [view.say_many(action.held, run.rows - run.skipped)]
        if run.skipped:
            texts.append(view.say(N_("Skipped: %(num)s."), num=view.number(run.skipped)))
        return " ".join(texts)
    if not run.done:
        return view.say(N_("Nothing was changed. Skipped: %(num)s."), num=view.number(run.skipped))
    texts = [view.say_many(action.done, run.done)]
    if run.skipped:
        texts.append(view.say(N_("Skipped: %(num)s."), num=view.number(run.skipped)))
    return " ".join(texts)


def _state_of(run: BulkRun) -> State:
    return "warn" if run.kept or not (run.done or run.is_held) else "ok"


async def _get(tx: Tx, view: PanelView, action_id: UUID) -> tuple[BulkRun, BulkAction]:
    """Raises NotFound, also for an action of somebody else."""
    run = await queries.find_own(tx, action_id, view.viewer.user_id)
    action = find_action(run.action) if run else None
    if run is None or action is None:
        raise NotFound("route_not_found")
    return run, action


@routes.get("/bulk-actions/{action_id}", access=_ACCESS)
async def show_bulk_action(tx: Tx, view: PanelView, action_id: UUID) -> Html:
    """Shows the progress of an action, or its result."""
    run, action = await _get(tx, view, action_id)
    left_out: Sequence[Item] = []
    for state in ("SKIPPED", "KEPT"):
        left_out = [*left_out, *await queries.list_items(tx, run.id, state, _MAX_LISTED - len(left_out))]
    context = Context(reach_of(view), run.options)
    rows = await action.targets.find(tx, context, [each.target_id for each in left_out])
    return view.show(
        "panel/bulk/result.html",
        run=run,
        action=action,
        words=words,
        text=describe(view, action, run),
        reasons=[] if run.is_running else await queries.count_reasons(tx, run.id),
        left_out=[
            (action.targets.describe(rows[each.target_id]), words.describe_reason(each.reason or ""))
            for each in left_out
            if each.target_id in rows
        ],
        undo=f"{ADDRESS}/{run.id}/undo" if is_undoable(run, tx.now) else "",
        undo_until=_find_end(run),
        address=f"{ADDRESS}/{run.id}",
    )


def _find_end(run: BulkRun) -> Timestamp | None:
    if run.is_held:
        return run.held_until
    return Timestamp.of(Timestamp(run.finished_at).moment() + UNDO) if run.finished_at else None


@routes.get("/bulk-actions/{action_id}/progress", access=_ACCESS)
async def show_bulk_progress(tx: Tx, view: PanelView, action_id: UUID) -> Answer:
    """Shows the progress, and redirects to the result once it is done."""
    run, action = await _get(tx, view, action_id)
    if run.is_running and view.page.fragment:
        return view.show("panel/bulk/_progress.html", run=run, action=action, address=f"{ADDRESS}/{run.id}")
    return view.lead(f"{ADDRESS}/{run.id}")


@routes.post("/bulk-actions/{action_id}/undo", access=_ACCESS)
async def undo_bulk_action(tx: Tx, view: PanelView, action_id: UUID, form: Button) -> Answer:
    """Gives the rows back what they had, for a minute after the action."""
    await _get(tx, view, action_id)
    run = await queries.claim(tx, action_id)
    if run is None or run.is_running:
        return view.lead(f"{ADDRESS}/{action_id}")
    if not is_undoable(run, tx.now):
        message = N_("This can no longer be undone. An action can be undone for one minute.")
        return view.lead(f"{ADDRESS}/{action_id}", message, "warn")
    if run.is_held:
        return lead_back(tx, view, await cancel(tx, run))
    run = await begin_undoing(tx, run)
    if run.done > _MAX_AT_ONCE:
        return view.lead(f"{ADDRESS}/{run.id}")
    while run.is_running:
        run = await run_batch(tx, run)
    return lead_back(tx, view, run)
