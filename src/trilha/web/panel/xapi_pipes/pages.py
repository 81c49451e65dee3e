"""/admin/xapi-pipes: where the company's statements are forwarded."""

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.outbound.guard import Guard
from trilha.core.types import STORABLE, Name, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.xapi_pipes import actions, queries
from trilha.training.xapi_pipes.schema import Backlog, Begin, NewPipe, Pipe, PipeChange, Version
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.view import HOME, PanelView

routes = Routes("xAPI pipes", "Where the company's statements are forwarded.")
ADDRESS = f"{HOME}/xapi-pipes"
MANAGE = may(Permission.WEBHOOKS_MANAGE)
STATES = {
    "active": N_("On"),
    "failing": N_("Failing"),
    "inactive": N_("Off"),
    "paused": N_("Paused after failures"),
}
# Why an attempt failed, and what to do.
REASONS = {
    "http_401": N_("The receiver refused the user name or the password. Check them and save them again."),
    "http_403": N_("The receiver does not let this user store learning records. Grant it the permission."),
    "http_404": N_("The receiver does not know this address. Check the endpoint."),
    "http_400": N_("The receiver refused all learning records. Check the endpoint and the xAPI version."),
    "http_429": N_("The receiver limits how many requests it takes. Trilha tries again."),
    "timeout": N_("The receiver did not answer in time. Trilha tries again."),
    "dns_failed": N_("The name of the server was not found. Check the endpoint."),
    "tls_failed": N_("The certificate of the server is not valid. Ask whoever runs it."),
    "connection_failed": N_("The receiver could not be reached. Trilha tries again."),
    "invalid_response": N_("The receiver answered in a way that Trilha does not understand."),
    "address_not_allowed": N_("The server may not connect to this address. Ask your administrator."),
}
OTHER_REASON = N_("The receiver answered with an error. Trilha tries again.")
SENTENCES = {
    "required": N_("Fill in this field."),
    "too_short": N_("Fill in this field."),
    "invalid_url": N_("Enter an address that begins with https://."),
    "https_required": N_("Enter an address that begins with https://."),
    "port_not_allowed": N_("Use port 443 or 8443, or leave the port out."),
    "address_not_allowed": N_("Use an address on the public internet: this one is inside a network."),
    "invalid_value": N_("Enter complete addresses (IRIs), such as http://adlnet.gov/expapi/verbs/completed."),
    "out_of_range": N_("Enter up to 20 verbs."),
    "too_many_pipes": N_("You have reached the maximum number of pipes. Delete one that is not used."),
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Text = Annotated[str, Meta(max_length=1000, extra_json_schema=STORABLE)]
_Long = Annotated[str, Meta(max_length=2048, extra_json_schema=STORABLE)]


class PipeForm(Struct, frozen=True, kw_only=True):
    """The form of a pipe. `verbs` has one in each line."""

    name: Name
    url: Annotated[str, Meta(min_length=1, max_length=2048, extra_json_schema=STORABLE)]
    username: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]
    password: _Text = ""
    version: Version = "1.0.3"
    verbs: Annotated[str, Meta(max_length=50_000, extra_json_schema=STORABLE)] = ""
    activity_prefix: _Long = ""
    begin: Begin = "now"

    def list_verbs(self) -> list[str]:
        return [line.strip() for line in self.verbs.splitlines() if line.strip()]


def state_of(pipe: Pipe) -> str:
    if not pipe.active:
        return "paused" if pipe.paused_at else "inactive"
    return "failing" if pipe.failures else "active"


def find_reason(pipe: Pipe) -> str:
    return REASONS.get(pipe.error or "", OTHER_REASON)


def find_oldest(backlog: Backlog) -> Timestamp | None:
    """Returns when the oldest statement was stored that still waits."""
    if backlog.oldest is None:
        return None
    return Timestamp.of(_EPOCH + timedelta(microseconds=backlog.oldest))


def _values(pipe: Pipe) -> dict[str, object]:
    names = ("name", "url", "username", "version")
    return {name: getattr(pipe, name) for name in names} | {
        "verbs": "\n".join(pipe.verbs),
        "activity_prefix": pipe.activity_prefix or "",
    }


def _hide(refusal: Refusal | None) -> Refusal | None:
    """Removes the password, which is not shown again."""
    return Refusal({**refusal.values, "password": ""}, refusal.failure) if refusal else None


@routes.get("/xapi-pipes", access=MANAGE)
async def list_pipes(tx: Tx, view: PanelView) -> Html:
    """List the pipes, oldest first, with what still waits in each."""
    pipes = await queries.list_all(tx)
    return view.show(
        "panel/xapi_pipes/list.html",
        pipes=[(each, await queries.get_backlog(tx, each.id)) for each in pipes],
        state_of=state_of,
        states=STATES,
        find_oldest=find_oldest,
        limit=actions.MAX_PIPES,
    )


@routes.get("/xapi-pipes/new", access=MANAGE)
async def new_pipe(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for the endpoint, its credentials and the filter."""
    begins = {"version": "1.0.3", "begin": "now"}
    return view.form("panel/xapi_pipes/form.html", _hide(refusal), begins, SENTENCES, pipe=None)


@routes.post("/xapi-pipes/new", access=MANAGE, max_body=64 * 1024, refused=new_pipe)
async def create_pipe(tx: Tx, view: PanelView, form: PipeForm, guard: Guard) -> Answer:
    """Create the pipe, which begins to forward at once."""
    if not form.password:
        raise invalid("password", "required")
    new = NewPipe(
        name=form.name,
        url=form.url,
        username=form.username,
        password=form.password,
        version=form.version,
        verbs=form.list_verbs(),
        activity_prefix=form.activity_prefix.strip() or None,
        begin=form.begin,
    )
    pipe = await actions.create(tx, new, guard)
    return view.lead(f"{ADDRESS}/{pipe.id}", N_("The pipe was created."))


@routes.get("/xapi-pipes/{pipe_id}", access=MANAGE)
async def show_pipe(tx: Tx, view: PanelView, pipe_id: UUID) -> Html:
    """Show where statements go, and whether they arrive."""
    pipe = await queries.get(tx, pipe_id)
    backlog = await queries.get_backlog(tx, pipe_id)
    return view.show(
        "panel/xapi_pipes/show.html",
        pipe=pipe,
        backlog=backlog,
        oldest=find_oldest(backlog),
        state=state_of(pipe),
        states=STATES,
        reason=find_reason(pipe),
    )


@routes.get("/xapi-pipes/{pipe_id}/edit", access=MANAGE)
async def edit_pipe(tx: Tx, view: PanelView, pipe_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show the form with the present values, except the password."""
    pipe = await queries.get(tx, pipe_id)
    return view.form("panel/xapi_pipes/form.html", _hide(refusal), _values(pipe), SENTENCES, pipe=pipe)


@routes.post("/xapi-pipes/{pipe_id}/edit", access=MANAGE, max_body=64 * 1024, refused=edit_pipe)
async def update_pipe(tx: Tx, view: PanelView, pipe_id: UUID, form: PipeForm, guard: Guard) -> Answer:
    """Save the pipe."""
    changed = PipeChange(
        name=form.name,
        url=form.url,
        username=form.username,
        password=form.password or None,
        version=form.version,
        verbs=form.list_verbs(),
        activity_prefix=form.activity_prefix.strip() or None,
    )
    await actions.change(tx, pipe_id, changed, guard)
    return view.lead(f"{ADDRESS}/{pipe_id}", N_("The pipe was saved."))


@routes.post("/xapi-pipes/{pipe_id}/resume", access=MANAGE, max_body=8192)
async def resume_pipe(tx: Tx, view: PanelView, pipe_id: UUID, form: Button) -> Answer:
    """Forward again, from where the pipe stopped."""
    await actions.resume(tx, pipe_id)
    return view.lead(f"{ADDRESS}/{pipe_id}", N_("The pipe is on again."))


PIPE = Subject(
    routes=routes,
    path="/xapi-pipes/{pipe_id}",
    access=MANAGE,
    get=lambda tx, view, pipe_id: queries.get(tx, pipe_id),
)
PIPE.ask(
    "pause",
    actions.pause,
    N_("Turn off the pipe"),
    [
        N_("Nothing more is forwarded by %(name)s."),
        N_("When you turn it on again, it goes on where it stopped, so nothing is lost."),
    ],
    N_("Turn off pipe"),
    N_("The pipe was turned off."),
)
PIPE.ask(
    "delete",
    actions.delete,
    N_("Delete the pipe"),
    N_("Nothing more is forwarded by %(name)s. What the receiver has already stays there."),
    N_("Delete pipe"),
    N_("The pipe was deleted."),
    gone=True,
)
