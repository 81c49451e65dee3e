"""The output of `trilha status`."""

from typing import Any

from msgspec import Struct

from trilha.core.types import Timestamp


class Process(Struct, frozen=True):
    """A process that is connected to the database. `kind` is serve or work; one server has several
    processes.
    """

    kind: str
    process: str
    started_at: Timestamp
    connections: int


class Backlog(Struct, frozen=True):
    """Work for a worker. `waiting` includes work that is not due yet, and is counted up to `MAX_COUNTED`."""

    work: str
    waiting: int
    oldest_due: Timestamp | None


class LastError(Struct, frozen=True):
    message: str
    at: Timestamp
    count: int
    process: str
    detail: dict[str, Any]


class LastBackup(Struct, frozen=True):
    """The latest run of `trilha backup`. `outcome` is RUNNING, DONE or FAILED; `done_at` is the end of the
    latest run that succeeded.
    """

    id: str
    started_at: Timestamp
    finished_at: Timestamp | None
    outcome: str
    stored_bytes: int
    error: str | None
    verified_at: Timestamp | None
    done_at: Timestamp | None


class Status(Struct, frozen=True):
    version: str
    processes: list[Process]
    backlog: list[Backlog]
    last_errors: list[LastError]
    last_backup: LastBackup | None


class DatabaseServer(Struct, frozen=True):
    """The PostgreSQL server. `unsafe_settings` are those that are off although they protect against a
    crash. `is_unencrypted` is set for a connection over the network without TLS.
    """

    version: int
    encoding: str
    is_collation_current: bool
    unsafe_settings: list[str]
    is_unencrypted: bool
    now: Timestamp
