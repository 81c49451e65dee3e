"""/v1/enrollment-requests, and the requests of one user."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.enrollment_requests import actions, queries
from trilha.training.enrollment_requests.lists import REQUESTS
from trilha.training.enrollment_requests.schema import (
    Approval,
    EnrollmentRequest,
    EnrollmentRequestQuery,
    NewEnrollmentRequest,
    Rejection,
)

routes = Routes("Enrollment requests", "Who asks to be enrolled in which course, and what was decided.")
_ENROLL_ERRORS = [
    "user_not_found",
    "course_not_found",
    "user_not_active",
    "course_not_published",
    "regulatory_profile_missing",
    "already_enrolled",
]
_DETAILS = {
    "regulatory_profile_missing": {"missing_fields": ["cpf", "cnh"]},
    "already_enrolled": {
        "existing_enrollment": {
            "id": "8f14e45f-ceea-467f-9d1e-0d3c1f3c8a11",
            "user_id": "1b6453f2-0c5d-4a0e-b2e8-0a3a5d4d9a01",
            "course_id": "c9f0f895-fb98-4b91-8d99-c51afbc8e7a2",
            "status": "IN_PROGRESS",
            "progress": 72.5,
            "score": None,
            "started_at": "2026-11-03T12:00:00.000Z",
            "completed_at": None,
            "expires_at": None,
            "created_at": "2026-11-02T12:00:00.000Z",
            "updated_at": "2026-11-03T12:00:00.000Z",
        }
    },
}


@routes.post(
    "/users/{user_id}/enrollment-requests",
    scope=Scope.ENROLLMENTS_WRITE,
    status=201,
    errors=[
        *_ENROLL_ERRORS,
        "self_enrollment_closed",
        "enrollment_already_requested",
        "too_many_enrollment_requests",
    ],
    details=_DETAILS,
)
async def create_enrollment_request(
    tx: Tx, user_id: UUID, data: NewEnrollmentRequest
) -> Envelope[EnrollmentRequest]:
    """Ask to enroll a user. In a course that is `OPEN` the user is enrolled at once and the request is
    `APPROVED`. Otherwise it waits for the user's manager or an administrator.
    """
    return Envelope(await actions.request(tx, user_id, data.course_id, data.message))


@routes.get("/enrollment-requests", scope=Scope.ENROLLMENTS_READ)
async def list_enrollment_requests(tx: Tx, query: EnrollmentRequestQuery) -> Page[EnrollmentRequest]:
    """List requests, newest first. With `updated_since`, they are ordered by last change, oldest first."""
    return await fetch_page(tx, REQUESTS, query)


@routes.get(
    "/enrollment-requests/{enrollment_request_id}",
    scope=Scope.ENROLLMENTS_READ,
    errors=["enrollment_request_not_found"],
)
async def get_enrollment_request(
    tx: Tx, enrollment_request_id: UUID, query: ItemQuery
) -> Envelope[EnrollmentRequest]:
    """Get one request."""
    return Envelope(await queries.get(tx, enrollment_request_id))


@routes.post(
    "/enrollment-requests/{enrollment_request_id}/approve",
    scope=Scope.ENROLLMENTS_WRITE,
    errors=[
        "enrollment_request_not_found",
        "enrollment_request_decided",
        "not_in_future",
        *_ENROLL_ERRORS[2:],
    ],
    details=_DETAILS,
)
async def approve_enrollment_request(
    tx: Tx, enrollment_request_id: UUID, data: Approval
) -> Envelope[EnrollmentRequest]:
    """Approve a request: the user is enrolled and told. The checks are those of an enrollment."""
    return Envelope(await actions.approve(tx, enrollment_request_id, data.expires_at))


@routes.post(
    "/enrollment-requests/{enrollment_request_id}/reject",
    scope=Scope.ENROLLMENTS_WRITE,
    errors=["enrollment_request_not_found", "enrollment_request_decided"],
)
async def reject_enrollment_request(
    tx: Tx, enrollment_request_id: UUID, data: Rejection
) -> Envelope[EnrollmentRequest]:
    """Reject a request. The user is told, with the reason."""
    return Envelope(await actions.reject(tx, enrollment_request_id, data.reason))
