"""/admin/enrollments/requests: approves or refuses requests for enrollment."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_, State, say
from trilha.people.users import queries as users
from trilha.training.enrollment_requests import actions, queries
from trilha.training.enrollment_requests.lists import WAITING
from trilha.training.enrollment_requests.schema import WaitingQuery
from trilha.web.panel import lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.days import end_of_day
from trilha.web.panel.enrollment_requests import bulk
from trilha.web.panel.enrollments.pages import ADDRESS, WRITE
from trilha.web.panel.lists import ACTIONS, Bulk, Empty, Table
from trilha.web.panel.reach import check_not_own, reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Requests for enrollment", "Who asks to be enrolled in a course of the catalog.")
PATH = f"{ADDRESS}/requests"
say(enrollment_request_decided=N_("This request was answered already."))
_SENTENCES = {
    "already_enrolled": N_("This person is enrolled in the course already."),
    "user_not_active": N_("This person is suspended. Reactivate them first, or refuse the request."),
    "course_not_published": N_("This course is archived. Restore it first, or refuse the request."),
    "regulatory_profile_missing": N_("The person's profile lacks a document that this course requires."),
    "not_in_future": N_("Enter a day in the future."),
    "too_short": N_("Enter the reason. The person reads it."),
}
STATUSES: dict[str, tuple[State | Literal[""], str]] = {
    "WAITING": ("warn", N_("Waiting")),
    "APPROVED": ("ok", N_("Approved")),
    "REJECTED": ("bad", N_("Refused")),
    "CANCELLED": ("", N_("Canceled")),
}
BULK = BulkList(
    routes=routes,
    path="/enrollments/requests",
    title=N_("Requests for enrollment"),
    query=WaitingQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
_TABLE = Table(
    listing=WAITING,
    path=PATH,
    title=N_("Requests for enrollment"),
    crumbs=[(N_("Enrollments"), ADDRESS)],
    row="panel/enrollment_requests/_row.html",
    columns=[N_("Person"), N_("Course"), N_("Message"), N_("Requested on"), ACTIONS],
    values={"path": PATH},
    counted=NN_("%(num)s request waits", "%(num)s requests wait"),
    bulk=Bulk(buttons=BULK.buttons()),
    empty=Empty(
        N_("No requests"),
        N_("People can ask to be enrolled in the courses of the catalog. Their requests appear here."),
        "user-check",
    ),
)


class ApprovalForm(Struct, frozen=True, kw_only=True):
    """`expires_at` is the last day, until its end in the tenant's time zone."""

    expires_at: date | None = None


class RejectionForm(Struct, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] = ""


@routes.get("/enrollments/requests", access=WRITE)
async def list_requests(tx: Tx, view: PanelView, query: WaitingQuery) -> Html:
    """Lists the waiting requests of people within reach, the oldest first."""
    return await lists.show(tx, view, _TABLE, query, reach_of(view))


@routes.get("/enrollments/requests/{enrollment_request_id}", access=WRITE)
async def show_request(
    tx: Tx, view: PanelView, enrollment_request_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows a request, with the forms to approve or refuse it."""
    request = await queries.get_listed(tx, enrollment_request_id, reach_of(view))
    return view.form(
        "panel/enrollment_requests/request.html",
        refusal,
        {},
        _SENTENCES,
        request=request,
        person=await users.get(tx, request.user_id),
        statuses=STATUSES,
        is_own=request.user_id == view.viewer.user_id and view.viewer.role != "admin",
        path=f"{PATH}/{enrollment_request_id}",
        back=PATH,
    )


@routes.post("/enrollments/requests/{enrollment_request_id}/approve", access=WRITE, refused=show_request)
async def approve(tx: Tx, view: PanelView, enrollment_request_id: UUID, form: ApprovalForm) -> Answer:
    """Approves a request: the person is enrolled."""
    request = await queries.get_listed(tx, enrollment_request_id, reach_of(view))
    check_not_own(view, request.user_id)
    expires_at = end_of_day(form.expires_at, view, "expires_at")
    await actions.approve(tx, enrollment_request_id, expires_at, decided_by=view.viewer.user_id)
    return view.lead(PATH, N_("%(name)s was enrolled."), name=request.user_name)


@routes.post("/enrollments/requests/{enrollment_request_id}/reject", access=WRITE, refused=show_request)
async def reject(tx: Tx, view: PanelView, enrollment_request_id: UUID, form: RejectionForm) -> Answer:
    """Refuses a request with a reason that the person reads."""
    request = await queries.get_listed(tx, enrollment_request_id, reach_of(view))
    check_not_own(view, request.user_id)
    await actions.reject(tx, enrollment_request_id, form.reason, decided_by=view.viewer.user_id)
    return view.lead(PATH, N_("The request was refused."))
