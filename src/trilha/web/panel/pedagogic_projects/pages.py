"""Edits the pedagogic project of a course, publishes its versions, and serves their files."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.web.answers import Answer, Html
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import module_queries, workloads
from trilha.training.courses import queries as courses
from trilha.training.pedagogic_projects import actions, queries
from trilha.training.pedagogic_projects.actions import ProjectPress
from trilha.training.pedagogic_projects.schema import LongText, Project, Responsible, ShortText
from trilha.web.panel.confirm import Button
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.view import PanelView

routes = Routes("Pedagogic projects", "How the training of a course is planned, in versions.")
_SENTENCES = {
    "project_incomplete": N_("Enter the objectives and who is responsible, save, and publish then."),
    "project_not_rendered": N_("The PDF could not be made. Try again."),
}


class ProjectForm(Struct, frozen=True, kw_only=True):
    objectives: LongText = ""
    law: LongText = ""
    method: LongText = ""
    infrastructure: LongText = ""
    responsible_name: ShortText = ""
    responsible_role: ShortText = ""
    responsible_register: ShortText = ""


def _build_values(project: Project) -> dict[str, Any]:
    return {
        "objectives": project.objectives,
        "law": project.law,
        "method": project.method,
        "infrastructure": project.infrastructure,
        "responsible_name": project.responsible.name,
        "responsible_role": project.responsible.role,
        "responsible_register": project.responsible.register_number,
    }


@routes.get("/courses/{course_id}/project", access=WRITE, errors=["course_not_found"])
async def show_project(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form of the project and its versions."""
    course = await get_changeable(tx, view, course_id)
    authored = await courses.get_authored(tx, course_id)
    return view.form(
        "panel/pedagogic_projects/project.html",
        refusal,
        _build_values(await queries.find(tx, course_id)),
        _SENTENCES,
        course=course,
        versions=await queries.list_versions(tx, course_id),
        workloads=workloads.sum_of_modules(await module_queries.list_all(tx, course_id)),
        minimum=(authored.regulation or {}).get("minimum_workload_minutes", 0),
    )


@routes.post(
    "/courses/{course_id}/project",
    access=WRITE,
    max_body=256 * 1024,
    refused=show_project,
    errors=["course_not_found"],
)
async def save_project(tx: Tx, view: PanelView, course_id: UUID, form: ProjectForm) -> Answer:
    """Saves the project; published versions stay as they are."""
    await get_changeable(tx, view, course_id)
    project = Project(
        objectives=form.objectives.strip(),
        law=form.law.strip(),
        method=form.method.strip(),
        infrastructure=form.infrastructure.strip(),
        responsible=Responsible(
            form.responsible_name.strip(), form.responsible_role.strip(), form.responsible_register.strip()
        ),
    )
    await actions.save(tx, course_id, project)
    return view.lead(f"{ADDRESS}/{course_id}/project", N_("The pedagogic project was saved."))


@routes.post(
    "/courses/{course_id}/project/publish",
    access=WRITE,
    refused=show_project,
    errors=["course_not_found", "project_incomplete", "project_not_rendered"],
)
async def publish_project(view: PanelView, course_id: UUID, form: Button, press: ProjectPress) -> Answer:
    """Publishes what is saved as the next version, as a PDF that never changes."""
    async with view.reading() as tx:
        await get_changeable(tx, view, course_id)
        draft = await actions.prepare(tx, course_id)
    new = await press.render(view.tenant_id, draft)
    async with view.changing() as tx:
        number = await actions.publish(tx, draft, new)
    message = N_("Version %(number)s was published.")
    return view.lead(f"{ADDRESS}/{course_id}/project", message, number=str(number))


@routes.get(
    "/courses/{course_id}/project/{number}/pdf",
    access=WRITE,
    errors=["course_not_found", "project_version_not_found"],
)
async def download_project(
    tx: Tx, view: PanelView, files: FileStore, course_id: UUID, number: str
) -> StoredFile:
    """Downloads a version as it was published."""
    course = await get_changeable(tx, view, course_id)
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound("project_version_not_found")
    version = await actions.get_version(tx, course_id, int(number))
    return StoredFile(
        SealedFiles(files, tx.keyring),
        version.file_key,
        version.file_size,
        "application/pdf",
        etag=version.sha256,
        headers={"content-disposition": f'attachment; filename="{course.slug}-v{version.number}.pdf"'},
    )
