"""Webhook endpoints and deliveries, as received and as returned."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import STORABLE, Choice, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.platform.events.schema import EventType, EventTypeFilter, Subscription

_HOOK = "https://hooks.example.com/trilha"
Url = Annotated[
    str,
    Meta(
        max_length=2048,
        examples=[_HOOK],
        extra_json_schema={"format": "uri", "pattern": "^https?://"},
        description="HTTPS, port 443 or 8443, at a public address.",
    ),
]
EventTypes = Annotated[list[Subscription], Meta(min_length=1, max_length=100)]
Description = Annotated[str, Meta(max_length=500, examples=["ERP"], extra_json_schema=STORABLE)]
Count = Annotated[int, Meta(ge=0, examples=[0])]
EventId = Annotated[str, Meta(examples=["evt_2f1d3c5b7a904e6f8d1c3b5a79e0f2d4"])]
HttpStatus = Annotated[int | None, Meta(examples=[200])]


class DeliveryStatus(StrEnum):
    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    DEAD_LETTER = "DEAD_LETTER"


class NewEndpoint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: Url
    events: EventTypes
    description: Description | None = None
    active: bool = True


class EndpointPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: Url | UnsetType = UNSET
    events: EventTypes | UnsetType = UNSET
    description: Description | None | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class Endpoint(Struct, frozen=True):
    """A webhook endpoint. `failure_count` is the number of consecutive failed attempts."""

    id: UUID
    url: Url
    events: EventTypes
    description: Description | None
    active: bool
    failure_count: Count
    created_at: Timestamp


class EndpointQuery(ListQuery, frozen=True, kw_only=True):
    """`q` searches the URL and the description. Without `state`, all endpoints are returned.

    `failing` selects endpoints whose last attempt failed.
    """

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: Literal["active", "inactive", "failing"] | None = None


class IssuedEndpoint(Endpoint, frozen=True):
    """A webhook endpoint with its signing secret. The secret is returned only once."""

    secret: Annotated[str, Meta(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7dJY2oLyXg0="])]
    previous_secret_expires_at: Timestamp | None | UnsetType = UNSET


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt to deliver an event. `error` is set if there was no response. `response_body` holds the
    first 16 KiB of the response.
    """

    number: Annotated[int, Meta(ge=1, examples=[1])]
    at: Timestamp
    http_status: HttpStatus
    error: Annotated[str | None, Meta(examples=[None])]
    duration_ms: Annotated[int, Meta(ge=0, examples=[84])]
    response_body: Annotated[str | None, Meta(examples=["ok"])]


class Delivery(Struct, frozen=True):
    """The delivery of one event to one endpoint. `id` stays the same across retries."""

    id: UUID
    event_id: EventId
    event_type: EventType
    status: Annotated[DeliveryStatus, Meta(examples=["DELIVERED"])]
    attempts: Annotated[int, Meta(ge=0, examples=[1])]
    http_status: HttpStatus
    response_body: Annotated[str | None, Meta(examples=["ok"])]
    next_attempt_at: Annotated[Timestamp | None, Meta(examples=[None])]
    delivered_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    attempt_log: list[Attempt]


class EventDelivery(Struct, frozen=True):
    """The delivery of one event to one endpoint, in short."""

    id: UUID
    endpoint_id: UUID
    url: str
    status: DeliveryStatus
    attempts: int
    http_status: HttpStatus
    updated_at: Timestamp


class DeliveryStatusFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": list(DeliveryStatus), "examples": ["DEAD_LETTER"]}


class DeliveryQuery(ListQuery, frozen=True, kw_only=True):
    """`since` and `until` filter by `created_at`. `since` is inclusive, `until` exclusive."""

    status: Annotated[DeliveryStatusFilter, Meta(description="Only those in this state.")] | None = None
    event_type: Annotated[EventTypeFilter, Meta(description="Only those of this type of event.")] | None = (
        None
    )
    since: Annotated[Timestamp, Meta(description="Only those created at or after this moment.")] | None = None
    until: Annotated[Timestamp, Meta(description="Only those created before this moment.")] | None = None


# an example that forms a valid range with the example of a later time
SpanStart = Annotated[Timestamp, Meta(examples=["2026-11-20T09:30:00.000Z"])]


class NewReplay(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to send past events again: those created from `since` on and before `until`. Without
    `event_types`, all events that the endpoint subscribes to are sent.
    """

    since: SpanStart
    until: Timestamp
    event_types: EventTypes | None = None


class Replay(Struct, frozen=True):
    """A replay of past events to one endpoint. `enqueued` is the number of events that are in the queue so
    far.
    """

    id: UUID
    endpoint_id: UUID
    since: SpanStart
    until: Timestamp
    event_types: EventTypes | None
    enqueued: Count
    created_at: Timestamp
    finished_at: Annotated[Timestamp | None, Meta(examples=[None])]


class ClaimedDelivery(Struct, frozen=True):
    """A delivery that this process alone may send, with everything needed to send it."""

    id: UUID
    claim_id: UUID  # the id of the worker
    claimed_until: Timestamp
    tenant_id: UUID
    endpoint_id: UUID
    url: str
    secrets: list[bytes]  # sealed; the current one first
    event_id: UUID
    event_type: str
    event_at: Timestamp
    data: Any
    attempts: int
    cycle_attempts: int  # since a person or a replay last enqueued it
    request_id: str | None = None  # the request that caused the event
    traceparent: str | None = None

    @property
    def is_retry(self) -> bool:
        return self.cycle_attempts > 0


class SendResult(Struct, frozen=True, kw_only=True):
    """The response to one attempt. `retry_after` is in seconds."""

    at: Timestamp
    http_status: int | None = None
    error: str | None = None
    duration_ms: int
    response_body: str | None = None
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        return self.http_status is not None and 200 <= self.http_status < 300


class DeliveryResult(Struct, frozen=True, kw_only=True):
    """An attempt, and the status of the delivery after it."""

    delivery: ClaimedDelivery
    attempt: Attempt
    status: DeliveryStatus
    next_attempt_at: datetime | None
