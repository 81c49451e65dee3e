"""Launches: what they are of, and what their pages are made with."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.courses.schema import ModuleType
from trilha.learning.attempts.schema import Attempt
from trilha.scorm.package.manifest import Item, Manifest, Version


class LaunchContext(Struct, frozen=True):
    """What a launch is of. It never changes, but for the devices that its module may use."""

    launch_id: UUID
    attempt_id: UUID
    enrollment_id: UUID
    module_id: UUID
    module_type: ModuleType
    package_id: UUID | None
    sha256: str | None  # the package's
    preview: bool = False  # nothing of it is kept
    camera: bool = False
    microphone: bool = False

    @property
    def devices(self) -> list[str]:
        return [name for name in ("camera", "microphone") if getattr(self, name)]


class LoadedScorm(Struct, frozen=True):
    """`cmi` is what the runtime loads before content initialises it. `sequencing` is the state that it left,
    as JSON; empty where there is none."""

    package_id: UUID
    manifest: Manifest
    item: Item
    cmi: dict[str, Any]
    sequencing: str


class Module(Struct, frozen=True):
    """What of a module is read to launch it, and to see whether its course is completed."""

    id: UUID
    title: str
    type: ModuleType
    duration_minutes: int
    required: bool
    content: dict[str, Any] | None


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


class LoadedLaunch(Struct, frozen=True):
    """A launch that is there. `locale` is the person's own, else the tenant's."""

    launch: Launch
    attempt: Attempt
    enrollment_id: UUID
    course_id: UUID
    user_id: UUID
    module: Module
    module_type: ModuleType
    scorm: LoadedScorm | None


class LearnerClock(Struct, frozen=True):
    """By which launch a person's time was last credited, and until when.

    `studied_until`: so far it is spent on what counts of watching and reading.
    """

    launch_id: UUID
    until: datetime
    studied_until: datetime | None = None


class LaunchClient(Struct, frozen=True):
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


class NewLaunch(Struct, frozen=True):
    """`token` is shown once. `review`: nothing that is done counts any more."""

    launch_id: UUID
    token: str
    attempt: int
    module_type: ModuleType
    review: bool
    scorm: ScormLaunch | None


class HeartbeatResult(Struct, frozen=True):
    """`credited` is in seconds."""

    credited: float
    superseded: bool
    expired: bool
    completed: bool = False
