"""Input and output types of learning paths."""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.lists import Count
from trilha.core.types import STORABLE, Timestamp, Title
from trilha.core.web.pagination import ListQuery
from trilha.training.courses.schema import CourseSlug, CourseStatus

PathStatus = Literal["DRAFT", "PUBLISHED", "ARCHIVED"]
Description = Annotated[str, Meta(max_length=4000, extra_json_schema=STORABLE)]
Days = Annotated[int, Meta(ge=1, le=3650)]
RolloutKind = Literal["PEOPLE", "GROUP", "UNIT", "ASSIGNED"]


class NewPath(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new path. Without a `slug`, one is derived from the title. `deadline_days` count from the
    assignment.
    """

    title: Title
    slug: CourseSlug | None = None
    description: Description | None = None
    in_order: bool = False
    deadline_days: Days | None = None


class PathPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a path. Omitted members stay unchanged; `null` clears an optional member."""

    title: Title | UnsetType = UNSET
    slug: CourseSlug | UnsetType = UNSET
    description: Description | None | UnsetType = UNSET
    in_order: bool | UnsetType = UNSET
    deadline_days: Days | None | UnsetType = UNSET


class LearningPath(Struct, frozen=True):
    id: UUID
    title: str
    slug: str
    description: str | None
    status: PathStatus
    in_order: bool
    deadline_days: int | None
    created_at: Timestamp
    updated_at: Timestamp


class ListedPath(LearningPath, frozen=True):
    """A path in the panel's list, which is sorted by `title_key`."""

    title_key: str
    courses: int


class PathCourse(Struct, frozen=True):
    """A course of a path, with its position."""

    id: UUID
    title: str
    status: CourseStatus
    duration_hours: float


class Audience(Struct, frozen=True):
    """A group or unit whose present and future people are assigned. One of the ids is None."""

    id: UUID
    group_id: UUID | None
    business_unit_id: UUID | None
    name: str


class Assignment(Struct, frozen=True):
    user_id: UUID
    due_at: Timestamp | None
    completed_at: Timestamp | None


class Rollout(Struct, frozen=True):
    """A rollout to many people. `total` is None until they are counted."""

    id: UUID
    path_id: UUID
    kind: RolloutKind
    people: Sequence[UUID] | None
    group_id: UUID | None
    business_unit_id: UUID | None
    last_user_id: UUID | None
    total: int | None
    done: int
    actor_kind: str
    actor: str
    source: str


class Progress(Struct, frozen=True):
    """The progress of a path's running rollouts. `counted`: `total` covers all of them."""

    rollouts: int
    done: int
    total: int
    counted: bool


class PathQuery(ListQuery, frozen=True, kw_only=True):
    """Filters of the list of paths. `q` matches part of the title."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: PathStatus | None = None


Where = Literal["open", "completed", "overdue", "problems"]


class FollowQuery(ListQuery, frozen=True, kw_only=True):
    """Filters of the people on a path. `q` searches people as their list does."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    show: Where | None = None


class Follower(Struct, frozen=True):
    """A person on a path; `id` is the person's. `completed` and `problems` count courses."""

    id: UUID
    name: str
    email: str
    assigned_at: Timestamp
    due_at: Timestamp | None
    completed_at: Timestamp | None
    overdue: bool
    completed: int
    problems: int


class PathProblem(Struct, frozen=True):
    """Why a person is not enrolled in a course of the path."""

    user_id: UUID
    course_id: UUID
    course_title: str
    code: str


class PathCounts(Struct, frozen=True):
    """Counts of the people on a path."""

    people: Count
    completed: Count
    overdue: Count
    with_problems: Count
