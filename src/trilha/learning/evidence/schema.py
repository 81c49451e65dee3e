"""The log of an enrollment, and what a verification of it finds."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.enrollments.schema import EnrollmentStatus

LogKind = Literal[
    "launched", "commit", "watched", "dwelled", "read", "answer", "voice", "graded", "beat", "completed"
]


class LogHead(Struct, frozen=True):
    """The end of an enrollment's log, locked. `user_id`, `course_id` and `status` are the enrollment's."""

    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    number: int
    hash: bytes
    credited_seconds: float
    told_progress: float
    told_at: Timestamp | None
    status: EnrollmentStatus


class Entry(Struct, frozen=True):
    """One of a log. `detail` is JSON, to the byte as it was hashed."""

    number: int
    kind: LogKind
    launch_id: UUID | None
    at: Timestamp
    detail: str
    hash: bytes


class Verification(Struct, frozen=True):
    """Of the log of one enrollment. `broken_at` is the first entry that is not what it was, or is missing;
    `problem`: changed, missing, hours; empty where all is as it was written. `completed_number` and
    `completed_hash` are of the entry that the certificate names."""

    enrollment_id: UUID
    entries: int
    hash: str
    broken_at: int | None = None
    problem: str = ""
    completed_number: int | None = None
    completed_hash: str | None = None
