"""/admin/courses/new and /admin/courses/{id}/edit"""

from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct

from trilha.certificates.templates import actions as certificate_templates
from trilha.certificates.templates import queries as templates
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.courses import actions, images, queries, rules, thumbnails
from trilha.courses.schema import CoursePatch, CourseSlug, NewCourse
from trilha.pages import N_
from trilha.panel.confirm import Button
from trilha.panel.courses import forms
from trilha.panel.courses.authors import WRITE, get_changeable
from trilha.panel.courses.forms import CourseForm
from trilha.panel.courses.pages import ADDRESS, DIFFICULTIES
from trilha.panel.reach import taught_by
from trilha.panel.view import PanelView

routes = Routes("Editing courses", "What a course is called, what it is about and what it demands.")


class PictureForm(Struct, frozen=True):
    picture: UploadedFile | None = None


async def _choices(tx: Tx) -> dict[str, Any]:
    return {
        "categories": await queries.list_categories(tx),
        "difficulties": DIFFICULTIES,
        "templates": [(str(each.id), each.name) for each in await templates.list_all(tx)],
        "kinds": forms.KINDS,
        "documents": forms.DOCUMENTS,
    }


@routes.get("/courses/new", access=WRITE)
async def new_course(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask what the course is to be."""
    return view.form("panel/courses/form.html", refusal, forms.NEW, course=None, **await _choices(tx))


@routes.post("/courses/new", access=WRITE, refused=new_course)
async def create_course(tx: Tx, view: PanelView, form: CourseForm) -> Answer:
    """A draft. An instructor teaches what they create."""
    slug = form.slug or CourseSlug(await actions.free_slug(tx, rules.slug_of(form.title)))
    course = await actions.create(tx, NewCourse(slug=slug, **form.members()))
    if teacher := taught_by(view):
        await actions.set_teachers(tx, course.id, [teacher])
    await _choose_template(tx, course.id, form.certificate_template)
    return view.lead(f"{ADDRESS}/{course.id}", N_("The course was created, as a draft. Now add its modules."))


@routes.get("/courses/{course_id}/edit", access=WRITE)
async def edit_course(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show the course to be changed."""
    await get_changeable(tx, view, course_id)
    course = await queries.get_authored(tx, course_id)
    choices = await _choices(tx)
    begins = forms.begins_of(course) | {"certificate_template": await templates.find_of_course(tx, course_id)}
    return view.form("panel/courses/form.html", refusal, begins, course=course, **choices)


@routes.post("/courses/{course_id}/edit", access=WRITE, refused=edit_course)
async def save_course(tx: Tx, view: PanelView, course_id: UUID, form: CourseForm) -> Answer:
    """Change what differs."""
    await get_changeable(tx, view, course_id)
    patch = CoursePatch(slug=UNSET if form.slug is None else form.slug, **form.members())
    await actions.change(tx, course_id, patch)
    await _choose_template(tx, course_id, form.certificate_template)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The course was saved."))


async def _choose_template(tx: Tx, course_id: UUID, template_id: UUID | None) -> None:
    """How its certificates look."""
    if template_id != await templates.find_of_course(tx, course_id):
        await certificate_templates.assign(tx, course_id, template_id)


@routes.get("/courses/{course_id}/picture", access=WRITE)
async def show_picture(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """The course's picture, to be changed."""
    course = await get_changeable(tx, view, course_id)
    return view.form("panel/courses/picture.html", refusal, course=course)


@routes.post(
    "/courses/{course_id}/picture", access=WRITE, max_body=images.MOST_BYTES + MIB, refused=show_picture
)
async def save_picture(view: PanelView, course_id: UUID, form: PictureForm, files: FileStore) -> Answer:
    """Show this picture with the course."""
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
    """Show no picture with the course."""
    await get_changeable(tx, view, course_id)
    await actions.change(tx, course_id, CoursePatch(thumbnail_url=None))
    return view.lead(f"{ADDRESS}/{course_id}", N_("The picture was removed."))
