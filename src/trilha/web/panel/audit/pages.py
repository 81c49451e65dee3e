"""/admin/audit: the list of audit records, one record, and the CSV file."""

from functools import partial
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Meta

from trilha.access.permissions.roles import Permission, may
from trilha.core.clock import in_zone
from trilha.core.database import Database, Tx
from trilha.core.lists import list_rows
from trilha.core.moments import Day
from trilha.core.web.answers import Html, Stream
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ListQuery, PageSize
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_, formats
from trilha.platform.audit import export, names, queries
from trilha.platform.audit.lists import RECORDS
from trilha.platform.audit.schema import AuditQuery
from trilha.web.panel import lists
from trilha.web.panel.audit import words
from trilha.web.panel.choices import Choices
from trilha.web.panel.lists import SINCE, UNTIL, Choice, Download, Empty, Table
from trilha.web.panel.people.words import ROLES
from trilha.web.panel.view import PanelView

routes = Routes("Audit log", "Who did what, when, and from where.")
PATH = "/admin/audit"


class Filters(ListQuery, frozen=True, kw_only=True):
    """`since` and `until` are whole days in the tenant's time zone, both included."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    action: Annotated[str, Meta(max_length=100)] | None = None
    actor: Annotated[str, Meta(max_length=200)] | None = None
    target: UUID | None = None
    since: Day | None = None
    until: Day | None = None
    limit: PageSize = 40


async def _actions(tx: Tx, view: PanelView, chosen: str | None) -> Choices:
    """Options of the filter: every kind of action, and the action in the URL if there is one."""
    kinds = {chosen: words.ACTIONS.get(chosen, chosen), **words.KINDS} if chosen else words.KINDS
    return Choices([(action, view.say(word)) for action, word in kinds.items()])


RECORDS_TABLE = Table(
    listing=RECORDS,
    load=names.add,
    path=PATH,
    title=N_("Audit log"),
    lead=N_("Every change: what, by whom and from where. Records cannot be edited or deleted."),
    search=N_("Search by name, action or IP address"),
    choices=[Choice(name="action", label=N_("Any subject"), options=_actions)],
    days=[SINCE, UNTIL],
    row="panel/audit/_row.html",
    values={"words": words},
    columns=[N_("Action"), N_("Author"), N_("Source"), N_("Date and time")],
    counted=NN_("%(num)s record", "%(num)s records"),
    download=Download(f"{PATH}.csv"),
    empty=Empty(
        N_("No records yet"),
        N_("Changes made in the browser, through the API or on the command line appear here."),
        "scroll-text",
    ),
)


@routes.get("/audit", access=may(Permission.AUDIT_READ))
async def list_records(tx: Tx, view: PanelView, query: Filters) -> Html:
    """Lists the audit records, newest first."""
    list_query = _list_query(query, view)
    named = await _names(tx, view, list_query) if query.actor or query.target else None
    return await lists.show(tx, view, RECORDS_TABLE, query, list_query=list_query, named=named)


@routes.get("/audit.csv", access=may(Permission.AUDIT_READ))
async def download_records(
    database: Database, caller: Caller, view: PanelView, query: Filters
) -> Stream[bytes]:
    """Streams every record that matches the filters, as CSV."""
    reading = partial(database.transaction, caller.tenant_id, read_only=True)
    day = in_zone(view.page.now, ZoneInfo(view.viewer.time_zone)).date().isoformat()
    name = f"trilha-audit-{view.viewer.tenant_slug}-{day}.csv"
    return Stream(
        export.stream(reading, _list_query(query, view), formats.csv_separator(view.page)),
        "text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@routes.get("/audit/{record_id}", access=may(Permission.AUDIT_READ))
async def show_record(tx: Tx, view: PanelView, record_id: UUID) -> Html:
    """Shows one record with its details."""
    return view.show(
        "panel/audit/show.html", record=await queries.get(tx, record_id), words=words, roles=ROLES
    )


def _list_query(query: Filters, view: PanelView) -> AuditQuery:
    return AuditQuery(
        search=query.q.strip() or None if query.q else None,
        action=query.action,
        actor=query.actor,
        target_id=query.target,
        **lists.moments(view, query),
    )


async def _names(tx: Tx, view: PanelView, query: AuditQuery) -> dict[str, str]:
    """Labels for the filters by actor and by target, with the names in the newest matching record."""
    records = await names.add(tx, await list_rows(tx, RECORDS, query, limit=1))
    actor = records[0].actor_name if records else ""
    target = records[0].target_name if records else ""
    return {
        "actor": view.say(N_("By %(name)s"), name=actor or query.actor),
        "target": view.say(N_("About %(name)s"), name=target or query.target_id),
    }
