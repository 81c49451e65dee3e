"""Events, as they are read and as they are sent."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.openapi.json_schema import example, flat_schema
from trilha.core.types import Refused, Text, Timestamp, to_json
from trilha.core.web.pagination import ListQuery
from trilha.events.catalogue import CATALOGUE, EnrollmentCompleted
from trilha.events.event import VERSION, EventName, TypeName

BEGINNING = f"evt_{'0' * 32}"
_NAME = re.compile("evt_([0-9a-f]{32})")
_SCHEMA = flat_schema(EnrollmentCompleted)


def group_of(type: str) -> str:
    """What subscribes to it together with all types that begin alike: `user.*`."""
    return f"{type.partition('.')[0]}.*"


class Subscription(Text):
    """The name of a type in the catalogue, or of a group of types: those that come to it later are in it."""

    __slots__ = ()
    schema = {
        "type": "string",
        "enum": [*CATALOGUE, *dict.fromkeys(map(group_of, CATALOGUE))],
        "examples": [EnrollmentCompleted.type],
    }

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in cls.allowed():
            raise Refused("invalid_value")
        return text


class EventType(Subscription):
    """The name of a type in the catalogue."""

    __slots__ = ()
    schema = {"type": "string", "enum": list(CATALOGUE), "examples": [EnrollmentCompleted.type]}


def types_of(subscriptions: Iterable[str]) -> list[str]:
    """The types of the catalogue that are subscribed to."""
    given = set(subscriptions)
    return [each for each in CATALOGUE if each in given or group_of(each) in given]


class EventTypeFilter(EventType):
    """In upper or lower case."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.lower())


class EventEnvelope(Struct, frozen=True):
    """What happened. `created` is in Unix seconds; `data` has the members of the type."""

    id: EventName
    type: TypeName  # no closed list, as a filter has: clients must bear a type that is added later
    created: Annotated[int, Meta(ge=0, examples=[1795253400])]
    version: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}$", examples=[VERSION])]
    tenant_id: UUID
    data: Annotated[
        dict[str, Any],
        Meta(examples=[example(_SCHEMA, {})], extra_json_schema={"additionalProperties": True}),
    ]


class EventRow(Struct, frozen=True):
    """An event as it is stored."""

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
    """`until` bounds it from above: before that moment."""

    until: Timestamp | None = None


class EventDescription(Struct, frozen=True):
    """A type of event: when it happens, and the JSON Schema of its `data`."""

    type: TypeName
    description: Annotated[str, Meta(examples=[EnrollmentCompleted.description()])]
    schema: Annotated[
        dict[str, Any], Meta(examples=[_SCHEMA], extra_json_schema={"additionalProperties": True})
    ]


def event_name(id: UUID) -> str:
    """The public form of an event's id: `evt_` and 32 hexadecimal digits."""
    return f"evt_{id.hex}"


def parse_event_name(name: str) -> UUID | None:
    found = _NAME.fullmatch(name)
    return UUID(found[1]) if found else None


def envelope(id: UUID, type: str, created_at: str, tenant_id: UUID, data: Any) -> EventEnvelope:
    created = int(datetime.fromisoformat(created_at).timestamp())
    return EventEnvelope(event_name(id), type, created, VERSION, tenant_id, data)


def envelope_bytes(id: UUID, type: str, created_at: str, tenant_id: UUID, data: Any) -> bytes:
    """What a delivery sends, to the byte: the same for the same event, whenever it is asked for."""
    return to_json(envelope(id, type, created_at, tenant_id, data))
