"""/v1/enrollments, and the enrollments of one user."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, ListQuery, Page, SyncQuery
from trilha.core.web.routes import MIB, Envelope, Routes
from trilha.people.users import queries as users
from trilha.training.enrollments import actions, importing, queries
from trilha.training.enrollments.answers import INTERACTIONS
from trilha.training.enrollments.lists import ENROLLMENTS, OF_USER, of_user
from trilha.training.enrollments.schema import (
    BulkEnrollments,
    BulkResult,
    Enrollment,
    EnrollmentPatch,
    EnrollmentQuery,
    Interaction,
    NewEnrollment,
    PastCompletions,
)

routes = Routes("Enrollments", "Who takes which course, and how far they are.")


@routes.get("/enrollments", scope=Scope.ENROLLMENTS_READ)
async def list_enrollments(tx: Tx, query: EnrollmentQuery) -> Page[Enrollment]:
    """List enrollments, newest first. With `updated_since`, they are ordered by last change, oldest first."""
    return await fetch_page(tx, ENROLLMENTS, query)


@routes.post(
    "/enrollments",
    scope=Scope.ENROLLMENTS_WRITE,
    status=201,
    errors=[
        "user_not_found",
        "course_not_found",
        "user_not_active",
        "course_not_published",
        "regulatory_profile_missing",
        "already_enrolled",
        "not_in_future",
    ],
    details={
        "regulatory_profile_missing": {"missing_fields": ["cpf", "cnh"]},
        "already_enrolled": lambda answer: {"existing_enrollment": answer["data"]},
    },
)
async def create_enrollment(tx: Tx, data: NewEnrollment) -> Envelope[Enrollment]:
    """Enroll one user in one course."""
    return Envelope(await actions.enroll(tx, data))


@routes.post("/enrollments/bulk", scope=Scope.ENROLLMENTS_BULK, status=201, max_body=2 * MIB)
async def create_enrollments(tx: Tx, data: BulkEnrollments) -> Envelope[BulkResult]:
    """Enroll up to 1000 pairs of user and course. Duplicates are skipped, and a failed item does not affect
    the others.
    """
    return Envelope(await actions.enroll_many(tx, data.enrollments))


@routes.post("/enrollments/import", scope=Scope.ENROLLMENTS_BULK, status=201, max_body=2 * MIB)
async def import_enrollments(tx: Tx, data: PastCompletions) -> Envelope[BulkResult]:
    """Import up to 1000 completions from another system. No events are emitted. Completions that were
    imported before are skipped, and a failed item does not affect the others.
    """
    result = await importing.take_over(tx, data.completions, certificates=data.issue_certificates)
    return Envelope(result)


@routes.get("/enrollments/{enrollment_id}", scope=Scope.ENROLLMENTS_READ, errors=["enrollment_not_found"])
async def get_enrollment(tx: Tx, enrollment_id: UUID, query: ItemQuery) -> Envelope[Enrollment]:
    """Get one enrollment."""
    return Envelope(await queries.get(tx, enrollment_id))


@routes.patch(
    "/enrollments/{enrollment_id}",
    scope=Scope.ENROLLMENTS_WRITE,
    errors=[
        "enrollment_not_found",
        "not_in_future",
        "enrollment_completed",
        "already_enrolled",
        "user_not_active",
        "course_not_published",
        "regulatory_profile_missing",
    ],
    details={
        "regulatory_profile_missing": {"missing_fields": ["cpf", "cnh"]},
        "already_enrolled": lambda answer: {"existing_enrollment": answer["data"]},
    },
)
async def update_enrollment(tx: Tx, enrollment_id: UUID, data: EnrollmentPatch) -> Envelope[Enrollment]:
    """Change when an enrollment expires. An expired enrollment reopens and keeps its progress."""
    return Envelope(await actions.change_expiry(tx, enrollment_id, data.expires_at))


@routes.delete(
    "/enrollments/{enrollment_id}",
    scope=Scope.ENROLLMENTS_WRITE,
    status=204,
    errors=["enrollment_not_found", "enrollment_completed"],
)
async def cancel_enrollment(tx: Tx, enrollment_id: UUID) -> None:
    """Cancel an enrollment. Its learning records are kept as evidence."""
    await actions.cancel(tx, enrollment_id)


@routes.get(
    "/enrollments/{enrollment_id}/interactions",
    scope=Scope.ENROLLMENTS_READ,
    errors=["enrollment_not_found"],
)
async def list_interactions(tx: Tx, enrollment_id: UUID, query: ListQuery) -> Page[Interaction]:
    """List the learner's latest answer to each question. The list is empty if no module reports answers."""
    await queries.get(tx, enrollment_id)
    return await fetch_page(tx, INTERACTIONS, query, enrollment_id)


@routes.get("/users/{user_id}/enrollments", scope=Scope.ENROLLMENTS_READ, errors=["user_not_found"])
async def list_user_enrollments(tx: Tx, user_id: UUID, query: SyncQuery) -> Page[Enrollment]:
    """List one user's enrollments, newest first."""
    await users.get(tx, user_id)
    return await fetch_page(tx, OF_USER, of_user(user_id, query))
