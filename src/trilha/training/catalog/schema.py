"""Queries and rows of the catalog."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Choice, CommaList, SearchWords, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.courses.schema import Difficulty, SelfEnrollment
from trilha.training.enrollment_requests.schema import RequestStatus
from trilha.training.enrollments.schema import EnrollmentStatus

# Where a person stands with a course of the catalog.
State = Literal["ENROLLED", "COMPLETED", "WAITING", "REJECTED", "FREE", "CLOSED"]


class PolicyFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": ["OPEN", "APPROVAL"], "examples": ["OPEN"]}


class CatalogQuery(ListQuery, frozen=True, kw_only=True):
    q: (
        Annotated[SearchWords, Meta(description="Only courses with these words in the title or slug.")] | None
    ) = None
    category_id: Annotated[UUID, Meta(description="Only courses of this category.")] | None = None
    tags: (
        Annotated[CommaList, Meta(description="Only courses with any of these tags, separated by commas.")]
        | None
    ) = None
    self_enrollment: (
        Annotated[PolicyFilter, Meta(description="Only courses with this enrollment policy.")] | None
    ) = None


class CatalogSearch(ListQuery, frozen=True, kw_only=True):
    """The parameters of the catalog's page."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    category: UUID | None = None


class Reader(Struct, frozen=True):
    """Who reads the catalog. `locale` is the language of their pages."""

    user_id: UUID
    locale: str = ""


class CatalogCourse(Struct, frozen=True):
    """A course of the catalog, and where the reader stands with it. `language` is that of its texts, of
    which some may be in its own. `enrollment_id` is the reader's current enrollment; with `is_renewable` it
    is completed and they may enroll again. The `request_…` members are those of their newest request.
    """

    id: UUID
    language: str
    own_language: str
    title: str
    title_language: str
    description: str | None
    description_language: str
    status: str
    difficulty: Difficulty | None
    duration_hours: float
    thumbnail_url: str | None
    category: str | None
    certificate_validity_months: int | None
    regulation: Any
    self_enrollment: SelfEnrollment
    modules: int
    enrollment_id: UUID | None
    enrollment_status: EnrollmentStatus | None
    is_renewable: bool
    request_status: RequestStatus | None
    request_reason: str | None
    request_at: Timestamp | None

    @property
    def cover(self) -> str:
        """Returns the picture's address if we host it; pages never load pictures from other hosts."""
        url = self.thumbnail_url or ""
        return url if url.startswith("/") and not url.startswith("//") else ""

    @property
    def is_listed(self) -> bool:
        return self.status == "PUBLISHED" and self.self_enrollment != "CLOSED"

    @property
    def state(self) -> State:
        if self.enrollment_status in ("NOT_STARTED", "IN_PROGRESS"):
            return "ENROLLED"
        if self.enrollment_status == "COMPLETED" and not self.is_renewable:
            return "COMPLETED"
        if not self.is_listed:
            return "CLOSED"
        if self.self_enrollment == "APPROVAL" and self.request_status == "WAITING":
            return "WAITING"
        return "REJECTED" if self.request_status == "REJECTED" else "FREE"


class CategoryName(Struct, frozen=True):
    id: UUID
    name: str
