"""/v1/courses, read-only: courses are made in the panel."""

from uuid import UUID

from msgspec import structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, ListQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.courses import queries
from trilha.training.courses.lists import CATEGORIES, COURSES, MODULES
from trilha.training.courses.schema import Course, CourseQuery, ListedCategory, Module
from trilha.training.courses.thumbnails import Thumbnails

routes = Routes("Courses", "What is taught, and how it goes.")


@routes.get("/courses", scope=Scope.COURSES_READ)
async def list_courses(tx: Tx, query: CourseQuery, thumbnails: Thumbnails) -> Page[Course]:
    """List courses, drafts included. `tags=a,b` returns courses with any of these tags."""
    page = await fetch_page(tx, COURSES, query)
    return structs.replace(page, data=[thumbnails.complete_url(each) for each in page.data])


@routes.get("/categories", scope=Scope.COURSES_READ)
async def list_categories(tx: Tx, query: ListQuery) -> Page[ListedCategory]:
    """List the categories of courses, by name."""
    return await fetch_page(tx, CATEGORIES, query)


@routes.get("/courses/{course_id}", scope=Scope.COURSES_READ, errors=["course_not_found"])
async def get_course(tx: Tx, course_id: UUID, query: ItemQuery, thumbnails: Thumbnails) -> Envelope[Course]:
    """Get one course."""
    return Envelope(thumbnails.complete_url(await queries.get(tx, course_id)))


@routes.get("/courses/{course_id}/modules", scope=Scope.COURSES_READ, errors=["course_not_found"])
async def list_modules(tx: Tx, course_id: UUID, query: ListQuery) -> Page[Module]:
    """List a course's modules in the order in which learners take them."""
    await queries.get(tx, course_id)
    return await fetch_page(tx, MODULES, query, course_id)
