"""A learner's own enrollments with their courses, the one to continue with first."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import Condition, Conditions, List, Walk, by_owner, get_row
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.courses.schema import Difficulty
from trilha.training.courses.translations.choosing import choose_title, join_translation
from trilha.training.enrollments.lists import STATUS
from trilha.training.enrollments.schema import EnrollmentStatus

# An enrollment that expires within this time is shown as expiring soon.
SOON = timedelta(days=7)
StatusFilter = Literal["open", "completed", "expired"]


class MyCourse(Struct, frozen=True):
    """One enrollment and its course. `place` is its position in the list's order; `soon` means due soon.

    `language` is the one in which the person takes the course, of its `languages`; texts that it lacks are
    in the course's own. `required_fields` are the documents that the course requires; None without a
    regulation. `following` is the title, the id and the language of the title of the module to continue
    with, if one is unfinished. `due_at` is the earliest date
    that applies: of the enrollment, of a requirement, or of the learning path `path_id`, if the person is on
    one with this course.
    """

    id: UUID
    place: int
    course_id: UUID
    language: str
    languages: list[str]
    title: str
    title_language: str
    description: str | None
    description_language: str
    difficulty: Difficulty | None
    duration_hours: float
    required_fields: Any
    thumbnail_url: str | None
    modules: int
    following: list[str] | None
    status: EnrollmentStatus
    progress: float
    score: float | None
    soon: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    expires_at: Timestamp | None
    due_at: Timestamp | None
    overdue: bool
    path_id: UUID | None
    path_title: str | None
    path_due_at: Timestamp | None
    created_at: Timestamp

    @property
    def own_language(self) -> str:
        return self.languages[0]

    @property
    def is_translated(self) -> bool:
        """Whether the person takes the course in another language than its own."""
        return self.language != self.own_language

    @property
    def next_module(self) -> str | None:
        return self.following[0] if self.following else None

    @property
    def next_module_id(self) -> str | None:
        return self.following[1] if self.following else None

    @property
    def next_module_language(self) -> str:
        return self.following[2] if self.following else ""

    @property
    def is_due_by_path(self) -> bool:
        """Tells whether the due date is that of the learning path."""
        return self.path_due_at is not None and self.path_due_at == self.due_at


class Learner(Struct, frozen=True):
    """Whose courses a list has. `locale` is the language of the person's pages."""

    user_id: UUID
    locale: str = ""


class MyCoursesQuery(ListQuery, frozen=True, kw_only=True):
    show: StatusFilter = "open"


class Counts(Struct, frozen=True):
    open: int
    completed: int
    expired: int


# The due date of a requirement or of a path ends nothing, but an earlier one is the one to keep.
_DUE = "LEAST(row.due_at, row.expires_at, row.path_due_at)"
# The learning path with this course that the person has to complete first.
_PATH = """
    SELECT place.path_id, place.due_at AS path_due_at
    FROM learning_path_courses AS part
    JOIN learning_path_assignments AS place
        ON place.tenant_id = :tenant AND place.path_id = part.path_id AND place.user_id = row.user_id
    WHERE part.tenant_id = :tenant AND part.course_id = row.course_id AND place.completed_at IS NULL
    ORDER BY place.due_at NULLS LAST, place.assigned_at, place.path_id LIMIT 1"""
_IS_SOON = f"COALESCE({_DUE} <= CAST(:now AS timestamptz) + interval '{SOON.days} days', false)"


def _ms(moment: str) -> str:
    return f"(extract(epoch FROM {moment}) * 1000)::bigint"


# The lower number is first: expiring ones by date, then started ones, the latest first, then the rest by
# date; ended ones last, the latest first.
_PLACE = f"""CASE {STATUS}
    WHEN 'COMPLETED' THEN -{_ms("row.completed_at")}
    WHEN 'EXPIRED' THEN -COALESCE({_ms("row.expires_at")}, {_ms("row.updated_at")})
    ELSE CASE WHEN {_IS_SOON} THEN {_ms(_DUE)}
              WHEN row.status = 'IN_PROGRESS' THEN 20000000000000 - {_ms("row.updated_at")}
              ELSE 20000000000000 + COALESCE({_ms(_DUE)}, 9000000000000) END
    END"""
# `learning.completion.rules.choose_next_module` in one statement: the last module, or else required ones
# first.
_NEXT = """(
    SELECT ARRAY[
        COALESCE(translation.title, m.title), m.id::text,
        COALESCE(translation.language,
                 (SELECT language FROM courses WHERE tenant_id = :tenant AND id = row.course_id))]
    FROM modules m
    LEFT JOIN module_translations AS translation ON translation.tenant_id = :tenant
        AND translation.module_id = m.id AND translation.language = row.translated_to
    LEFT JOIN module_progress p ON p.tenant_id = :tenant AND p.enrollment_id = row.id AND p.module_id = m.id
    WHERE m.tenant_id = :tenant AND m.course_id = row.course_id AND p.completed_at IS NULL
          AND row.status <> 'COMPLETED' AND m.type NOT IN ('CLASS', 'PRACTICE') AND (
              SELECT true FROM modules AS meeting
              JOIN courses AS strict ON strict.tenant_id = :tenant AND strict.id = row.course_id
               AND strict.regulation ->> 'sequential' = 'true'
              LEFT JOIN module_progress AS presence ON presence.tenant_id = :tenant
               AND presence.enrollment_id = row.id AND presence.module_id = meeting.id
              WHERE meeting.tenant_id = :tenant AND meeting.course_id = row.course_id
                AND meeting.type IN ('CLASS', 'PRACTICE') AND meeting.required
                AND meeting.position < m.position
                AND presence.completed_at IS NULL LIMIT 1) IS NULL
    ORDER BY m.id = (
        SELECT a.module_id FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.enrollment_id = row.id ORDER BY l.number DESC LIMIT 1
    ) DESC NULLS LAST, m.required DESC, m.position LIMIT 1)"""
_COURSE = "(SELECT {} FROM courses WHERE tenant_id = :tenant AND id = row.course_id)"
# What is read of the translation into the language that the person has chosen, or else that of their pages.
_TRANSLATION = """translation.language AS translated_to, translation.title AS translated_title,
    translation.description AS translated_description"""
_OWN_LANGUAGE = _COURSE.format("language")
_LANGUAGES = f"""{_OWN_LANGUAGE} || ARRAY(
    SELECT language FROM course_translations
    WHERE tenant_id = :tenant AND course_id = row.course_id ORDER BY language)"""  # noqa: S608
_STATES: dict[StatusFilter, Sequence[str]] = {
    "open": ["NOT_STARTED", "IN_PROGRESS"],
    "completed": ["COMPLETED"],
    "expired": ["EXPIRED"],
}


async def _in_states(tx: Tx, query: MyCoursesQuery, reach: Any) -> Conditions:
    return (Condition(where=f"{STATUS} = ANY(:states)", params={"states": _STATES[query.show]}),)


_OWN = by_owner("user_id", "place")


def _within_own(learner: Learner) -> Conditions:
    (condition,) = _OWN(learner.user_id)
    return (structs.replace(condition, params={**condition.params, "locale": learner.locale}),)


MINE = List(
    name="learn",
    table=f"""(
        SELECT row.*, {_PLACE} AS place FROM (
            SELECT row.*, path.*, {_TRANSLATION} FROM enrollments AS row
            LEFT JOIN LATERAL ({_PATH}) AS path ON true
            {join_translation("row.course_id", "COALESCE(row.language, :locale)")}) AS row)""",  # noqa: S608
    kind=MyCourse,
    columns={
        **{name: _COURSE.format(name) for name in ("difficulty", "duration_hours", "thumbnail_url")},
        "language": f"COALESCE(row.translated_to, {_OWN_LANGUAGE})",
        "languages": _LANGUAGES,
        "title": f"COALESCE(row.translated_title, {_COURSE.format('title')})",
        "title_language": f"CASE WHEN row.translated_title IS NULL THEN {_OWN_LANGUAGE} "
        "ELSE row.translated_to END",
        "description": f"COALESCE(row.translated_description, {_COURSE.format('description')})",
        "description_language": f"CASE WHEN row.translated_description IS NULL THEN {_OWN_LANGUAGE} "
        "ELSE row.translated_to END",
        "required_fields": _COURSE.format("regulation -> 'required_profile_fields'"),
        "modules": """(
            SELECT count(*) FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = row.course_id)""",
        "following": _NEXT,
        "path_title": "(SELECT title FROM learning_paths WHERE tenant_id = :tenant AND id = row.path_id)",
        "status": STATUS,
        "due_at": _DUE,
        "overdue": f"{STATUS} IN ('NOT_STARTED', 'IN_PROGRESS') AND COALESCE({_DUE} <= :now, false)",
        "soon": f"{STATUS} IN ('NOT_STARTED', 'IN_PROGRESS') AND {_IS_SOON}",
    },
    default_walk=Walk(keys=("place",)),
    filters={"show": _in_states},
    reach=_within_own,
)


async def count(tx: Tx, user_id: UUID) -> Counts:
    """Counts the enrollments under each tab of the list."""
    counts = await tx.find(
        Counts,
        f"""
        SELECT count(*) FILTER (WHERE state IN ('NOT_STARTED', 'IN_PROGRESS')) AS open,
               count(*) FILTER (WHERE state = 'COMPLETED') AS completed,
               count(*) FILTER (WHERE state = 'EXPIRED') AS expired
        FROM (SELECT {STATUS} AS state FROM enrollments AS row
              WHERE row.tenant_id = :tenant AND row.user_id = :user_id) AS mine
        """,  # noqa: S608
        user_id=user_id,
    )
    assert counts is not None
    return counts


async def get(tx: Tx, user_id: UUID, enrollment_id: UUID, locale: str = "") -> MyCourse:
    """Returns one of this person's own enrollments. Raises NotFound."""
    return await get_row(tx, MINE, enrollment_id, Learner(user_id, locale), missing="enrollment_not_found")


async def choose_language(tx: Tx, user_id: UUID, enrollment_id: UUID, language: str) -> None:
    """Sets the language in which the person takes the course. Raises NotFound, and Invalid for a language
    that the course does not have.
    """
    course = await get(tx, user_id, enrollment_id)
    if language not in course.languages:
        raise invalid("language", "invalid_value")
    await tx.execute(
        """
        UPDATE all_enrollments SET language = :language
        WHERE tenant_id = :tenant AND id = :enrollment_id AND user_id = :user_id
        """,
        enrollment_id=enrollment_id,
        user_id=user_id,
        language=language,
    )


class Languages(Struct, frozen=True):
    """A course's own language, and the further one in which somebody takes it, if any."""

    own: str
    translation: str | None


async def find_languages(tx: Tx, enrollment_id: UUID, locale: str) -> Languages | None:
    return await tx.find(
        Languages,
        f"""
        SELECT course.language AS own, translation.language AS translation
        FROM all_enrollments AS row
        JOIN courses AS course ON course.tenant_id = :tenant AND course.id = row.course_id
        {join_translation("row.course_id", "COALESCE(row.language, :locale)")}
        WHERE row.tenant_id = :tenant AND row.id = :enrollment_id
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        locale=locale,
    )


class DueCourse(Struct, frozen=True):
    """An open enrollment with a due date. See `MyCourse`."""

    id: UUID
    title: str
    due_at: Timestamp
    path_id: UUID | None
    path_due_at: Timestamp | None
    updated_at: Timestamp


async def list_due(tx: Tx, user_id: UUID, since: datetime, limit: int, locale: str = "") -> list[DueCourse]:
    """Lists open enrollments that are due after `since`, the earliest first."""
    return await tx.list(
        DueCourse,
        f"""
        SELECT row.id, {choose_title()} AS title, {_DUE} AS due_at, row.path_id, row.path_due_at,
               row.updated_at
        FROM (SELECT row.*, path.* FROM enrollments AS row LEFT JOIN LATERAL ({_PATH}) AS path ON true
              WHERE row.tenant_id = :tenant AND row.user_id = :user_id) AS row
        JOIN courses AS course ON course.tenant_id = :tenant AND course.id = row.course_id
        {join_translation("row.course_id", "COALESCE(row.language, :locale)")}
        WHERE {STATUS} IN ('NOT_STARTED', 'IN_PROGRESS') AND {_DUE} > :since
        ORDER BY {_DUE}, row.id LIMIT :limit
        """,  # noqa: S608
        user_id=user_id,
        locale=locale,
        since=since,
        limit=limit,
    )


class Asking(Struct, frozen=True):
    """A course that requires documents."""

    title: str
    required_fields: list[str]


async def list_asking(tx: Tx, user_id: UUID, locale: str = "") -> list[Asking]:
    """Lists the courses that are open to this person and require documents."""
    return await tx.list(
        Asking,
        f"""
        SELECT {choose_title("c")} AS title, c.regulation -> 'required_profile_fields' AS required_fields
        FROM enrollments AS row JOIN courses c ON c.tenant_id = row.tenant_id AND c.id = row.course_id
        {join_translation("row.course_id", "COALESCE(row.language, :locale)")}
        WHERE row.tenant_id = :tenant AND row.user_id = :user_id
              AND {STATUS} IN ('NOT_STARTED', 'IN_PROGRESS')
              AND jsonb_array_length(c.regulation -> 'required_profile_fields') > 0
        ORDER BY c.title, row.id LIMIT 100
        """,  # noqa: S608
        user_id=user_id,
        locale=locale,
    )
