"""Usage of a tenant."""

from datetime import date

from msgspec import Struct

from trilha.core.counter_rows import CounterTable
from trilha.core.types import Timestamp

USAGE_COUNTERS = CounterTable("usage_counters", ("month",), ("api_calls", "mails"))


class Counts(Struct, frozen=True):
    """What was counted in a month."""

    api_calls: int
    mails: int


class Measurement(Struct, frozen=True):
    """What the worker measured last in a month."""

    month: date
    people: int
    active_people: int
    files: int
    storage_bytes: int
    measured_at: Timestamp
