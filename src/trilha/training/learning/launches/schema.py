"""Launches, and what their pages and requests need."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.training.courses.schema import ModuleType
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.study_days.schema import DEFAULT_TIME_ZONE, StudyDays
from trilha.training.scorm.package.manifest import AssignableUnit, Item, Manifest


class Module(Struct, frozen=True):
    """The members of a module that a launch needs."""

    id: UUID
    title: str
    type: ModuleType
    duration_minutes: int
    required: bool
    content: dict[str, Any] | None


class LaunchClient(Struct, frozen=True):
    """The browser that opens a launch, and the session with which the launch ends."""

    source: str
    agent: str
    session_id: UUID | None = None


class NewLaunch(Struct, frozen=True):
    """A launch that was just made. Only its browser ever learns `token`. Nothing counts in a `review`."""

    launch_id: UUID
    token: str
    attempt: int
    module_type: ModuleType
    review: bool


class Launch(Struct, frozen=True):
    """A stored launch. `beat_at` is the time of its last heartbeat, `seen_at` that of its last request.

    `offline_seconds` is the time without a connection that the browser has reported so far.
    """

    id: UUID
    number: int
    attempt_id: UUID
    started_at: Timestamp
    beat_at: Timestamp
    seen_at: Timestamp
    review: bool = False
    last_sequence: int = 0
    last_hash: bytes = b""
    credited_seconds: float = 0.0
    offline_seconds: float = 0.0
    superseded_by: UUID | None = None


class LockedLaunch(NamedTuple):
    """A launch with its attempt, under the lock of its enrollment's log."""

    head: LogHead
    launch: Launch
    attempt: Attempt
    cmi: str | None  # the state that content has saved in the attempt, as JSON

    @property
    def is_superseded(self) -> bool:
        return self.launch.superseded_by is not None


class LaunchContext(Struct, frozen=True):
    """What the requests of a launch work with. Only the devices that its module may use ever change.

    `sha256` is the digest of the package. Nothing is stored of a `preview`.
    """

    launch_id: UUID
    attempt_id: UUID
    package_id: UUID | None
    sha256: str | None
    preview: bool = False
    camera: bool = False
    microphone: bool = False

    @property
    def devices(self) -> list[str]:
        return [name for name in ("camera", "microphone") if getattr(self, name)]


class ScormContent(Struct, frozen=True):
    """The part of a package that a module shows."""

    package_id: UUID
    manifest: Manifest
    item: Item


class LoadedUnit(ScormContent, frozen=True):
    """The assignable unit of a cmi5 package that a module shows."""

    unit: AssignableUnit


class LoadedScorm(ScormContent, frozen=True):
    """What the SCORM runtime starts with. `sequencing` is its last state as JSON, or empty."""

    cmi: dict[str, Any]
    sequencing: str


class LoadedLaunch(Struct, frozen=True):
    """What the page of a launch shows."""

    launch: Launch
    attempt: Attempt
    course_id: UUID
    user_id: UUID
    module: Module
    scorm: LoadedScorm | None


class LearnerClock(Struct, frozen=True):
    """Until when a person's time is credited, and by which launch.

    `studied_until` is how far this time is spent on watching and reading that counts. `days` are the days on
    which the person studies, in `time_zone`.
    """

    launch_id: UUID
    credited_until: datetime
    studied_until: datetime | None = None
    time_zone: str = DEFAULT_TIME_ZONE
    days: StudyDays = StudyDays()


class HeartbeatResult(Struct, frozen=True):
    """`credited` is in seconds. `completed`: the heartbeat has completed the enrollment."""

    credited: float
    superseded: bool
    expired: bool
    completed: bool = False
