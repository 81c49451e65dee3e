"""The launches of an enrollment, and the trace of one."""

from collections.abc import Mapping
from uuid import UUID

from msgspec.structs import asdict, replace

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.enrollments import queries
from trilha.learning.launches import history
from trilha.learning.launches.history import PastLaunch, TraceQuery
from trilha.learning.reports.queries import list_unapplied
from trilha.pages import N_, NN_, State
from trilha.panel import lists
from trilha.panel.addresses import address
from trilha.panel.enrollments.pages import ADDRESS, READ
from trilha.panel.lists import Column, Empty, Table
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.rules import device

routes = Routes("Launches", "When modules were opened, and what content said.")
# So many calls are shown at a time.
_CALLS = 100
_OUTCOMES: dict[str, tuple[State | None, str]] = {
    "left": ("ok", N_("Left properly")),
    "elsewhere": ("info", N_("Opened somewhere else")),
    "silent": ("warn", N_("Closed without a word")),
    "open": ("info", N_("Open now")),
}


# Why work could not be applied, by outcome, and what a report is of, by kind.
_REASONS: Mapping[str, str] = {
    "SUPERSEDED": N_("The module was opened somewhere else afterwards"),
    "EXPIRED": N_("The enrollment had expired"),
    "CLOSED": N_("The quiz had been handed in already"),
    "INVALID": N_("It could not be read"),
    "PARTLY": N_("Part of the time was longer than the time since the launch"),
}
_KINDS: Mapping[str, str] = {
    "commit": N_("Package"),
    "answers": N_("Answers of a quiz"),
    "watched": N_("Video"),
    "dwelled": N_("Document"),
    "read": N_("Article"),
}


def outcome_of(launch: PastLaunch) -> str:
    if launch.ended_at is not None:
        return "left"
    if launch.superseded:
        return "elsewhere"
    return "silent" if launch.silent else "open"


LAUNCHES_TABLE = Table(
    listing=history.LAUNCHES,
    path=ADDRESS,  # of the enrollment: see list_launches
    title=N_("Launches"),
    row="panel/launches/_row.html",
    values={"outcomes": _OUTCOMES, "outcome_of": outcome_of, "device": device},
    columns=[
        N_("Module"),
        N_("Opened on"),
        N_("Outcome"),
        Column(N_("Credited time"), numeric=True),
        Column(N_("Saved reports"), numeric=True),
        N_("Browser"),
    ],
    counted=NN_("%(num)s launch", "%(num)s launches"),
    empty=Empty(N_("Nothing was opened yet"), N_("Each time the person opens a module, it is here."), "play"),
)


@routes.get("/enrollments/{enrollment_id}/launches", access=READ)
async def list_launches(tx: Tx, view: PanelView, enrollment_id: UUID, query: ListQuery) -> Html:
    """When the person opened which module, from where, and what came of it."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    return await lists.show(
        tx,
        view,
        replace(LAUNCHES_TABLE, path=f"{ADDRESS}/{enrollment_id}/launches"),
        query,
        enrollment_id,
        template="panel/launches/list.html",
        enrollment=enrollment,
    )


@routes.get("/enrollments/{enrollment_id}/launches/{launch_id}", access=READ)
async def show_launch(
    tx: Tx, view: PanelView, enrollment_id: UUID, launch_id: UUID, query: TraceQuery
) -> Html:
    """One launch, with the calls of its content to the runtime."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    launch = await history.get_past_launch(tx, enrollment_id, launch_id)
    unapplied = await list_unapplied(tx, launch_id)
    calls = await history.list_traced_calls(tx, launch_id, query, _CALLS + 1)
    here = f"{ADDRESS}/{enrollment_id}/launches/{launch_id}"
    shown, following = calls[:_CALLS], ""
    if len(calls) > _CALLS:
        last = shown[-1]
        after = replace(query, batch=last.batch, place=last.place)
        following = address(here, {**asdict(after), "errors": "true" if query.errors else ""})
    more = view.page.fragment and query.batch
    return view.show(
        f"panel/launches/{'_calls' if more else 'launch'}.html",
        enrollment=enrollment,
        launch=launch,
        outcome=_OUTCOMES[outcome_of(launch)],
        device=device,
        unapplied=[(each, _KINDS[each.kind], _REASONS.get(each.outcome, "")) for each in unapplied],
        calls=shown,
        query=query,
        here=here,
        following=following,
    )
