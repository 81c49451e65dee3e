"""Learning paths, in and out."""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.lists import Count
from trilha.core.types import STORABLE, Timestamp, Title
from trilha.core.web.pagination import ListQuery
from trilha.courses.schema import CourseSlug, CourseStatus

PathStatus = Literal["DRAFT", "PUBLISHED", "ARCHIVED"]
Description = Annotated[str, Meta(max_length=4000, extra_json_schema=STORABLE)]
Days = Annotated[int, Meta(ge=1, le=3650)]
RolloutKind = Literal["PEOPLE", "GROUP", "UNIT", "ASSIGNED"]


class NewPath(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without a `slug`, one is made from the title. `deadline_days` count from the assignment."""

    title: Title
    slug: CourseSlug | None = None
    description: Description | None = None
    in_order: bool = False
    deadline_days: Days | None = None


class PathPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays; `null` clears what may be without a value."""

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
    """In the panel's list. It is ordered by `title_key`."""

    title_key: str
    courses: int


class PathCourse(Struct, frozen=True):
    """A course of a path, in its place."""

    id: UUID
    title: str
    status: CourseStatus
    duration_hours: float


class Audience(Struct, frozen=True):
    """A group or unit whose people are assigned, also those who come later. One of the ids is None."""

    id: UUID
    group_id: UUID | None
    business_unit_id: UUID | None
    name: str


class Assignment(Struct, frozen=True):
    user_id: UUID
    due_at: Timestamp | None
    completed_at: Timestamp | None


class Rollout(Struct, frozen=True):
    """A path on its way to many. `total` is None until they are counted."""

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
    """Of the rollouts of a path that are under way. `counted`: `total` is of all of them."""

    rollouts: int
    done: int
    total: int
    counted: bool


class PathQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of the title."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: PathStatus | None = None


Where = Literal["open", "completed", "overdue", "problems"]


class FollowQuery(ListQuery, frozen=True, kw_only=True):
    """Who is on a path. `q` finds people as their list does."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    show: Where | None = None


class Follower(Struct, frozen=True):
    """Somebody on a path; `id` is the person's. `completed` and `problems` count courses."""

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
    """Why somebody is not enrolled in a course of the path."""

    user_id: UUID
    course_id: UUID
    course_title: str
    code: str


class PathCounts(Struct, frozen=True):
    """Of the people on a path."""

    people: Count
    completed: Count
    overdue: Count
    with_problems: Count
