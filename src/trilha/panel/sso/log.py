"""/admin/sso/sign-ins: how the last sign-ins went, and exactly why those failed that did."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery, PageSize
from trilha.core.web.routes import Routes
from trilha.panel import lists
from trilha.panel.sso.pages import ADDRESS, MANAGE
from trilha.panel.sso.words import OUTCOMES, STEPS
from trilha.panel.view import PanelView
from trilha.sso import people, queries, sign_ins
from trilha.sso.errors import REASONS
from trilha.sso.schema import Outcome, SignInEntry
from trilha.sso.sign_ins import SignInQuery

routes = Routes("Sign-in log", "How sign-ins by a provider went.")
PATH = f"{ADDRESS}/sign-ins"


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is the reference that a person was told."""

    limit: PageSize = 40
    connection: UUID | None = None
    outcome: Outcome | None = None
    q: Annotated[str, Meta(max_length=40, extra_json_schema=STORABLE)] | None = None


class Line(Struct, frozen=True):
    """An entry with the names of what it tells of; empty where there is none any more."""

    entry: SignInEntry
    connection: str
    person: str


@routes.get("/sso/sign-ins", access=MANAGE)
async def list_sign_ins(tx: Tx, view: PanelView, query: Search) -> Html:
    """Newest first."""
    connections = {each.id: each.name for each in await queries.list_all(tx)}
    page = await sign_ins.list_page(
        tx,
        SignInQuery(
            limit=query.limit,
            cursor=query.cursor,
            connection=query.connection,
            outcome=query.outcome,
            reference=query.q.strip().upper() or None if query.q else None,
        ),
    )
    words = {
        "q": query.q or "",
        "connection": connections.get(query.connection, "") if query.connection else "",
        "outcome": view.say(OUTCOMES[query.outcome]) if query.outcome else "",
    }
    return view.show(
        lists.part(view, "panel/sso/log", query.cursor),
        lines=await _lines(tx, list(page.data), connections),
        following=lists.following(PATH, query, page.next_cursor),
        active=lists.chips(PATH, query, words),
        query=query,
        connections=connections.items(),
        outcomes=OUTCOMES,
        reasons=REASONS,
        kept=sign_ins.KEPT,
    )


async def _lines(tx: Tx, entries: list[SignInEntry], connections: dict[UUID, str]) -> list[Line]:
    names = await people.names_of(tx, [each.user_id for each in entries if each.user_id])
    return [
        Line(
            each,
            connections.get(each.connection_id, "") if each.connection_id else "",
            names.get(each.user_id, "") if each.user_id else "",
        )
        for each in entries
    ]


@routes.get("/sso/sign-ins/{sign_in_id}", access=MANAGE)
async def show_sign_in(tx: Tx, view: PanelView, sign_in_id: UUID) -> Html:
    """One, with what was expected and what came."""
    return await _show(tx, view, sign_in_id)


@routes.get("/sso/{connection_id}/sign-ins/{sign_in_id}", access=MANAGE)
async def show_test(tx: Tx, view: PanelView, connection_id: UUID, sign_in_id: UUID) -> Html:
    """What came of a test of this connection."""
    return await _show(tx, view, sign_in_id, connection_id)


async def _show(tx: Tx, view: PanelView, sign_in_id: UUID, connection_id: UUID | None = None) -> Html:
    entry = await sign_ins.find(tx, sign_in_id)
    if entry is None or connection_id not in (None, entry.connection_id):
        raise NotFound("route_not_found")
    (line,) = await _lines(tx, [entry], {each.id: each.name for each in await queries.list_all(tx)})
    return view.show(
        "panel/sso/sign_in.html", line=line, entry=entry, outcomes=OUTCOMES, reasons=REASONS, steps=STEPS
    )
