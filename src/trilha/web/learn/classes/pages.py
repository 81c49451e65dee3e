"""/learn/courses/{id}/classes: the classes of a course, where people register themselves."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound, RateLimited
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.catalog import queries as catalog
from trilha.training.catalog.schema import CatalogCourse, Reader
from trilha.training.classes import learner, registering
from trilha.training.classes.learner import OfferedClass
from trilha.training.courses import module_queries
from trilha.training.courses import queries as courses
from trilha.training.courses.schema import Course
from trilha.training.enrollment_requests import actions as requests
from trilha.training.enrollments import queries as enrollments
from trilha.training.enrollments.schema import Enrollment
from trilha.web.learn.documents import missing_of
from trilha.web.learn.view import HOME, LearnView

routes = Routes("My classes", "A person chooses a class of a course.")
_ACCESS = may(Permission.LEARN)
# How somebody comes to a place in a class: as an enrolled person, by enrolling at once, after an approval
# that is not asked for yet or not given yet, or not at all.
Way = Literal["enrolled", "open", "approval", "waiting", "none"]
_SENTENCES = {
    "class_full": N_("This class is full. Choose another one."),
    "already_registered": N_("You are in this class already."),
    "class_cancelled": N_("This class was canceled. Choose another one."),
    "course_not_published": N_("This course no longer accepts people."),
    "regulatory_profile_missing": N_("Add the missing documents to your profile first."),
    "user_not_active": N_("Your account cannot be registered. Talk to your HR team."),
}
_CLOSED_SENTENCE = N_("The first session has started. Talk to your instructor or your HR team.")


class Button(Struct, frozen=True):
    """A form that has only its button."""


class CancelForm(Struct, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(max_length=1000, extra_json_schema=STORABLE)] | None = None


def build_address(course_id: UUID) -> str:
    return f"{HOME}/courses/{course_id}/classes"


class _Access(Struct, frozen=True):
    course: Course
    way: Way
    enrollment: Enrollment | None
    missing: list[str]


async def _find_access(tx: Tx, view: LearnView, course_id: UUID) -> _Access:
    """Finds how the viewer comes to a place in a class of this course. Raises NotFound for a course that is
    neither theirs nor in the catalog, and of which they teach no session.
    """
    user_id = view.viewer.user_id
    course = await courses.get(tx, course_id)
    enrollment = await enrollments.find_current(tx, user_id, course_id)
    if enrollment is not None and enrollment.status in ("NOT_STARTED", "IN_PROGRESS"):
        return _Access(course, "enrolled", enrollment, [])
    try:
        offered = await catalog.get(tx, course_id, Reader(user_id, view.locale))
    except NotFound:
        if enrollment is None and not await learner.teaches_in(tx, course_id, user_id):
            raise
        return _Access(course, "none", enrollment, [])
    missing = await _list_missing(tx, view, offered)
    return _Access(course, _choose_way(offered), enrollment, missing)


def _choose_way(offered: CatalogCourse) -> Way:
    if offered.state == "WAITING":
        return "waiting"
    if offered.state not in ("FREE", "REJECTED") and not (
        offered.state == "COMPLETED" and offered.is_renewable
    ):
        return "none"
    return {"OPEN": "open", "APPROVAL": "approval"}.get(offered.self_enrollment, "none")  # type: ignore[return-value]


async def _list_missing(tx: Tx, view: LearnView, offered: CatalogCourse) -> list[str]:
    regulation: Mapping[str, Any] = offered.regulation or {}
    required = regulation.get("required_profile_fields", ())
    return [view.say(name) for name in await missing_of(tx, view.viewer.user_id, required)]


@routes.get("/courses/{course_id}/classes", access=_ACCESS)
async def list_classes(tx: Tx, view: LearnView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """List the classes of a course with their dates, places and free seats, the viewer's own first."""
    access = await _find_access(tx, view, course_id)
    offered = await learner.list_of_course(tx, course_id, view.viewer.user_id)
    ids = [each.id for each in offered]
    modules = [each for each in await module_queries.list_all(tx, course_id) if each.type == "CLASS"]
    return view.form(
        "learn/classes/list.html",
        refusal,
        {},
        _SENTENCES,
        course=access.course,
        way=access.way,
        enrollment=access.enrollment,
        missing=access.missing,
        classes=offered,
        modules=modules,
        sessions=await learner.load_sessions(tx, ids),
        taught_by=await learner.load_instructor_names(tx, ids),
        places=await learner.load_places(
            tx, course_id, view.viewer.user_id, access.enrollment.id if access.enrollment else None
        ),
        now=tx.now,
        path=build_address(course_id),
    )


@routes.post("/courses/{course_id}/classes/{class_id}/register", access=_ACCESS, refused=list_classes)
async def register(tx: Tx, view: LearnView, course_id: UUID, class_id: UUID, form: Button) -> Answer:
    """Register the viewer in a class, and enroll them in its course if it is open to everyone."""
    user_id, address = view.viewer.user_id, build_address(course_id)
    access = await _find_access(tx, view, course_id)
    offered = await learner.get_of_course(tx, course_id, class_id, user_id)
    if offered.status != "CANCELLED" and not offered.is_open(tx.now):
        return view.lead(address, _CLOSED_SENTENCE, "warn")
    if access.way in ("none", "waiting"):
        return view.lead(address, N_("You cannot register in this course yourself."), "warn")
    if access.way != "enrolled":
        try:
            request = await requests.request(tx, user_id, course_id, None)
        except RateLimited:
            message = N_("You have asked for many courses today. Try again tomorrow.")
            return view.lead(address, message, "warn")
        if request.enrollment_id is None:
            return view.lead(
                address, N_("Your request was sent. Choose a class once your manager has approved it.")
            )
    registration, _ = await registering.register(tx, class_id, user_id)
    if registration.status == "WAITLISTED":
        message = N_("The class is full. You are on the waiting list, position %(position)s.")
        return view.lead(address, message, position=registration.position)
    return view.lead(address, N_("You are registered. The class is in your calendar."))


async def _find_own(tx: Tx, view: LearnView, course_id: UUID, class_id: UUID) -> OfferedClass:
    """Raises NotFound, also for a class in which the viewer has no place."""
    offered = await learner.get_of_course(tx, course_id, class_id, view.viewer.user_id)
    if offered.registration_id is None:
        raise NotFound("registration_not_found")
    return offered


@routes.get("/courses/{course_id}/classes/{class_id}/cancel", access=_ACCESS)
async def ask_to_cancel(
    tx: Tx, view: LearnView, course_id: UUID, class_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Ask whether to give up the viewer's place in a class."""
    offered = await _find_own(tx, view, course_id, class_id)
    return view.form(
        "learn/classes/cancel.html",
        refusal,
        {},
        _SENTENCES,
        offered=offered,
        course=await courses.get(tx, course_id),
        path=build_address(course_id),
        may_cancel=offered.may_cancel(tx.now),
    )


@routes.post("/courses/{course_id}/classes/{class_id}/cancel", access=_ACCESS, refused=ask_to_cancel)
async def cancel(tx: Tx, view: LearnView, course_id: UUID, class_id: UUID, form: CancelForm) -> Answer:
    """Give up the viewer's place in a class, or on its waiting list."""
    offered = await _find_own(tx, view, course_id, class_id)
    address = build_address(course_id)
    if not offered.may_cancel(tx.now):
        return view.lead(address, _CLOSED_SENTENCE, "warn")
    assert offered.registration_id is not None
    reason = (form.reason or "").strip() or None
    await registering.cancel(tx, class_id, offered.registration_id, reason)
    return view.lead(address, N_("Your registration was canceled."))
