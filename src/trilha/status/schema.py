"""What `trilha status` tells."""

from typing import Any

from msgspec import Struct

from trilha.core.types import Timestamp


class Process(Struct, frozen=True):
    """One that is connected to the database. `kind` is serve or work; a server has several."""

    kind: str
    process: str
    started_at: Timestamp
    connections: int


class Backlog(Struct, frozen=True):
    """Work for a worker. What counts as `waiting` need not be due yet; counting ends at `COUNTED_MOST`."""

    work: str
    waiting: int
    oldest_due: Timestamp | None


class LastError(Struct, frozen=True):
    message: str
    at: Timestamp
    count: int
    process: str
    detail: dict[str, Any]


class Status(Struct, frozen=True):
    version: str
    processes: list[Process]
    backlog: list[Backlog]
    last_errors: list[LastError]
