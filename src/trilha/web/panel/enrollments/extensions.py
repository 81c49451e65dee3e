"""/admin/enrollments/extensions: answers requests for a new due date."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_, say
from trilha.training.enrollments import extensions, queries
from trilha.training.enrollments.extension_queries import WAITING
from trilha.training.enrollments.extensions import DAYS
from trilha.web.panel import lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.enrollments import bulk_extensions
from trilha.web.panel.enrollments.pages import ADDRESS, WRITE
from trilha.web.panel.lists import Bulk, Empty, Table
from trilha.web.panel.reach import check_not_own, reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Requests for a new due date", "Learners whose enrollment expired ask for more time.")
_PATH = f"{ADDRESS}/extensions"
say(extension_request_not_found=N_("This request was answered already."))
BULK = BulkList(
    routes=routes,
    path="/enrollments/extensions",
    title=N_("Requests for a new due date"),
    query=ListQuery,
    targets=bulk_extensions.TARGETS,
    actions=bulk_extensions.ACTIONS,
)
BULK.add_pages()
_TABLE = Table(
    listing=WAITING,
    path=_PATH,
    title=N_("Requests for a new due date"),
    crumbs=[(N_("Enrollments"), ADDRESS)],
    row="panel/enrollments/_extension.html",
    columns=[N_("Person"), N_("Course"), N_("Expired"), N_("Message"), N_("Answer")],
    values={"days": DAYS, "path": _PATH},
    counted=NN_("%(num)s request", "%(num)s requests"),
    bulk=Bulk(buttons=BULK.buttons()),
    empty=Empty(
        N_("No requests"),
        N_("Learners whose enrollment has expired can ask for a new due date. Their requests appear here."),
        "calendar-clock",
    ),
)


class GrantForm(Struct, frozen=True, kw_only=True):
    days: Literal[7, 15, 30, 60] = 30


class RefusalForm(Struct, frozen=True):
    """A form that has only its button."""


@routes.get("/enrollments/extensions", access=WRITE)
async def list_requests(tx: Tx, view: PanelView, query: ListQuery) -> Html:
    """Lists the requests of people within reach, the oldest first."""
    return await lists.show(tx, view, _TABLE, query, reach_of(view))


@routes.post("/enrollments/{enrollment_id}/extension/grant", access=WRITE)
async def grant(tx: Tx, view: PanelView, enrollment_id: UUID, form: GrantForm) -> Answer:
    """Gives the person more time."""
    enrollment = await queries.get_listed(tx, enrollment_id, reach_of(view))
    check_not_own(view, enrollment.user_id)
    await extensions.grant(tx, enrollment_id, form.days)
    return view.lead(_PATH, N_("The enrollment is open for %(days)s more days."), days=form.days)


@routes.post("/enrollments/{enrollment_id}/extension/refuse", access=WRITE)
async def refuse(tx: Tx, view: PanelView, enrollment_id: UUID, form: RefusalForm) -> Answer:
    """Refuses a request."""
    await queries.get_listed(tx, enrollment_id, reach_of(view))
    await extensions.refuse(tx, enrollment_id)
    return view.lead(_PATH, N_("The request was refused."))
