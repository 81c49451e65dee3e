"""The launches of an enrollment, and one launch with its SCORM calls or its cmi5 statements."""

from collections.abc import Mapping
from uuid import UUID

from msgspec.structs import asdict, replace

from trilha.access.sessions.rules import device
from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_, State
from trilha.training.enrollments import queries
from trilha.training.learning.launches import history
from trilha.training.learning.launches.history import PastLaunch, TraceQuery
from trilha.training.learning.player_reports.queries import list_unapplied
from trilha.training.xapi.access import BaseAddress
from trilha.web.panel import lists
from trilha.web.panel.addresses import address
from trilha.web.panel.enrollments.pages import ADDRESS, READ
from trilha.web.panel.launches.steps import load_steps
from trilha.web.panel.lists import Column, Empty, Table
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Launches", "When modules were opened, and their SCORM calls.")
# How many calls a page shows.
_PAGE_SIZE = 100
_OUTCOMES: dict[str, tuple[State | None, str]] = {
    "left": ("ok", N_("Closed normally")),
    "elsewhere": ("info", N_("Opened elsewhere")),
    "silent": ("warn", N_("Closed unexpectedly")),
    "open": ("info", N_("Open now")),
}


# Why a report was not applied, by outcome.
_REASONS: Mapping[str, str] = {
    "SUPERSEDED": N_("The module was opened elsewhere afterward"),
    "EXPIRED": N_("The enrollment had expired"),
    "CLOSED": N_("The quiz had already been submitted"),
    "INVALID": N_("The data could not be read"),
    "PARTLY": N_("Part of the reported time exceeds the time since the launch"),
}
# What a report covers, by kind.
_KINDS: Mapping[str, str] = {
    "commit": N_("Package"),
    "answers": N_("Quiz answers"),
    "watched": N_("Video"),
    "dwelled": N_("Document"),
    "read": N_("Article"),
    "beats": N_("Study time"),
}


def decide_outcome(launch: PastLaunch) -> str:
    if launch.ended_at is not None:
        return "left"
    if launch.superseded:
        return "elsewhere"
    return "silent" if launch.silent else "open"


LAUNCHES_TABLE = Table(
    listing=history.LAUNCHES,
    path=ADDRESS,  # list_launches sets the enrollment's own path
    title=N_("Launches"),
    row="panel/launches/_row.html",
    values={"outcomes": _OUTCOMES, "decide_outcome": decide_outcome, "device": device},
    columns=[
        N_("Module"),
        N_("Opened on"),
        N_("Result"),
        Column(N_("Credited time"), numeric=True),
        Column(N_("Saved reports"), numeric=True),
        N_("Browser"),
    ],
    counted=NN_("%(num)s launch", "%(num)s launches"),
    empty=Empty(
        N_("No launches yet"), N_("Each time this person opens a module, it is listed here."), "play"
    ),
)


@routes.get("/enrollments/{enrollment_id}/launches", access=READ)
async def list_launches(tx: Tx, view: PanelView, enrollment_id: UUID, query: ListQuery) -> Html:
    """Lists the launches of an enrollment, newest first."""
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
    tx: Tx, view: PanelView, enrollment_id: UUID, launch_id: UUID, query: TraceQuery, base: BaseAddress
) -> Html:
    """Shows one launch with its unapplied reports, and its SCORM calls or the steps of cmi5 content."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    launch = await history.get_past_launch(tx, enrollment_id, launch_id)
    unapplied = await list_unapplied(tx, launch_id)
    calls = await history.list_traced_calls(tx, launch_id, query, _PAGE_SIZE + 1)
    steps = await load_steps(tx, view, base, enrollment_id, launch, query.after, _PAGE_SIZE)
    here = f"{ADDRESS}/{enrollment_id}/launches/{launch_id}"
    page, following = calls[:_PAGE_SIZE], ""
    if len(calls) > _PAGE_SIZE:
        last = page[-1]
        after = replace(query, batch=last.batch, place=last.place)
        following = address(here, {**asdict(after), "errors": "true" if query.errors else ""})
    is_next_page = view.page.fragment and query.batch
    return view.show(
        f"panel/launches/{'_calls' if is_next_page else 'launch'}.html",
        enrollment=enrollment,
        launch=launch,
        outcome=_OUTCOMES[decide_outcome(launch)],
        device=device,
        unapplied=[(report, _KINDS[report.kind], _REASONS.get(report.outcome, "")) for report in unapplied],
        calls=page,
        query=query,
        here=here,
        following=following,
        steps=steps,
        more_steps=f"{here}?after={steps.after}" if steps and steps.after else "",
    )
