"""/admin/courses/new and /admin/courses/{id}/edit: creates and edits courses and their pictures."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.lists import list_rows
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_
from trilha.training.certificates.templates import actions as certificate_templates
from trilha.training.certificates.templates import queries as templates
from trilha.training.courses import actions, images, queries, rules, thumbnails
from trilha.training.courses.lists import CATEGORIES
from trilha.training.courses.schema import CoursePatch, CourseSlug, NewCourse
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.web.panel.confirm import Button
from trilha.web.panel.courses import forms
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.forms import CourseForm
from trilha.web.panel.courses.pages import ADDRESS, DIFFICULTIES
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

routes = Routes("Editing courses", "The details, completion criteria and picture of a course.")


class PictureForm(Struct, frozen=True):
    picture: UploadedFile | None = None


async def _load_options(tx: Tx) -> dict[str, Any]:
    return {
        "categories": [category.name for category in await list_rows(tx, CATEGORIES, ListQuery(), limit=200)],
        "difficulties": DIFFICULTIES,
        "templates": [(str(template.id), template.name) for template in await templates.list_all(tx)],
        "kinds": forms.KINDS,
        "self_enrollments": forms.SELF_ENROLLMENT,
        "documents": forms.DOCUMENTS,
        "languages": list(LANGUAGES.items()),
        "usual_documents": forms.USUAL_DOCUMENTS,
    }


@routes.get("/courses/new", access=WRITE)
async def new_course(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new course."""
    return view.form(
        "panel/courses/form.html",
        refusal,
        {**forms.NEW, "language": view.viewer.tenant_locale},
        course=None,
        **await _load_options(tx),
    )


@routes.post("/courses/new", access=WRITE, refused=new_course)
async def create_course(tx: Tx, view: PanelView, form: CourseForm) -> Answer:
    """Creates a draft. An instructor who creates a course also becomes its instructor."""
    slug = form.slug or CourseSlug(await actions.free_slug(tx, rules.slug_of(form.title)))
    course = await actions.create(tx, NewCourse(slug=slug, **form.members()))
    if teacher := teacher_of(view):
        await actions.set_teachers(tx, course.id, [teacher])
    await _choose_template(tx, course.id, form.certificate_template)
    return view.lead(f"{ADDRESS}/{course.id}", N_("The course was created as a draft. Now add its modules."))


@routes.get("/courses/{course_id}/edit", access=WRITE)
async def edit_course(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to edit a course."""
    await get_changeable(tx, view, course_id)
    course = await queries.get_authored(tx, course_id)
    options = await _load_options(tx)
    values = forms.build_values(course) | {
        "certificate_template": await templates.find_of_course(tx, course_id)
    }
    return view.form("panel/courses/form.html", refusal, values, course=course, **options)


@routes.post("/courses/{course_id}/edit", access=WRITE, refused=edit_course)
async def save_course(tx: Tx, view: PanelView, course_id: UUID, form: CourseForm) -> Answer:
    """Saves the course. An empty slug keeps the current one."""
    await get_changeable(tx, view, course_id)
    members = form.members()
    if form.language is None:
        del members["language"]
    patch = CoursePatch(slug=UNSET if form.slug is None else form.slug, **members)
    await actions.change(tx, course_id, patch)
    await _choose_template(tx, course_id, form.certificate_template)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course was saved."))


async def _choose_template(tx: Tx, course_id: UUID, template_id: UUID | None) -> None:
    """Sets the template of the course's certificates, if it changed."""
    if template_id != await templates.find_of_course(tx, course_id):
        await certificate_templates.assign(tx, course_id, template_id)


@routes.get("/courses/{course_id}/picture", access=WRITE)
async def show_picture(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the course's picture, with a form to replace it."""
    course = await get_changeable(tx, view, course_id)
    return view.form("panel/courses/picture.html", refusal, course=course)


@routes.post(
    "/courses/{course_id}/picture", access=WRITE, max_body=images.MAX_BYTES + MIB, refused=show_picture
)
async def save_picture(view: PanelView, course_id: UUID, form: PictureForm, files: FileStore) -> Answer:
    """Stores an uploaded picture as the course's picture."""
    async with view.reading() as tx:
        await get_changeable(tx, view, course_id)
    if form.picture is None:
        raise invalid("picture", "required")
    path = await thumbnails.keep(files, view.tenant_id, form.picture.path, form.picture.size)
    async with view.changing() as tx:
        await actions.change(tx, course_id, CoursePatch(thumbnail_url=path))
    return view.lead(f"{ADDRESS}/{course_id}", N_("The picture was saved."))


@routes.post("/courses/{course_id}/picture/remove", access=WRITE)
async def remove_picture(tx: Tx, view: PanelView, course_id: UUID, form: Button) -> Answer:
    """Removes the course's picture."""
    await get_changeable(tx, view, course_id)
    await actions.change(tx, course_id, CoursePatch(thumbnail_url=None))
    return view.lead(f"{ADDRESS}/{course_id}", N_("The picture was removed."))
