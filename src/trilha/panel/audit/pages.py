"""/admin/audit"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from trilha.audit import export, queries
from trilha.audit.schema import AuditQuery, AuditRecord
from trilha.core.database import Database, Tx
from trilha.core.moments import Day
from trilha.core.web.answers import Html, Stream
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.pages import N_, formats
from trilha.panel import lists
from trilha.panel.audit import words
from trilha.panel.people.words import ROLES
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Audit record", "Who did what, when, and from where.")
PATH = "/admin/audit"


class Filters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`since` and `until` are days in the tenant's time zone, both with all their hours."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    action: Annotated[str, Meta(max_length=100)] | None = None
    actor: Annotated[str, Meta(max_length=200)] | None = None
    target: UUID | None = None
    since: Day | None = None
    until: Day | None = None
    cursor: str | None = None


@routes.get("/audit", access=may(Permission.AUDIT_READ))
async def list_records(tx: Tx, view: PanelView, query: Filters) -> Html:
    """The audit record, newest first."""
    page = await queries.list_page(tx, _asked(query, view.viewer.time_zone))
    return view.show(
        lists.part(view, "panel/audit", query.cursor),
        records=page.data,
        query=query,
        words=words,
        chips=_chips(query, view, page.data),
        clear=PATH,
        filtered=query != Filters(cursor=query.cursor),
        following=lists.following(PATH, query, page.next_cursor),
        download=lists.address(f"{PATH}.csv", query),
    )


@routes.get("/audit.csv", access=may(Permission.AUDIT_READ))
async def download_records(
    database: Database, caller: Caller, view: PanelView, query: Filters
) -> Stream[bytes]:
    """All that the filters find, as a file."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    day = datetime.now(ZoneInfo(view.viewer.time_zone)).date().isoformat()
    name = f"trilha-audit-{view.viewer.tenant_slug}-{day}.csv"
    return Stream(
        export.stream(reading, _asked(query, view.viewer.time_zone), formats.csv_separator(view.page)),
        "text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@routes.get("/audit/{record_id}", access=may(Permission.AUDIT_READ))
async def show_record(tx: Tx, view: PanelView, record_id: UUID) -> Html:
    """One record with its details."""
    return view.show(
        "panel/audit/show.html", record=await queries.get(tx, record_id), words=words, roles=ROLES
    )


def _asked(query: Filters, time_zone: str) -> AuditQuery:
    return AuditQuery(
        limit=40,
        cursor=query.cursor,
        search=query.q.strip() or None if query.q else None,
        action=query.action,
        actor=query.actor,
        target_id=query.target,
        since=query.since.begin(time_zone) if query.since else None,
        until=query.until.end(time_zone) if query.until else None,
    )


def _chips(query: Filters, view: PanelView, records: Sequence[AuditRecord]) -> list[tuple[str, str]]:
    """The filters in use, by the names that what was found has."""
    first = records[0] if records else None
    shown: dict[str, str] = {}
    if query.q:
        shown["q"] = query.q
    if query.action:
        kind = words.KINDS.get(query.action) or words.ACTIONS.get(query.action)
        shown["action"] = view.say(kind) if kind else query.action
    if query.actor:
        shown["actor"] = view.say(N_("By %(name)s"), name=(first and first.actor_name) or query.actor)
    if query.target:
        shown["target"] = view.say(N_("About %(name)s"), name=(first and first.target_name) or query.target)
    for name, message in (("since", N_("From %(day)s")), ("until", N_("Until %(day)s"))):
        if (day := getattr(query, name)) is not None:
            shown[name] = view.say(message, day=formats.day_text(view.page, day.as_date()))
    return lists.chips(PATH, query, shown)
