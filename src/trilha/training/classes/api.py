"""/v1/classes and /v1/sessions"""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, ListQuery, Page
from trilha.core.web.routes import MIB, Envelope, Routes
from trilha.training.classes import actions, attendance, bulk, queries, registering, registration_queries
from trilha.training.classes.attendance import CheckInAddress
from trilha.training.classes.lists import ATTENDANCE, CLASSES, REGISTRATIONS, SESSIONS
from trilha.training.classes.schema import (
    Attendance,
    AttendanceSheet,
    BulkRegistrations,
    Cancellation,
    ChangedClass,
    ChangedSession,
    CheckInCode,
    ClassCreate,
    ClassQuery,
    ClassRegistration,
    ClassSession,
    ClassUpdate,
    MadeRegistration,
    MadeRegistrations,
    NewRegistration,
    NewSession,
    OverlapMeta,
    RegistrationCancellation,
    RegistrationQuery,
    SessionUpdate,
    TrainingClass,
)

routes = Routes("Classes", "Training in rooms and video calls: sessions, registrations and attendance.")
_SESSION_PROBLEMS = ["ends_before_start", "session_too_long", "duplicate_user"]
_ENROLLING = ["user_not_active", "course_not_published", "regulatory_profile_missing"]
_MISSING = {"regulatory_profile_missing": {"missing_fields": ["cpf", "cnh"]}}


@routes.get("/classes", scope=Scope.CLASSES_READ)
async def list_classes(tx: Tx, query: ClassQuery) -> Page[TrainingClass]:
    """List classes with their sessions, newest first. With `updated_since`, they are ordered by last change,
    oldest first.
    """
    page = await fetch_page(tx, CLASSES, query)
    classes = await queries.add_sessions(tx, page.data)
    return Page(classes, page.next_cursor, page.has_more, page.limit)


@routes.post(
    "/classes",
    scope=Scope.CLASSES_WRITE,
    status=201,
    errors=[
        "course_not_found",
        "module_not_found",
        "module_not_class",
        "user_not_found",
        *_SESSION_PROBLEMS,
    ],
)
async def create_class(tx: Tx, data: ClassCreate) -> ChangedClass:
    """Create a class of a module. Sessions may lie in the past. Rooms and instructors that are in two
    sessions at once are in `_meta.warnings`.
    """
    created, warnings = await actions.create(tx, data)
    return ChangedClass(created, OverlapMeta(warnings))


@routes.get("/classes/{class_id}", scope=Scope.CLASSES_READ, errors=["class_not_found"])
async def get_class(tx: Tx, class_id: UUID, query: ItemQuery) -> Envelope[TrainingClass]:
    """Get one class."""
    return Envelope(await queries.get(tx, class_id))


@routes.patch(
    "/classes/{class_id}",
    scope=Scope.CLASSES_WRITE,
    errors=["class_not_found", "class_cancelled", "capacity_below_registered"],
    details={"capacity_below_registered": {"registered": 18}},
)
async def update_class(tx: Tx, class_id: UUID, data: ClassUpdate) -> ChangedClass:
    """Change a class. With more places, the people who wait first move up at once. Sessions of other classes
    where they have a place at the same time are in `_meta.warnings`.
    """
    changed, warnings = await actions.change(tx, class_id, data)
    return ChangedClass(changed, OverlapMeta(warnings))


@routes.post("/classes/{class_id}/cancel", scope=Scope.CLASSES_WRITE, errors=["class_not_found"])
async def cancel_class(tx: Tx, class_id: UUID, data: Cancellation) -> Envelope[TrainingClass]:
    """Cancel a class with all its sessions. Their attendance no longer counts. A cancelled class stays
    unchanged.
    """
    return Envelope(await actions.cancel(tx, class_id, data.reason))


@routes.get("/classes/{class_id}/sessions", scope=Scope.CLASSES_READ, errors=["class_not_found"])
async def list_sessions(tx: Tx, class_id: UUID, query: ListQuery) -> Page[ClassSession]:
    """List the sessions of a class by start."""
    await queries.check_exists(tx, class_id)
    return await fetch_page(tx, SESSIONS, query, class_id)


@routes.post(
    "/classes/{class_id}/sessions",
    scope=Scope.CLASSES_WRITE,
    status=201,
    errors=["class_not_found", "class_cancelled", "too_many_sessions", "user_not_found", *_SESSION_PROBLEMS],
)
async def create_session(tx: Tx, class_id: UUID, data: NewSession) -> ChangedSession:
    """Add a session to a class. Rooms, instructors and learners that are in two sessions at once are in
    `_meta.warnings`.
    """
    created, warnings = await actions.add_session(tx, class_id, data)
    return ChangedSession(created, OverlapMeta(warnings))


@routes.get("/sessions/{class_session_id}", scope=Scope.CLASSES_READ, errors=["class_session_not_found"])
async def get_session(tx: Tx, class_session_id: UUID, query: ItemQuery) -> Envelope[ClassSession]:
    """Get one session of a class."""
    return Envelope(await queries.find_session(tx, class_session_id))


@routes.patch(
    "/sessions/{class_session_id}",
    scope=Scope.CLASSES_WRITE,
    errors=[
        "class_session_not_found",
        "session_cancelled",
        "attendance_recorded",
        "user_not_found",
        *_SESSION_PROBLEMS,
    ],
)
async def update_session(tx: Tx, class_session_id: UUID, data: SessionUpdate) -> ChangedSession:
    """Change the time, the place, the link or the instructors of a session."""
    changed, warnings = await actions.change_session(tx, class_session_id, data)
    return ChangedSession(changed, OverlapMeta(warnings))


@routes.post(
    "/sessions/{class_session_id}/cancel", scope=Scope.CLASSES_WRITE, errors=["class_session_not_found"]
)
async def cancel_session(tx: Tx, class_session_id: UUID, data: Cancellation) -> Envelope[ClassSession]:
    """Cancel a session. Its attendance no longer counts. A cancelled session stays unchanged."""
    return Envelope(await actions.cancel_session(tx, class_session_id, data.reason))


@routes.get("/classes/{class_id}/registrations", scope=Scope.CLASSES_READ, errors=["class_not_found"])
async def list_registrations(tx: Tx, class_id: UUID, query: RegistrationQuery) -> Page[ClassRegistration]:
    """List the registrations in a class, oldest first, cancelled ones included."""
    await queries.check_exists(tx, class_id)
    return await fetch_page(tx, REGISTRATIONS, query, class_id)


@routes.post(
    "/classes/{class_id}/registrations",
    scope=Scope.CLASSES_WRITE,
    status=201,
    errors=[
        "class_not_found",
        "user_not_found",
        "class_cancelled",
        "already_registered",
        "class_full",
        *_ENROLLING,
    ],
    details=_MISSING,
)
async def create_registration(tx: Tx, class_id: UUID, data: NewRegistration) -> MadeRegistration:
    """Register a user in a class, and enroll them in its course if they are not enrolled. In a full class,
    they are put on the waiting list.
    """
    created, warnings = await registering.register(tx, class_id, data.user_id)
    return MadeRegistration(created, OverlapMeta(warnings))


@routes.post(
    "/classes/{class_id}/registrations/bulk",
    scope=Scope.CLASSES_WRITE,
    status=201,
    errors=["class_not_found", "class_cancelled"],
)
async def create_registrations(tx: Tx, class_id: UUID, data: BulkRegistrations) -> MadeRegistrations:
    """Register up to 1000 users in a class, in this order. A failed one does not affect the others."""
    result, warnings = await bulk.register_all(tx, class_id, data.user_ids)
    return MadeRegistrations(result, OverlapMeta(warnings))


@routes.get(
    "/classes/{class_id}/registrations/{registration_id}",
    scope=Scope.CLASSES_READ,
    errors=["class_not_found", "registration_not_found"],
)
async def get_registration(
    tx: Tx, class_id: UUID, registration_id: UUID, query: ItemQuery
) -> Envelope[ClassRegistration]:
    """Get one registration."""
    await queries.check_exists(tx, class_id)
    return Envelope(await registration_queries.get(tx, class_id, registration_id))


@routes.post(
    "/classes/{class_id}/registrations/{registration_id}/cancel",
    scope=Scope.CLASSES_WRITE,
    errors=["class_not_found", "registration_not_found"],
)
async def cancel_registration(
    tx: Tx, class_id: UUID, registration_id: UUID, data: RegistrationCancellation
) -> Envelope[ClassRegistration]:
    """Cancel a registration. Whoever waits first moves up at once. The user stays enrolled in the course."""
    return Envelope(await registering.cancel(tx, class_id, registration_id, data.reason))


@routes.get(
    "/sessions/{class_session_id}/attendance", scope=Scope.CLASSES_READ, errors=["class_session_not_found"]
)
async def list_attendance(tx: Tx, class_session_id: UUID, query: ListQuery) -> Page[Attendance]:
    """List the attendance of everybody with a place in the class, in the order of registration."""
    session = await queries.find_session(tx, class_session_id)
    return await fetch_page(tx, ATTENDANCE, query, session)


@routes.put(
    "/sessions/{class_session_id}/attendance",
    scope=Scope.CLASSES_WRITE,
    errors=[
        "class_session_not_found",
        "session_cancelled",
        "session_not_started",
        "not_registered",
        "duplicate_user",
    ],
    details={"not_registered": {"user_ids": ["2f1d3c5b-7a90-4e6f-8d1c-3b5a79e0f2d4"]}},
    max_body=2 * MIB,
)
async def record_attendance(
    tx: Tx, class_session_id: UUID, data: AttendanceSheet
) -> Envelope[list[Attendance]]:
    """Record the attendance of up to 1000 people: all of them, or none. People who are not listed stay
    unchanged. A changed number of minutes needs a `reason`. Completion follows within seconds.
    """
    return Envelope(await attendance.record(tx, class_session_id, data.entries))


@routes.get(
    "/sessions/{class_session_id}/check-in-code",
    scope=Scope.CLASSES_WRITE,
    errors=["class_session_not_found", "session_cancelled", "outside_session"],
)
async def get_check_in_code(
    tx: Tx, class_session_id: UUID, query: ItemQuery, address: CheckInAddress
) -> Envelope[CheckInCode]:
    """Get the code to show in the room as a QR code. There is a new one every 15 seconds, and each is good
    for at most 30 seconds.
    """
    return Envelope(await attendance.create_code(tx, class_session_id, address))
