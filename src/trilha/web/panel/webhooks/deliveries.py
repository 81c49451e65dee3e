"""/admin/webhooks/{webhook_id}: one endpoint with its deliveries, tests, retries and replays."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Conflict, Problem, problem
from trilha.core.moments import Day, LocalTime
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.platform.events.schema import EventTypeFilter, Subscription, types_of
from trilha.platform.webhooks import actions, history, queries
from trilha.platform.webhooks.lists import DELIVERIES
from trilha.platform.webhooks.schema import (
    Delivery,
    DeliveryQuery,
    DeliveryStatus,
    DeliveryStatusFilter,
    Endpoint,
    NewReplay,
)
from trilha.web.panel import lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.confirm import Button
from trilha.web.panel.integration import event_types
from trilha.web.panel.lists import SINCE, UNTIL, Bulk, Choice, Column, Empty, Table
from trilha.web.panel.view import PanelView
from trilha.web.panel.webhooks import bulk
from trilha.web.panel.webhooks.pages import ADDRESS, ENDPOINTS, MANAGE, STATES, state_of

routes = Routes("Webhook deliveries", "What was sent to an endpoint, and what came of it.")
STATUSES = {
    DeliveryStatus.PENDING: N_("Pending"),
    DeliveryStatus.DELIVERED: N_("Delivered"),
    DeliveryStatus.DEAD_LETTER: N_("Failed permanently"),
}
# Why no answer came: `error` of an attempt.
FAILURES = {
    "address_not_allowed": N_("The address belongs to an internal network"),
    "timeout": N_("No answer in time"),
    "dns_failed": N_("The server's name was not found"),
    "tls_failed": N_("The server's certificate is not valid"),
    "invalid_response": N_("The answer cannot be read"),
    "connection_failed": N_("No connection"),
}
# The page reloads by itself this long before an attempt is due.
_SOON = timedelta(minutes=1)
# The default period of a replay.
_USUAL_SPAN = timedelta(days=1)
_SENDING_NOTICE = N_("The delivery is being sent at this moment. Try again shortly.")
_EXPIRED_NOTICE = N_("The event is no longer kept, so it cannot be sent again.")


class Search(ListQuery, frozen=True, kw_only=True):
    """`since` and `until` are days, both included."""

    status: DeliveryStatusFilter | None = None
    type: EventTypeFilter | None = None
    since: Day | None = None
    until: Day | None = None


class Span(Struct, frozen=True):
    """The period of a replay. Without types, it replays those that the endpoint subscribes to."""

    since: LocalTime
    until: LocalTime
    types: list[Subscription] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if "since" in values and "until" in values and values["until"] <= values["since"]:
            yield problem("until", "out_of_range")


BULK = BulkList(
    routes=routes,
    path="/webhooks/{webhook_id}",
    title=N_("Deliveries"),
    query=Search,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
    search=lambda view, form, webhook_id: _build_query(view, form),
    context=lambda webhook_id: {"webhook_id": str(webhook_id)},
    find_owner=queries.get,
)
BULK.add_pages()


def deliveries_table(endpoint: Endpoint, chosen: str | None) -> Table[Delivery]:
    types = dict.fromkeys([*types_of(endpoint.events), "webhook.test", *([chosen] if chosen else [])])
    return Table(
        listing=DELIVERIES,
        path=f"{ADDRESS}/{endpoint.id}",
        title=N_("Deliveries"),
        choices=[
            Choice(name="status", label=N_("Any status"), options=STATUSES),
            Choice(
                name="type",
                label=N_("Any event type"),
                options={name: event_types.label(name) for name in types},
            ),
        ],
        days=[SINCE, UNTIL],
        row="panel/webhooks/_delivery_row.html",
        values={"endpoint": endpoint, "statuses": STATUSES, "types": event_types, "failures": FAILURES},
        columns=[
            N_("Event"),
            N_("Status"),
            N_("Last answer"),
            Column(N_("Attempts"), numeric=True),
            N_("Created at"),
        ],
        counted=NN_("%(num)s delivery", "%(num)s deliveries"),
        bulk=Bulk(buttons=BULK.buttons(endpoint.id)),
        empty=Empty(
            N_("Nothing was sent yet"), N_("Send a test to see whether the receiver accepts it."), "send"
        ),
    )


def _build_query(view: PanelView, search: Any) -> DeliveryQuery:
    return DeliveryQuery(status=search.status, event_type=search.type, **lists.moments(view, search))


@routes.get("/webhooks/{webhook_id}", access=MANAGE)
async def show_webhook(tx: Tx, view: PanelView, webhook_id: UUID, query: Search) -> Html:
    """Show an endpoint and its deliveries, newest first."""
    endpoint = await queries.get(tx, webhook_id)
    return await lists.show(
        tx,
        view,
        deliveries_table(endpoint, query.type),
        query,
        webhook_id,
        list_query=_build_query(view, query),
        template="panel/webhooks/show.html",
        state=state_of(endpoint),
        states=STATES,
        replays=await history.list_replays(tx, webhook_id),
        replaced=await ENDPOINTS.list_replaced(tx, webhook_id),
    )


@routes.post("/webhooks/{webhook_id}/test", access=MANAGE)
async def test_webhook(tx: Tx, view: PanelView, webhook_id: UUID, form: Button) -> Answer:
    """Send a test and redirect to its delivery."""
    delivery = await actions.test(tx, webhook_id)
    return view.lead(f"{ADDRESS}/{webhook_id}/deliveries/{delivery.id}", N_("A test is on its way."))


@routes.get("/webhooks/{webhook_id}/deliveries/{delivery_id}", access=MANAGE)
async def show_delivery(tx: Tx, view: PanelView, webhook_id: UUID, delivery_id: UUID) -> Html:
    """Show a delivery with its attempts. While one is due soon, the page reloads by itself."""
    endpoint = await queries.get(tx, webhook_id)
    delivery = await history.get_delivery(tx, webhook_id, delivery_id)
    due = delivery.next_attempt_at and datetime.fromisoformat(delivery.next_attempt_at)
    waits = endpoint.active or delivery.event_type == "webhook.test"
    return view.show(
        f"panel/webhooks/{'_attempts' if view.page.fragment else 'delivery'}.html",
        endpoint=endpoint,
        delivery=delivery,
        statuses=STATUSES,
        types=event_types,
        failures=FAILURES,
        held=not waits,
        polls=waits and bool(due and due < tx.now + _SOON),
    )


@routes.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", access=MANAGE)
async def retry_delivery(
    tx: Tx, view: PanelView, webhook_id: UUID, delivery_id: UUID, form: Button
) -> Answer:
    """Start a new cycle of attempts."""
    address = f"{ADDRESS}/{webhook_id}/deliveries/{delivery_id}"
    try:
        await actions.retry(tx, webhook_id, delivery_id)
    except Conflict as conflict:
        why = _SENDING_NOTICE if conflict.code == "delivery_in_progress" else _EXPIRED_NOTICE
        return view.lead(address, why, state="warn")
    return view.lead(address, N_("The delivery is sent again."))


@routes.get("/webhooks/{webhook_id}/replay", access=MANAGE)
async def ask_replay(tx: Tx, view: PanelView, webhook_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask which past events to send again."""
    endpoint = await queries.get(tx, webhook_id)
    zone = view.page.time_zone
    begins = {"since": LocalTime.of(tx.now - _USUAL_SPAN, zone), "until": LocalTime.of(tx.now, zone)}
    sentences = {"out_of_range": N_("The end must be after the start.")}
    return view.form(
        "panel/webhooks/replay.html", refusal, begins, sentences, endpoint=endpoint, types=event_types
    )


@routes.post("/webhooks/{webhook_id}/replay", access=MANAGE, refused=ask_replay)
async def replay_events(tx: Tx, view: PanelView, webhook_id: UUID, form: Span) -> Answer:
    """Send past events again."""
    zone = view.page.time_zone
    new = NewReplay(
        since=form.since.within(zone), until=form.until.within(zone), event_types=form.types or None
    )
    await actions.replay(tx, webhook_id, new)
    return view.lead(f"{ADDRESS}/{webhook_id}", N_("The events are being queued for replay."))
