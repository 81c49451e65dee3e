"""Launches: what the player is given, what it sends, and what becomes of it."""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.courses.schema import ModuleType
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning.criteria import Criterion
from trilha.learning.rules import Outcome
from trilha.learning.study_rules import Studied
from trilha.scorm.package.manifest import Version
from trilha.scorm.runtime.mapping import Completion, Success

LogKind = Literal[
    "launched", "commit", "watched", "dwelled", "read", "answer", "voice", "graded", "beat", "completed"
]
# The reports that carry a learner's work, by the last part of their address.
ReportKind = Literal["commit", "watched", "dwelled", "read", "answers"]


class LaunchedFrom(Struct, frozen=True):
    """The browser that a launch is for, and the session that it ends with."""

    source: str
    agent: str
    session_id: UUID | None = None


class ScormLaunch(Struct, frozen=True):
    """What the runtime is made with. `cmi` is what it loads before content initialises it."""

    package_id: UUID
    item: str
    version: Version
    cmi: Mapping[str, Any]


class Launched(Struct, frozen=True):
    """`token` is shown once. `review`: nothing that is done counts any more."""

    launch_id: UUID
    token: str
    attempt: int
    module_type: ModuleType
    review: bool
    scorm: ScormLaunch | None


class Report(Struct, frozen=True, kw_only=True):
    """What all reports of the player have in common.

    `sequence` grows with every report of a launch, from 1; `final` is the one with which content is left.
    `raw` is the whole body and `hash` is of it. `base` is the attempt's `late_commits` as its page was made
    with them. `sent_at` is by the browser's clock, in milliseconds since 1970. `left_out` is how many answers
    the browser did not send because they were too large.
    """

    sequence: int
    final: bool
    hash: bytes
    raw: bytes
    base: int | None = None
    sent_at: float = 0.0
    left_out: int = 0


class Commit(Report, frozen=True, kw_only=True):
    """What the runtime sends. `cmi` is as it was sent. `sequencing` is the runtime's state of the package's
    activities, as it gave it, where there are rules."""

    cmi: object
    sequencing: str = ""


class Study(Report, frozen=True, kw_only=True):
    """What the player tells of a module that is no package."""

    said: Studied


class Committed(Struct, frozen=True):
    """`superseded`: the module was opened again elsewhere. `completed`: the enrollment is, by this.
    `progress` is the attempt's, of what is watched or read and counted; `uncounted` are seconds of it that
    the server's clock has no room for."""

    outcome: Outcome
    superseded: bool
    completed: bool = False
    progress: float | None = None
    uncounted: float = 0.0


class Beat(Struct, frozen=True):
    """`credited` is in seconds."""

    credited: float
    superseded: bool
    expired: bool
    completed: bool = False


class Module(Struct, frozen=True):
    """What of a module is read to launch it, and to see whether its course is completed."""

    id: UUID
    title: str
    type: ModuleType
    duration_minutes: int
    required: bool
    content: dict[str, Any] | None


class Head(Struct, frozen=True):
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


class Attempt(Struct, frozen=True):
    """One try at a module, without what content keeps in it. `late_commits` is how many commits of superseded
    launches have changed it, `late_launch` the number of the launch that did so last."""

    id: UUID
    enrollment_id: UUID
    module_id: UUID
    number: int
    package_id: UUID | None
    item: str | None
    version: Version | None
    settings: dict[str, Any]
    completion: Completion
    success: Success
    score: float | None
    progress: float
    exit: str
    terminated: bool
    told: str
    newest_launch: int
    late_commits: int = 0
    late_launch: int = 0


class Launch(Struct, frozen=True):
    """One opening of a module in one tab."""

    id: UUID
    number: int
    attempt_id: UUID
    review: bool
    last_sequence: int
    last_hash: bytes
    credited_seconds: float
    started_at: Timestamp
    beat_at: Timestamp
    seen_at: Timestamp
    superseded_by: UUID | None


class Standing(Struct, frozen=True):
    """How far an enrollment is, and what is missing. `credited_seconds` are by the server's clock."""

    progress: float
    score: float | None
    credited_seconds: float
    unmet: Sequence[Criterion]


class ModuleOverview(Struct, frozen=True):
    """A module, and how far one person is in it. `attempts` is how many were begun, `failed` how the last of
    them ended; `locked_by` are the modules that come first."""

    id: UUID
    position: int
    title: str
    type: ModuleType
    duration_minutes: int
    required: bool
    progress: float
    score: float | None
    attempts: int
    failed: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    locked_by: Sequence[UUID] = ()


class Overview(Struct, frozen=True):
    """`criteria` is all that the course asks for; `next_module` is what to go on with. Of the modules in
    `awaiting`, an answer is to be graded."""

    modules: Sequence[ModuleOverview]
    criteria: Sequence[Criterion]
    next_module: UUID | None
    awaiting: Set[UUID]


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
