"""The lists of webhook endpoints, deliveries and replays."""

from trilha.core.lists import Condition, List, by_owner
from trilha.platform.webhooks.schema import Delivery, Endpoint, Replay

# Columns of a delivery that its table does not have.
DELIVERY = {
    "event_id": "'evt_' || replace(event_id::text, '-', '')",
    "http_status": "(attempt_log -> -1 ->> 'http_status')::int",
    "response_body": "attempt_log -> -1 ->> 'response_body'",
}
ENDPOINTS = List(
    name="webhooks",
    table="webhook_endpoints",
    kind=Endpoint,
    always=(Condition(where="row.deleted_at IS NULL", leads=("created_at",)),),
    filters={
        "q": Condition(where="strpos(lower(row.url || ' ' || COALESCE(row.description, '')), lower(:q)) > 0"),
        "state": {
            "active": (Condition(where="row.active"),),
            "inactive": (Condition(where="NOT row.active"),),
            "failing": (Condition(where="row.active AND row.failure_count > 0"),),
        },
    },
)
DELIVERIES = List(
    name="webhooks/deliveries",
    table="webhook_deliveries",
    kind=Delivery,
    columns=DELIVERY,
    filters={
        "status": Condition(where="row.endpoint_id = :owner AND row.status = :status", leads=("created_at",)),
        "event_type": Condition(
            where="row.endpoint_id = :owner AND row.event_type = :event_type", leads=("created_at",)
        ),
        "since": Condition(where="row.created_at >= :since", bounds="created_at"),
        "until": Condition(where="row.created_at < :until", bounds="created_at"),
    },
    reach=by_owner("endpoint_id", "created_at"),
)
REPLAYS = List(
    name="webhooks/replays", table="webhook_replays", kind=Replay, reach=by_owner("endpoint_id", "created_at")
)
