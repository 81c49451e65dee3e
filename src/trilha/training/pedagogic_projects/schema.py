"""The contents and the versions of pedagogic projects."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp
from trilha.training.courses.schema import Delivery, WorkloadKind

LongText = Annotated[str, Meta(max_length=10_000, extra_json_schema=STORABLE)]
ShortText = Annotated[str, Meta(max_length=120, extra_json_schema=STORABLE)]


class Responsible(Struct, frozen=True):
    """Who is responsible for the training, with their profession and its register."""

    name: str = ""
    role: str = ""
    register_number: str = ""


class Project(Struct, frozen=True, kw_only=True):
    """What authors write of a course's pedagogic project; the rest is taken from the course."""

    objectives: str = ""
    law: str = ""
    method: str = ""
    infrastructure: str = ""
    responsible: Responsible = Responsible()


class PlannedModule(Struct, frozen=True):
    title: str
    minutes: int
    kind: WorkloadKind
    delivery: Delivery


class PublishedProject(Project, frozen=True, kw_only=True):
    """A project with the course as it was when the version was published."""

    title: str
    description: str
    minimum_minutes: int
    modules: list[PlannedModule]


class ProjectVersion(Struct, frozen=True):
    """A published version. `sha256` is the digest of its file, in hexadecimal."""

    id: UUID
    number: int
    file_key: str
    sha256: str
    file_size: int
    actor: str
    created_at: Timestamp


class NewVersion(Struct, frozen=True):
    id: UUID
    contents: PublishedProject
    file_key: str
    file_sha256: bytes
    file_size: int
