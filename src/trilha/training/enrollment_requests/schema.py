"""Input and output types of requests for enrollment."""

from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Choices, InvalidValue, SearchWords, Text, Timestamp, choices
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.training.enrollments.schema import Future


class RequestStatus(StrEnum):
    WAITING = "WAITING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    CANCELLED = "CANCELLED"


class RequestStatusFilter(Choices):
    """Request statuses, separated by commas."""

    __slots__ = ()
    words = tuple(RequestStatus)
    schema = choices(*RequestStatus)


Message = Annotated[
    str, Meta(max_length=500, extra_json_schema=STORABLE, examples=["Vou trabalhar em altura."])
]


class RejectionReason(Text):
    """Why a request is rejected: 1 to 500 characters after trimming."""

    __slots__ = ()
    schema = {**SearchWords.schema, "maxLength": 500, "examples": ["Faça antes a NR-06."]}
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        reason = text.strip()
        if not reason:
            raise InvalidValue("too_short")
        if len(reason) > 500:
            raise InvalidValue("too_long")
        if "\x00" in reason:
            raise InvalidValue("invalid_text")
        return reason


class NewEnrollmentRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to be enrolled. Whoever decides reads the `message`."""

    course_id: UUID
    message: Message | None = None


class Approval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a request is approved. Without `expires_at`, the enrollment has no due date."""

    may_be_left_out: ClassVar[bool] = True

    expires_at: Future | None = None


class Rejection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a request is rejected. The person reads the `reason`."""

    reason: RejectionReason


class EnrollmentRequest(Struct, frozen=True):
    """A person's request to be enrolled in a course. `enrollment_id` is the enrollment that the approval
    made. `decided_by` is the user who decided in the panel; null for a decision through the API, and for a
    course that is open to everyone.
    """

    id: UUID
    user_id: UUID
    course_id: UUID
    status: Annotated[RequestStatus, Meta(examples=["WAITING"])]
    message: Annotated[str, Meta(examples=["Vou trabalhar em altura."])] | None
    reason: Annotated[str | None, Meta(examples=[None])]
    enrollment_id: Annotated[UUID | None, Meta(examples=[None])]
    decided_by: Annotated[UUID | None, Meta(examples=[None])]
    decided_at: Annotated[Timestamp | None, Meta(examples=[None])]
    created_at: Timestamp
    updated_at: Timestamp


class EnrollmentRequestQuery(SyncQuery, frozen=True, kw_only=True):
    user_id: Annotated[UUID, Meta(description="Only requests of this user.")] | None = None
    course_id: Annotated[UUID, Meta(description="Only requests for this course.")] | None = None
    status: (
        Annotated[RequestStatusFilter, Meta(description="Only these statuses, separated by commas.")] | None
    ) = None


class ListedRequest(Struct, frozen=True):
    """A request in the panel, with the names of the person, the course and whoever decided."""

    id: UUID
    user_id: UUID
    user_name: str
    course_id: UUID
    course_title: str
    status: RequestStatus
    message: str | None
    reason: str | None
    enrollment_id: UUID | None
    decider_name: str | None
    decided_at: Timestamp | None
    created_at: Timestamp


class WaitingQuery(ListQuery, frozen=True, kw_only=True):
    """The parameters of the panel's list of waiting requests."""
