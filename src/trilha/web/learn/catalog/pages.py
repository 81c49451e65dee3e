"""/learn/catalog: the courses in which the viewer may enroll, and their requests."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import RateLimited
from trilha.core.lists import fetch_nonempty_page
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.training.catalog import queries
from trilha.training.catalog.lists import LEARNER_CATALOG
from trilha.training.catalog.schema import CatalogCourse, CatalogSearch, Reader
from trilha.training.courses import module_queries, workloads
from trilha.training.courses.translations import queries as translations
from trilha.training.enrollment_requests import actions
from trilha.web.learn.documents import NAMES, missing_of
from trilha.web.learn.view import HOME, LearnView

routes = Routes("Catalog", "The courses in which people may enroll themselves.")
PATH = f"{HOME}/catalog"
_ACCESS = may(Permission.LEARN)
_SENTENCES = {
    "regulatory_profile_missing": N_("Add the missing documents to your profile first."),
    "course_not_published": N_("This course no longer accepts enrollments."),
    "already_enrolled": N_("You are enrolled in this course already."),
}
say(
    self_enrollment_closed=N_("This course no longer accepts enrollments."),
    enrollment_already_requested=N_("You have asked for this course already. Your manager will answer."),
    enrollment_request_not_found=N_("This request was answered already."),
)
KINDS = {
    "traffic": N_("Traffic"),
    "occupational_safety": N_("Occupational safety"),
    "finance": N_("Finance"),
    "other": N_("Other"),
}


class RequestForm(Struct, frozen=True, kw_only=True):
    """A request to be enrolled, with a message to whoever decides."""

    message: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] | None = None


class Button(Struct, frozen=True):
    """A form that has only its button."""


@routes.get("/catalog", access=_ACCESS)
async def list_catalog(tx: Tx, view: LearnView, query: CatalogSearch) -> Html:
    """List the courses of the catalog by title, and where the viewer stands with each."""
    page = await fetch_nonempty_page(tx, LEARNER_CATALOG, query, Reader(view.viewer.user_id, view.locale))
    values: dict[str, Any] = {
        "query": query,
        "courses": page.data,
        "following": _build_next_url(query, page.next_cursor),
        "path": PATH,
    }
    if view.page.fragment:
        return view.show(f"learn/catalog/{'_cards' if query.cursor else '_list'}.html", **values)
    categories = [(each.id, each.name) for each in await queries.list_categories(tx)]
    return view.show("learn/catalog/list.html", categories=categories, **values)


def _build_next_url(query: CatalogSearch, cursor: str | None) -> str:
    filters = {"q": query.q, "category": query.category, "cursor": cursor}
    return f"{PATH}?{urlencode({name: value for name, value in filters.items() if value})}" if cursor else ""


@routes.get("/catalog/{course_id}", access=_ACCESS, errors=["course_not_found"])
async def show_course(tx: Tx, view: LearnView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show a course of the catalog: what it is about, what it takes, and the button to enroll."""
    course = await queries.get(tx, course_id, Reader(view.viewer.user_id, view.locale))
    regulation: dict[str, Any] = course.regulation or {}
    required = regulation.get("required_profile_fields", ())
    modules = await module_queries.list_all(tx, course_id)
    return view.form(
        "learn/catalog/course.html",
        refusal,
        {},
        _SENTENCES,
        course=course,
        regulation=regulation,
        kinds=KINDS,
        documents=[view.say(name) for document, name in NAMES.items() if document in required],
        missing=await _list_missing(tx, view, course, required),
        modules=modules,
        workloads=workloads.sum_of_modules(modules),
        titles=await translations.load_titles(tx, course_id, course.language)
        if course.language != course.own_language
        else {},
        path=PATH,
    )


async def _list_missing(tx: Tx, view: LearnView, course: CatalogCourse, required: Sequence[str]) -> list[str]:
    """Returns the names of the documents that the viewer lacks for enrolling."""
    if course.state not in ("FREE", "REJECTED"):
        return []
    return [view.say(name) for name in await missing_of(tx, view.viewer.user_id, required)]


@routes.post("/catalog/{course_id}/enroll", access=_ACCESS, refused=show_course)
async def enroll(tx: Tx, view: LearnView, course_id: UUID, form: RequestForm) -> Answer:
    """Enroll the viewer, or send their request."""
    try:
        request = await actions.request(tx, view.viewer.user_id, course_id, form.message)
    except RateLimited:
        message = N_("You have asked for many courses today. Try again tomorrow.")
        return view.lead(f"{PATH}/{course_id}", message, "warn")
    if request.enrollment_id is not None:
        address = f"{HOME}/enrollments/{request.enrollment_id}"
        return view.lead(address, N_("You are enrolled. Enjoy the course."))
    return view.lead(
        f"{PATH}/{course_id}", N_("Your request was sent. We will tell you when it is answered.")
    )


@routes.post("/catalog/{course_id}/cancel", access=_ACCESS)
async def cancel(tx: Tx, view: LearnView, course_id: UUID, form: Button) -> Answer:
    """Cancel the viewer's waiting request."""
    await actions.cancel(tx, view.viewer.user_id, course_id)
    return view.lead(f"{PATH}/{course_id}", N_("Your request was canceled."))
