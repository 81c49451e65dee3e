"""Events, as stored and as sent."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.openapi.json_schema import example, flat_schema
from trilha.core.types import InvalidValue, Text, Timestamp, to_json
from trilha.core.web.pagination import ListQuery
from trilha.platform.events.catalogue import CATALOGUE, EnrollmentCompleted
from trilha.platform.events.event import VERSION, EventName, TypeName

BEGINNING = f"evt_{'0' * 32}"
_NAME = re.compile("evt_([0-9a-f]{32})")
_SCHEMA = flat_schema(EnrollmentCompleted)


def group_of(type: str) -> str:
    """Returns the group of an event type, such as `user.*`."""
    return f"{type.partition('.')[0]}.*"


class Subscription(Text):
    """An event type, such as `user.created`, or a group of types, such as `user.*`. A group includes types
    that are added later.
    """

    __slots__ = ()
    schema = {
        "type": "string",
        "enum": [*CATALOGUE, *dict.fromkeys(map(group_of, CATALOGUE))],
        "examples": [EnrollmentCompleted.type],
    }

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in cls.list_values():
            raise InvalidValue("invalid_value")
        return text


class EventType(Subscription):
    """An event type from the catalog."""

    __slots__ = ()
    schema = {"type": "string", "enum": list(CATALOGUE), "examples": [EnrollmentCompleted.type]}


def types_of(subscriptions: Iterable[str]) -> list[str]:
    """Returns the event types that the subscriptions cover."""
    names = set(subscriptions)
    return [each for each in CATALOGUE if each in names or group_of(each) in names]


class EventTypeFilter(EventType):
    """An event type. Case is ignored."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.lower())


class EventEnvelope(Struct, frozen=True):
    """An event. `created` is in Unix seconds. `data` depends on the type."""

    id: EventName
    type: TypeName  # an open list: clients must accept types that are added later
    created: Annotated[int, Meta(ge=0, examples=[1795253400])]
    version: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}$", examples=[VERSION])]
    tenant_id: UUID
    data: Annotated[
        dict[str, Any],
        Meta(examples=[example(_SCHEMA, {})], extra_json_schema={"additionalProperties": True}),
    ]


class EventRow(Struct, frozen=True):
    """A stored event."""

    id: UUID
    type: str
    created_at: str
    data: Any


_AFTER = (
    "Only those that came after this event, the oldest first: whoever reads on in this way misses none. "
    f"`{BEGINNING}` is before all."
)


class EventQuery(ListQuery, frozen=True, kw_only=True):
    type: Annotated[EventTypeFilter, Meta(description="Only events of this type.")] | None = None
    after: (
        Annotated[str, Meta(pattern="^evt_[0-9a-f]{32}$", examples=[BEGINNING], description=_AFTER)] | None
    ) = None
    since: Annotated[Timestamp, Meta(description="Only those created at or after this moment.")] | None = None


class EventSearch(EventQuery, frozen=True, kw_only=True):
    """A search for events. `until` is an exclusive upper bound."""

    until: Timestamp | None = None


class EventDescription(Struct, frozen=True):
    """An event type: when it is sent, and the JSON Schema of its `data`."""

    type: TypeName
    description: Annotated[str, Meta(examples=[EnrollmentCompleted.description()])]
    schema: Annotated[
        dict[str, Any], Meta(examples=[_SCHEMA], extra_json_schema={"additionalProperties": True})
    ]


def event_name(id: UUID) -> str:
    """Formats an event's public id: `evt_` and 32 hexadecimal digits."""
    return f"evt_{id.hex}"


def parse_event_name(name: str) -> UUID | None:
    match = _NAME.fullmatch(name)
    return UUID(match[1]) if match else None


def envelope(id: UUID, type: str, created_at: str, tenant_id: UUID, data: Any) -> EventEnvelope:
    created = int(datetime.fromisoformat(created_at).timestamp())
    return EventEnvelope(event_name(id), type, created, VERSION, tenant_id, data)


def envelope_bytes(id: UUID, type: str, created_at: str, tenant_id: UUID, data: Any) -> bytes:
    """Serializes an event for delivery. The bytes are always the same for the same event."""
    return to_json(envelope(id, type, created_at, tenant_id, data))
