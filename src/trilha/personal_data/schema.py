"""What a person is given of what is kept of them."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.certificates.links import Links
from trilha.certificates.schema import HeldCertificate
from trilha.core.database import Reading
from trilha.core.types import Timestamp
from trilha.enrollments.schema import EnrollmentStatus, Interaction, KeptEnrollment, Percent
from trilha.users.schema import User


class Reader(Struct, frozen=True):
    """What an export is read with: a transaction for each page, and the addresses of files."""

    transaction: Reading
    links: Links


class Part(Struct, frozen=True):
    """A list in the export: `pages` yields a few of its rows at a time, each of the type `kind`."""

    name: str
    kind: type[Struct]
    pages: Callable[[Reader, UUID], AsyncIterator[Sequence[Any]]]


class Progress(Struct, frozen=True, omit_defaults=True):
    """How far one enrollment has come, with the course's title at the time of the export. `cancelled_at` is
    left out of what is not cancelled."""

    enrollment_id: UUID
    course_id: UUID
    course_title: str
    status: EnrollmentStatus
    progress: Percent
    score: Percent | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    cancelled_at: Timestamp | None = None


class ExportedAttempt(Struct, frozen=True):
    """One attempt at a module. `status`: unknown, incomplete, completed, passed or failed."""

    number: int
    started_at: Timestamp
    ended_at: Timestamp | None
    status: str
    progress: Percent
    score: Percent | None


class UnrecordedWork(Struct, frozen=True):
    """Work at a module that could not be applied to its attempt any more. `outcome` says why, `status` is as
    the package said it, `done_at` is by the browser's clock."""

    outcome: str
    status: str
    score: float | None
    answers: int
    done_at: Timestamp | None
    received_at: Timestamp


class ModuleTranscript(Struct, frozen=True):
    """A module of the course, with every attempt at it, the answers of the latest one that has some, and the
    work that could not be recorded."""

    module_id: UUID
    position: int
    title: str
    type: str
    duration_minutes: int
    required: bool
    progress: Percent
    score: Percent | None
    completed_at: Timestamp | None
    attempts: list[ExportedAttempt] = []
    answers: list[Interaction] = []
    unrecorded: list[UnrecordedWork] = []


class Transcript(Struct, frozen=True, omit_defaults=True):
    """`cancelled_at` is left out where the enrollment is not cancelled."""

    enrollment_id: UUID
    course_id: UUID
    course_title: str
    score: Percent | None
    modules: list[ModuleTranscript]
    cancelled_at: Timestamp | None = None


class FollowedPath(Struct, frozen=True):
    """A learning path that the person was assigned, with its title at the time of the export."""

    learning_path_id: UUID
    title: str
    assigned_at: Timestamp
    due_at: Timestamp | None
    completed_at: Timestamp | None


class DataExport(Struct, frozen=True):
    """The whole export. It is sent piece by piece; this is the schema it agrees with."""

    exported_at: Timestamp
    profile: User
    enrollments: list[KeptEnrollment]
    progress: list[Progress]
    certificates: list[HeldCertificate]
    transcripts: list[Transcript]
    learning_paths: list[FollowedPath]
