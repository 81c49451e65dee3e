"""The log of an enrollment, and the result of verifying it."""

from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.enrollments.schema import EnrollmentStatus

LogKind = Literal[
    "launched",
    "commit",
    "watched",
    "dwelled",
    "read",
    "answer",
    "voice",
    "graded",
    "beat",
    "attended",
    "assessed",
    "completed",
]


class LogHead(Struct, frozen=True):
    """The end of an enrollment's log: the number and hash of its last entry, and running figures.

    `user_id`, `course_id` and `status` come from the enrollment. `emitted_progress` is the progress that the
    last `enrollment.progress` event carried, and `emitted_at` is the time of that event. `retired_at` is set
    if the entries were removed, because the tenant keeps them no longer. With `has_outbox`, entries are also
    put in the outbox of statements.
    """

    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    number: int
    hash: bytes
    credited_seconds: float
    emitted_progress: float
    emitted_at: Timestamp | None
    retired_at: Timestamp | None
    status: EnrollmentStatus
    has_outbox: bool = False


class Entry(Struct, frozen=True):
    """One entry of a log. `detail` is the exact JSON text that was hashed."""

    number: int
    kind: LogKind
    launch_id: UUID | None
    at: Timestamp
    detail: str
    hash: bytes


class Change(Struct, frozen=True):
    """A statement that changes rows, with its parameters."""

    sql: str
    params: dict[str, Any]


class Verification(Struct, frozen=True):
    """The result of verifying one enrollment's log.

    `broken_at` is the number of the first entry that was changed or is missing. `problem` is "changed",
    "missing" or "hours", and empty for an intact log. It is "retired" if the entries were removed at the end
    of the tenant's retention period, so that nothing can be verified. `completed_number` and `completed_hash`
    belong to the entry that the certificate names.
    """

    enrollment_id: UUID
    entries: int
    hash: str
    broken_at: int | None = None
    problem: str = ""
    completed_number: int | None = None
    completed_hash: str | None = None
