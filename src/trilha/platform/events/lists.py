"""The feed of events as a list."""

from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import Condition, Conditions, List, Walk
from trilha.platform.events.schema import EventQuery, EventRow, parse_event_name

VISIBLE_PERIOD = timedelta(days=30)
_BEFORE_ALL = UUID(int=0)
OLDEST = f"CAST(:now AS timestamptz) - interval '{VISIBLE_PERIOD.days} days'"
# An event without a position in the feed has no following events yet.
_NOTHING = Condition(where="false", ids="SELECT id FROM events WHERE tenant_id = :tenant AND false")


def sequence_at(moment: str) -> str:
    """Builds SQL for a sequence that is lower than that of every event created at or after `moment`."""
    return f"(extract(epoch FROM CAST({moment} AS timestamptz)) * 1000000)::bigint"


def _since(moment: str) -> Condition:
    return Condition(
        where=f"row.created_at >= {moment} AND row.sequence > {sequence_at(moment)}", bounds="sequence"
    )


class _Position(Struct, frozen=True):
    relayed: bool
    position: int


async def _after(tx: Tx, query: EventQuery, reach: None) -> Conditions:
    """Raises Invalid (unknown_event)."""
    event_id = parse_event_name(query.after or "")
    position = -1
    if event_id != _BEFORE_ALL:
        event = await tx.find(
            _Position,
            """
            SELECT relayed, COALESCE(position, sequence) AS position FROM events
            WHERE tenant_id = :tenant AND id = :event_id
            """,
            event_id=event_id,
        )
        if event is None:
            raise invalid("after", "unknown_event")
        if not event.relayed:
            return (_NOTHING,)
        position = event.position
    return (
        Condition(
            where="row.position IS NOT NULL AND (row.position, row.id) > (:position, :event_id)",
            params={"position": position, "event_id": event_id},
            bounds="position",
            order=(Walk(keys=("position",)),),
        ),
    )


# The sequence of an event may differ from its time by the length of a transaction. A day is more than enough.
EVENTS = List(
    name="events by sequence",
    table="events",
    kind=EventRow,
    default_walk=Walk(keys=("sequence",), direction="DESC"),
    always=(_since(OLDEST),),
    filters={
        "type": Condition(where="row.type = :type", leads=("sequence",)),
        "since": _since(":since"),
        "until": Condition(
            where=f"""row.created_at < :until
                AND row.sequence < {sequence_at("CAST(:until AS timestamptz) + interval '1 day'")}""",
            bounds="sequence",
        ),
        "after": _after,
    },
)
