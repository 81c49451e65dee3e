"""/v1/courses: reads, creates, changes, publishes and archives courses."""

from uuid import UUID

from msgspec import UNSET, structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, ListQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.courses import actions, queries, rules
from trilha.training.courses.lists import CATEGORIES, COURSES
from trilha.training.courses.schema import (
    Course,
    CourseCreate,
    CoursePatch,
    CourseQuery,
    CourseSlug,
    CourseUpdate,
    ListedCategory,
    NewCourse,
)
from trilha.training.courses.thumbnails import Thumbnails

routes = Routes("Courses", "What is taught, and how it goes.")


@routes.get("/courses", scope=Scope.COURSES_READ)
async def list_courses(tx: Tx, query: CourseQuery, thumbnails: Thumbnails) -> Page[Course]:
    """List courses, drafts included. `tags=a,b` returns courses with any of these tags."""
    page = await fetch_page(tx, COURSES, query)
    return structs.replace(page, data=[thumbnails.complete_url(each) for each in page.data])


@routes.post("/courses", scope=Scope.COURSES_WRITE, status=201, errors=["course_slug_exists"])
async def create_course(tx: Tx, data: CourseCreate, thumbnails: Thumbnails) -> Envelope[Course]:
    """Create a course. It is a draft until you publish it, and accepts no enrollments."""
    slug = data.slug or CourseSlug(await actions.free_slug(tx, rules.slug_of(data.title)))
    course = await actions.create(tx, NewCourse(**{**structs.asdict(data), "slug": slug}))
    return Envelope(thumbnails.complete_url(course))


@routes.get("/categories", scope=Scope.COURSES_READ)
async def list_categories(tx: Tx, query: ListQuery) -> Page[ListedCategory]:
    """List the categories of courses, by name."""
    return await fetch_page(tx, CATEGORIES, query)


@routes.get("/courses/{course_id}", scope=Scope.COURSES_READ, errors=["course_not_found"])
async def get_course(tx: Tx, course_id: UUID, query: ItemQuery, thumbnails: Thumbnails) -> Envelope[Course]:
    """Get one course."""
    return Envelope(thumbnails.complete_url(await queries.get(tx, course_id)))


@routes.patch(
    "/courses/{course_id}", scope=Scope.COURSES_WRITE, errors=["course_not_found", "course_slug_exists"]
)
async def update_course(
    tx: Tx, course_id: UUID, data: CourseUpdate, thumbnails: Thumbnails
) -> Envelope[Course]:
    """Change a course. `null` clears an optional member."""
    changes = {name: value for name, value in structs.asdict(data).items() if value is not UNSET}
    return Envelope(thumbnails.complete_url(await actions.change(tx, course_id, CoursePatch(**changes))))


@routes.post(
    "/courses/{course_id}/publish",
    scope=Scope.COURSES_WRITE,
    errors=["course_not_found", "course_without_modules", "modules_without_minutes"],
)
async def publish_course(tx: Tx, course_id: UUID, thumbnails: Thumbnails) -> Envelope[Course]:
    """Open a course for enrollment: a draft, or one that is archived. A published course stays unchanged."""
    return Envelope(thumbnails.complete_url(await actions.publish(tx, course_id)))


@routes.post(
    "/courses/{course_id}/archive",
    scope=Scope.COURSES_WRITE,
    errors=["course_not_found", "course_is_draft"],
)
async def archive_course(tx: Tx, course_id: UUID, thumbnails: Thumbnails) -> Envelope[Course]:
    """Close a published course for new enrollments; its learners can finish. An archived course stays
    unchanged.
    """
    return Envelope(thumbnails.complete_url(await actions.archive(tx, course_id)))
