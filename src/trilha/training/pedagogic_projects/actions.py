"""Edits and publishes pedagogic projects."""

import hashlib
from datetime import datetime
from uuid import UUID, uuid4

from msgspec import Struct, structs

import trilha.training.pedagogic_projects.errors  # noqa: F401
from trilha.core import logs
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import ProcessDied
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.platform.audit import queries as audit
from trilha.training.certificates.pdf import queries as pdf_queries
from trilha.training.certificates.pdf.press import NotRendered, Press
from trilha.training.certificates.pdf.schema import Company
from trilha.training.certificates.pdf.sheets import DocumentSheet
from trilha.training.courses import module_queries
from trilha.training.courses import queries as courses
from trilha.training.pedagogic_projects import files, queries
from trilha.training.pedagogic_projects.documents import build_document
from trilha.training.pedagogic_projects.schema import (
    NewVersion,
    PlannedModule,
    Project,
    ProjectVersion,
    PublishedProject,
)


async def save(tx: Tx, course_id: UUID, project: Project) -> None:
    """Raises NotFound."""
    course = await courses.get(tx, course_id)
    if project != await queries.find(tx, course_id):
        await queries.save(tx, course_id, project)
        await audit.record(tx, "course.project_changed", course.id, course.slug)


async def get_version(tx: Tx, course_id: UUID, number: int) -> ProjectVersion:
    """Raises NotFound."""
    version = await queries.find_version(tx, course_id, number)
    if version is None:
        raise NotFound("project_version_not_found")
    return version


class Draft(Struct, frozen=True):
    """A version that is about to be published."""

    course_id: UUID
    project: PublishedProject
    company: Company
    number: int
    now: datetime


async def prepare(tx: Tx, course_id: UUID) -> Draft:
    """Reads what the next version says. Raises NotFound, and Conflict (project_incomplete)."""
    course = await courses.get_authored(tx, course_id)
    project = await queries.find(tx, course_id)
    if not (project.objectives.strip() and project.responsible.name.strip()):
        raise Conflict("project_incomplete")
    modules = await module_queries.list_all(tx, course_id)
    newest = await queries.list_versions(tx, course_id, 1)
    published = PublishedProject(
        **{name: getattr(project, name) for name in structs.asdict(project)},
        title=course.title,
        description=course.description or "",
        minimum_minutes=(course.regulation or {}).get("minimum_workload_minutes", 0),
        modules=[
            PlannedModule(each.title, each.duration_minutes, each.workload_kind, each.delivery)
            for each in modules
        ],
    )
    number = newest[0].number + 1 if newest else 1
    return Draft(course_id, published, await pdf_queries.get_company(tx), number, tx.now)


class ProjectPress(Struct, frozen=True):
    """Renders pedagogic projects and stores their files."""

    files: FileStore
    keyring: Keyring
    press: Press

    async def render(self, tenant_id: UUID, draft: Draft) -> NewVersion:
        """Stores the file of a version. Raises Conflict (project_not_rendered)."""
        document = build_document(draft.project, draft.company, draft.number, draft.now)
        try:
            (pdf,) = await self.press.render(DocumentSheet(document), {}, tenant_id)
        except (NotRendered, ProcessDied) as error:
            logs.log_failure("rendering a pedagogic project failed", error)
            raise Conflict("project_not_rendered") from None
        version_id = uuid4()
        key = files.key(tenant_id, version_id)
        await SealedFiles(self.files, self.keyring).put(key, pdf)
        await self.files.settle()
        return NewVersion(version_id, draft.project, key, hashlib.sha256(pdf).digest(), len(pdf))

    async def close(self) -> None:
        await self.press.close()


async def publish(tx: Tx, draft: Draft, new: NewVersion) -> int:
    """Stores a rendered version; returns its number. Raises NotFound, and Conflict (project_not_rendered) if
    another version was published meanwhile.
    """
    await courses.lock(tx, draft.course_id)
    course = await courses.get(tx, draft.course_id)
    number = await queries.insert_version(tx, draft.course_id, new)
    if number != draft.number:
        raise Conflict("project_not_rendered")
    await queries.set_version_of_classes(tx, draft.course_id, number)
    await audit.record(
        tx, "course.project_published", course.id, course.slug, number=number, sha256=new.file_sha256.hex()
    )
    return number
