"""The workload of a course by kind: theory or practice, at a distance or in person.

An author may choose what the minutes of a module count as. Otherwise they follow from the module's type: a
practice is practice in person, a class with a room meets in person, and everything else is theory at a
distance.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from trilha.training.courses.schema import Delivery, WorkloadKind

# In the order of the certificate.
KINDS: tuple[tuple[WorkloadKind, Delivery], ...] = (
    ("THEORY", "DISTANCE"),
    ("THEORY", "IN_PERSON"),
    ("PRACTICE", "DISTANCE"),
    ("PRACTICE", "IN_PERSON"),
)
_HAS_ROOM = """EXISTS (
    SELECT FROM classes AS c JOIN class_sessions AS s ON s.tenant_id = :tenant AND s.class_id = c.id
    WHERE c.tenant_id = :tenant AND c.module_id = {0}.id AND s.room IS NOT NULL AND s.cancelled_at IS NULL)"""


def _kind_of(module: str) -> str:
    return f"""COALESCE({module}.workload_kind,
        CASE WHEN {module}.type = 'PRACTICE' THEN 'PRACTICE' ELSE 'THEORY' END)"""


def _delivery_of(module: str, has_room: str) -> str:
    return f"""COALESCE({module}.delivery, CASE
        WHEN {module}.type = 'PRACTICE' OR ({module}.type = 'CLASS' AND {has_room}) THEN 'IN_PERSON'
        ELSE 'DISTANCE' END)"""


# By member: the SQL of a row of `modules`.
WORKLOAD_COLUMNS: Mapping[str, str] = {
    "workload_kind": _kind_of("row"),
    "delivery": _delivery_of("row", _HAS_ROOM.format("row")),
    "chosen_workload_kind": "row.workload_kind",
    "chosen_delivery": "row.delivery",
}


def build_columns(module: str, has_room: str = "") -> tuple[str, str]:
    """Builds the SQL of the kind and the delivery of a module, which is a row of this name. `has_room` is a
    condition: the people concerned met in a room. Without it, one room in any class of the module is enough.
    """
    return _kind_of(module), _delivery_of(module, has_room or _HAS_ROOM.format(module))


class Workload(Struct, frozen=True):
    """The minutes of one kind."""

    kind: WorkloadKind
    delivery: Delivery
    minutes: int


def sum_workloads(parts: Iterable[tuple[WorkloadKind, Delivery, int]]) -> list[Workload]:
    """Adds up minutes by kind, in the order of the certificate; kinds without minutes are left out."""
    totals = dict.fromkeys(KINDS, 0)
    for kind, delivery, minutes in parts:
        totals[kind, delivery] += minutes
    return [Workload(kind, delivery, minutes) for (kind, delivery), minutes in totals.items() if minutes]


class CountedModule(Protocol):
    """A module with what its minutes count as."""

    @property
    def workload_kind(self) -> WorkloadKind: ...
    @property
    def delivery(self) -> Delivery: ...
    @property
    def duration_minutes(self) -> int: ...


def sum_of_modules(modules: Iterable[CountedModule]) -> list[Workload]:
    return sum_workloads((each.workload_kind, each.delivery, each.duration_minutes) for each in modules)
