"""Sessions of content, and what learners have reached in it."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp

LaunchMode = Literal["Normal", "Browse", "Review"]
NodeKind = Literal["AU", "BLOCK", "COURSE"]


class Session(Struct, frozen=True):
    """One opening of the content of a module. Times are those of the statements that were stored."""

    id: UUID
    user_id: UUID
    launch_id: UUID
    enrollment_id: UUID | None
    module_id: UUID
    registration: UUID
    mode: LaunchMode
    last_at: Timestamp
    started_at: Timestamp
    fetched_at: Timestamp | None = None
    preferences_at: Timestamp | None = None
    initialized_at: Timestamp | None = None
    completed_at: Timestamp | None = None
    judged_at: Timestamp | None = None
    terminated_at: Timestamp | None = None
    abandoned_at: Timestamp | None = None

    @property
    def is_ended(self) -> bool:
        return self.terminated_at is not None or self.abandoned_at is not None


class NodeProgress(Struct, frozen=True):
    """What an enrollment has reached in a unit, in a block or in the whole course structure."""

    kind: NodeKind
    identifier: str
    completed_at: Timestamp | None = None
    passed_at: Timestamp | None = None
    failed_at: Timestamp | None = None
    waived_at: Timestamp | None = None
    satisfied_at: Timestamp | None = None


class OpenedContent(Struct, frozen=True):
    """Where the browser opens the content. With `own_window`, it must not be in a frame."""

    address: str
    own_window: bool
