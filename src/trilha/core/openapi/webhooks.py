"""The `webhooks` of the description: one for each event type."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from trilha.core.openapi.json_schema import example, example_id, schema_name, schema_of
from trilha.core.web.errors import REQUEST_ID
from trilha.core.web.routes import Routes

_SIGNATURE = "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
_STANDARD_SIGNATURE = "K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
# Separate from the operations' tags, because generators create clients from those.
WEBHOOKS_TAG = "Webhook events"
# a header's description, schema and example
_Header = tuple[str, dict[str, Any], Any]


class WebhookType(Struct, frozen=True):
    """An event type: when it is sent, and the Struct of the envelope's `data`."""

    name: str
    description: str
    data: type[Struct]


class WebhookRoutes(Routes):
    """The routes of a feature whose events are also sent to webhook endpoints, in this envelope."""

    def __init__(
        self, tag: str, description: str, envelope: type[Struct], webhooks: Sequence[WebhookType]
    ) -> None:
        super().__init__(tag, description)
        self.envelope = envelope
        self.webhooks = webhooks


def webhook_routes(features: Sequence[Routes]) -> Iterator[WebhookRoutes]:
    return (feature for feature in features if isinstance(feature, WebhookRoutes))


def webhook_structs(features: Sequence[Routes]) -> list[type[Struct]]:
    return [
        kind
        for feature in webhook_routes(features)
        for kind in (feature.envelope, *(each.data for each in feature.webhooks))
    ]


def webhooks_of(
    features: Sequence[Routes], schemas: Mapping[str, Any], headers: Sequence[str]
) -> dict[str, Any]:
    return {
        each.name: {"post": _operation(feature, each, schemas, headers)}
        for feature in webhook_routes(features)
        for each in feature.webhooks
    }


def _operation(
    feature: WebhookRoutes, webhook: WebhookType, schemas: Mapping[str, Any], headers: Sequence[str]
) -> dict[str, Any]:
    schema = _build_envelope(schemas[schema_name(feature.envelope.__name__)], webhook)
    return {
        "operationId": "receive_" + webhook.name.replace(".", "_"),
        "tags": [WEBHOOKS_TAG],
        "summary": webhook.description.partition(". ")[0].rstrip("."),
        "description": webhook.description,
        "security": [],  # the signature authenticates the sender
        # Clients do not call these. Some generators, first of all Python's, would create methods that do not
        # compile.
        "x-internal": True,
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in headers],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example(schema, schemas)}},
        },
        "responses": {
            "2XX": {"description": "Delivered, where the headers of the answer arrive within 10 seconds."},
            "default": {
                "description": "Not delivered: any other answer, a redirect included, and none in time. "
                "The event is sent again later, at most seven times in all."
            },
        },
    }


def _build_envelope(envelope: Mapping[str, Any], webhook: WebhookType) -> dict[str, Any]:
    """Returns the envelope's schema for one event type and its data."""
    members = {
        **envelope["properties"],
        "type": {"type": "string", "const": webhook.name},
        "data": schema_of(webhook.data),
    }
    # Generators name a class after the schema's title.
    return {"title": f"{webhook.data.__name__}Event", **envelope, "properties": members}


def parameter_components(prefix: str = "X-Service-", agent: str = "Trilha-Webhooks/1") -> dict[str, Any]:
    """Describes the headers of a delivery. `prefix` begins the names of our own headers."""
    event_id: dict[str, Any] = {"type": "string", "pattern": "^evt_[0-9a-f]{32}$"}
    an_event = "evt_2f1d3c5b7a904e6f8d1c3b5a79e0f2d4"
    headers: dict[str, _Header] = {
        f"{prefix}Signature": (
            "HMAC-SHA-256 of `<t>.<body>`, keyed with the secret; after a rotation a v1 for each that works.",
            {"type": "string", "pattern": "^t=[0-9]+(,v1=[0-9a-f]{64})+$"},
            f"t=1795253401,v1={_SIGNATURE}",
        ),
        f"{prefix}Event-Id": (
            "The event's id. The same event may come more than once: act on it once.",
            event_id,
            an_event,
        ),
        f"{prefix}Event-Type": ("The event's type.", {"type": "string"}, "enrollment.completed"),
        f"{prefix}Delivery-Id": (
            "The delivery's id, the same for every attempt.",
            {"type": "string", "format": "uuid"},
            example_id("delivery_id"),
        ),
        f"{prefix}Request-Id": (
            "The `X-Request-Id` of the request that caused the event. It is left out if no request did.",
            {"type": "string"},
            REQUEST_ID,
        ),
        "webhook-id": ("The event's id, as Standard Webhooks has it.", event_id, an_event),
        "webhook-timestamp": (
            "When this attempt was signed, in Unix seconds.",
            {"type": "integer", "minimum": 0},
            1795253401,
        ),
        "webhook-signature": (
            "The signature of Standard Webhooks; after a rotation several with spaces between.",
            {"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$"},
            f"v1,{_STANDARD_SIGNATURE}",
        ),
        "User-Agent": ("Who sends.", {"type": "string"}, agent),
    }
    return {
        name: {
            "name": name,
            "in": "header",
            "required": not name.endswith("Request-Id"),
            "description": meaning,
            "schema": schema,
            "example": shown,
        }
        for name, (meaning, schema, shown) in headers.items()
    }
