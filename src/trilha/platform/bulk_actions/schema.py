"""Types of bulk actions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import Actor
from trilha.core.types import Timestamp

# A held action waits while it can be undone, because what it does cannot be taken back.
ActionState = Literal["HELD", "RUNNING", "DONE", "UNDOING", "UNDONE"]
ItemState = Literal["WAITING", "DONE", "SKIPPED", "UNDONE", "KEPT"]
# How long an action can be undone. The pages name UNDO; the rest is for slow networks.
UNDO = timedelta(seconds=60)
GRACE = timedelta(seconds=15)
RETENTION = timedelta(days=7)


class BulkRun(Struct, frozen=True):
    """One action on many rows. `rows` are all, `done` and `skipped` those behind it; `undone` and `kept` are
    parts of `done`. `held_until` is when the work of a held action begins, or began.
    """

    id: UUID
    action: str
    options: dict[str, Any]
    address: str
    user_id: UUID
    actor_kind: str
    actor: str
    source: str
    state: ActionState
    rows: int
    done: int
    skipped: int
    undone: int
    kept: int
    created_at: Timestamp
    finished_at: Timestamp | None
    held_until: Timestamp | None

    @property
    def author(self) -> Actor:
        return Actor(self.actor_kind, self.actor, self.source)

    @property
    def is_held(self) -> bool:
        return self.state == "HELD"

    @property
    def begun_at(self) -> datetime:
        return Timestamp(self.held_until or self.created_at).moment()

    @property
    def is_running(self) -> bool:
        return self.state in ("RUNNING", "UNDOING")


class NewRun(Struct, frozen=True, kw_only=True):
    id: UUID
    action: str
    options: Mapping[str, Any]
    address: str
    user_id: UUID


class Item(Struct, frozen=True):
    """One row. `before` and `after` are what the action changes of it."""

    number: int
    target_id: UUID
    state: ItemState
    reason: str | None
    before: Any
    after: Any


class ChangedItem(Struct, frozen=True):
    """A row's new state."""

    number: int
    state: ItemState
    reason: str | None = None
    before: Any = None
    after: Any = None


class ReasonCount(Struct, frozen=True):
    """How many rows were skipped or kept for one reason."""

    state: ItemState
    reason: str
    count: int
