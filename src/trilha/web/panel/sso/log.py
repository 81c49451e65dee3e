"""/admin/sso/sign-ins: the latest sign-ins, and the exact reasons of failures."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.access.sso import people, queries, sign_ins
from trilha.access.sso.errors import REASONS
from trilha.access.sso.schema import SignInEntry
from trilha.access.sso.sign_ins import SignInQuery
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import find_row
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.web.panel import lists
from trilha.web.panel.choices import Choices
from trilha.web.panel.lists import Action, Choice, Empty, Table
from trilha.web.panel.sso.pages import ADDRESS, MANAGE
from trilha.web.panel.sso.words import OUTCOMES, STEPS
from trilha.web.panel.view import PanelView

routes = Routes("Sign-in log", "How sign-ins by a provider went.")
PATH = f"{ADDRESS}/sign-ins"


class Line(Struct, frozen=True):
    """An entry with the names of its connection and person; empty if they no longer exist."""

    entry: SignInEntry
    connection: str
    person: str


async def _lines(tx: Tx, entries: Sequence[SignInEntry]) -> list[Line]:
    connections = await _connection_names(tx)
    names = await people.names_of(tx, [each.user_id for each in entries if each.user_id])
    return [
        Line(
            each,
            connections.get(each.connection_id, "") if each.connection_id else "",
            names.get(each.user_id, "") if each.user_id else "",
        )
        for each in entries
    ]


async def _connection_names(tx: Tx) -> dict[UUID, str]:
    return {each.id: each.name for each in await queries.list_all(tx)}


async def _connections(tx: Tx, view: PanelView, chosen: UUID | None) -> Choices:
    return Choices([(str(id), name) for id, name in (await _connection_names(tx)).items()])


SIGN_INS_TABLE = Table(
    listing=sign_ins.SIGN_INS,
    load=_lines,
    path=PATH,
    title=N_("Sign-in log"),
    crumbs=[(N_("Single sign-on"), ADDRESS)],
    above="panel/sso/_tabs.html",
    search=N_("Reference, such as 7KQ2-M4XD"),
    choices=[
        Choice(name="connection", label=N_("Connection"), options=_connections),
        Choice(name="outcome", label=N_("Result"), options=OUTCOMES),
    ],
    row="panel/sso/log/_row.html",
    values={"tab": "log", "outcomes": OUTCOMES, "reasons": REASONS, "kept": sign_ins.MAX_SIGN_INS},
    columns=[N_("Reference"), N_("Result"), N_("Person"), N_("Connection"), N_("When")],
    counted=NN_("%(num)s sign-in", "%(num)s sign-ins"),
    empty=Empty(
        N_("No sign-ins yet"),
        N_("Sign-ins with a provider appear here, including failed ones."),
        "log-in",
        actions=[Action(N_("Show connections"), ADDRESS, "")],
    ),
)


@routes.get("/sso/sign-ins", access=MANAGE)
async def list_sign_ins(tx: Tx, view: PanelView, query: SignInQuery) -> Html:
    """List sign-ins, newest first."""
    return await lists.show(tx, view, SIGN_INS_TABLE, query, template="panel/sso/log/list.html")


@routes.get("/sso/sign-ins/{sign_in_id}", access=MANAGE)
async def show_sign_in(tx: Tx, view: PanelView, sign_in_id: UUID) -> Html:
    """Show a sign-in with the expected and received values."""
    return await _show(tx, view, sign_in_id)


@routes.get("/sso/{connection_id}/sign-ins/{sign_in_id}", access=MANAGE)
async def show_test(tx: Tx, view: PanelView, connection_id: UUID, sign_in_id: UUID) -> Html:
    """Show the result of a test of this connection."""
    return await _show(tx, view, sign_in_id, connection_id)


async def _show(tx: Tx, view: PanelView, sign_in_id: UUID, connection_id: UUID | None = None) -> Html:
    entry = await find_row(tx, sign_ins.SIGN_INS, sign_in_id)
    if entry is None or connection_id not in (None, entry.connection_id):
        raise NotFound("route_not_found")
    (line,) = await _lines(tx, [entry])
    return view.show(
        "panel/sso/sign_in.html", line=line, entry=entry, outcomes=OUTCOMES, reasons=REASONS, steps=STEPS
    )
