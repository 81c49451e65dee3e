"""Every list shows what a naive query finds: each row once and in order, whatever changes meanwhile."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec import Struct

from conftest import World
from lists.companies import Company
from trilha.core.lists import List, fetch_page, list_ids, narrowing, walking
from trilha.core.moments import Day
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.people.users.lists import PEOPLE, USERS
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import PeopleQuery, StatusFilter, UserQuery
from trilha.people.users.words import terms_of
from trilha.platform.audit import lists as audit_lists
from trilha.platform.audit.lists import RECORDS
from trilha.platform.audit.schema import AuditQuery
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch
from trilha.training.enrollments.lists import ENROLLMENT_ROWS as PLACES
from trilha.training.enrollments.lists import ENROLLMENTS
from trilha.training.enrollments.schema import EnrollmentQuery, EnrollmentSearch
from trilha.training.enrollments.schema import StatusFilter as States
from trilha.training.learner_questions.lists import QUESTIONS
from trilha.training.learner_questions.schema import QuestionSearch
from trilha.training.learning_paths.lists import followers
from trilha.training.learning_paths.schema import FollowQuery
from trilha.training.question_bank.lists import BANK_QUESTIONS
from trilha.training.question_bank.schema import BankQuery

TYPED = (
    "ana",
    "an",
    "maria",
    "mar",
    "sil",
    "silva an",
    "maria lima",
    "m",
    "z",
    "a2",
    "zoe prado",
    "ana.",
    "xyz",
)
NOW = "CAST(:now AS timestamptz)"
DUE = "(row.status IN ('NOT_STARTED', 'IN_PROGRESS') AND row.expires_at <= :now)"
OPEN = f"row.status IN ('NOT_STARTED', 'IN_PROGRESS') AND {DUE} IS NOT TRUE"
UNITS = """
    WITH RECURSIVE below AS (
        SELECT id FROM business_units WHERE tenant_id = :tenant AND {}
        UNION SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id)
    SELECT id FROM below"""
TAUGHT = "SELECT course_id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :reach"
MANAGED = """id IN (
    SELECT business_unit_id FROM business_unit_managers WHERE tenant_id = :tenant AND user_id = :reach)"""


_BANDS = {
    "easy": "row.difficulty >= 75",
    "medium": "row.difficulty >= 40 AND row.difficulty < 75",
    "hard": "row.difficulty < 40",
}


class Case(Struct):
    """A list, and the naive condition for each of its filters and sorts."""

    list: List[Any]
    query: type[ListQuery]
    table: str
    filters: Mapping[str, Callable[[Any], str]]
    values: Mapping[str, Sequence[Any]]
    sorts: Mapping[str, tuple[str, str]]
    reach: Callable[[Reach], str] | None = None
    id: str = "id"
    usual: tuple[str, str] = ("row.created_at", "DESC")
    ordered: Mapping[str, tuple[str, str]] = {}
    # The conditions of filters that have a value even if nobody chooses one.
    defaults: Mapping[str, str] = {}
    # What the list takes as its reach.
    restrict: Callable[[Reach], Any] = lambda reach: reach


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _found(typed: str, person: str, all_terms: Sequence[str] | None = None) -> str:
    """Matches if every word starts a word of the person's; a single letter must start the name."""
    terms = all_terms or terms_of(typed)
    if len(terms[0]) == 1 and not all_terms:
        return f"starts_with((SELECT name_key FROM users AS u WHERE u.id = {person}), {_text(terms[0])})"
    words = "(SELECT search_words(u.name, u.email, u.employee_number) FROM users AS u WHERE u.id = {})"
    parts = [
        f"EXISTS (SELECT FROM {words.format(person)} AS w (word) WHERE starts_with(w.word, {_text(term)}))"
        for term in terms
    ]
    return " AND ".join(parts)


def _person(where: str, column: str) -> str:
    return f"EXISTS (SELECT FROM users AS person WHERE person.id = row.{column} AND {where})"


def _of_unit(unit: UUID, column: str) -> str:
    return _person(f"person.business_unit_id IN ({UNITS.format(f'id = {_text(unit)}')})", column)


def _of_group(group: UUID, column: str) -> str:
    return f"row.{column} IN (SELECT user_id FROM learning_group_members WHERE group_id = {_text(group)})"


def _people_of(reach: Reach, column: str) -> str:
    if reach.role == "gestor":
        return _person(f"person.business_unit_id IN ({UNITS.format(MANAGED)})", column)
    if reach.role == "instrutor":
        return f"row.{column} IN (SELECT user_id FROM enrollments WHERE course_id IN ({TAUGHT}))"
    return "true" if reach.is_everyone else f"row.{column} = :reach"


def _licence_expired(_: object) -> str:
    return f"""row.status = 'ACTIVE' AND row.cnh_valid_until < (
            CAST(:now AS timestamptz) AT TIME ZONE 'America/Sao_Paulo')::date::text AND EXISTS (
        SELECT FROM enrollments AS place JOIN courses AS course ON course.id = place.course_id
        WHERE place.user_id = row.id AND place.status IN ('NOT_STARTED', 'IN_PROGRESS')
          AND course.regulation -> 'required_profile_fields' ? 'cnh'
          AND (CAST(:role AS text) <> 'instrutor' OR place.course_id IN ({TAUGHT})))"""


def _recorded(typed: str) -> str:
    """Matches text in a name or an action, or the address; for people, the beginnings of their words."""
    named = f"""
        SELECT id FROM users AS person WHERE {_found(typed, "person.id", typed.lower().split())}
        UNION ALL SELECT id FROM courses WHERE strpos(lower(title), lower({_text(typed)})) > 0
        UNION ALL SELECT id FROM api_keys WHERE strpos(lower(name), lower({_text(typed)})) > 0"""
    return f"""(
        row.target_id IN ({named}) OR row.actor IN (SELECT id::text FROM ({named}) AS named)
        OR row.target_id IN (
            SELECT id FROM all_enrollments WHERE user_id IN ({named}) OR course_id IN ({named}))
        OR strpos(row.action, lower({_text(typed)})) > 0 OR row.source = {_text(typed)}
        OR strpos(lower(row.target_name), lower({_text(typed)})) > 0)"""


def _courses_of(reach: Reach) -> str:
    return f"row.course_id IN ({TAUGHT})" if reach.role == "instrutor" else _people_of(reach, "user_id")


def _state(status: str) -> str:
    soon = f"row.expires_at > :now AND row.expires_at <= {NOW} + interval '14 days'"
    month = "date_trunc('month', CAST(:now AS timestamptz), 'America/Sao_Paulo')"
    latest = "least(row.completed_at, row.updated_at)"
    flagged = "SELECT enrollment_id FROM review_flags WHERE dismissed_at IS NULL"
    return {
        "open": OPEN,
        "ending": f"{OPEN} AND {soon}",
        "expired": f"(row.status = 'EXPIRED' OR {DUE})",
        "completed_this_month": f"row.status = 'COMPLETED' AND {latest} >= {month}",
        "to_review": f"row.id IN ({flagged})",
    }.get(status, f"row.status = {_text(status.upper())} AND {DUE} IS NOT TRUE")


def _worth(status: str) -> str:
    valid = "row.revoked_at IS NULL"
    return {
        "valid": f"{valid} AND (row.expires_at IS NULL OR row.expires_at > :now)",
        "expiring": f"{valid} AND row.expires_at > :now AND row.expires_at <= {NOW} + interval '30 days'",
        "expired": f"{valid} AND row.expires_at <= :now",
        "renewal": f"""{valid} AND row.expires_at <= :now AND EXISTS (
            SELECT FROM enrollments AS place JOIN users AS learner ON learner.id = place.user_id
            JOIN courses AS course ON course.id = place.course_id
            WHERE place.id = row.enrollment_id AND place.current AND learner.status = 'ACTIVE'
              AND course.status = 'PUBLISHED')""",
        "revoked": "row.revoked_at IS NOT NULL",
        "failed": "row.file_key IS NULL AND row.render_due_at IS NULL AND row.erased_at IS NULL",
    }[status]


def _certificate_typed(typed: str) -> str:
    titled = f"""
        SELECT id FROM courses
        WHERE strpos(title_key, search_text({_text(typed)})) > 0 OR strpos(slug, lower({_text(typed)})) > 0"""
    return f"({_found(typed, 'row.user_id')} OR row.course_id IN ({titled}))"


def _progress(show: str) -> str:
    return {
        "open": "row.completed_at IS NULL",
        "completed": "row.completed_at IS NOT NULL",
        "overdue": "row.completed_at IS NULL AND row.due_at <= :now",
        "problems": "row.user_id IN (SELECT user_id FROM learning_path_problems WHERE path_id = row.path_id)",
    }[show]


def _cases(company: Company) -> list[Case]:
    now = company.world.clock.now
    times = [Timestamp.of(now - timedelta(hours=each)) for each in (1, 10, 30)]
    days = [Day((now - timedelta(hours=each)).date().isoformat()) for each in (5, 30)]
    own = {"unit": company.units, "group": [company.group], "q": TYPED}
    newest = ("row.created_at", "DESC")
    return [
        Case(
            PEOPLE,
            PeopleQuery,
            "users",
            {
                "q": lambda q: _found(q, "row.id"),
                "unit": lambda unit: _of_unit(unit, "id"),
                "group": lambda group: _of_group(group, "id"),
                "status": lambda value: f"row.status = '{value}'",
                "role": lambda value: f"row.role = '{value}'",
                "without_unit": lambda _: "row.business_unit_id IS NULL",
                "licence_expired": _licence_expired,
            },
            {
                **own,
                "status": ["ACTIVE", "SUSPENDED"],
                "role": ["learner", "gestor"],
                "without_unit": [True],
                "licence_expired": [True],
            },
            {
                "email": ("row.email", "ASC"),
                "-last_login": ("row.last_login_key", "DESC"),
                "created": ("row.created_at", "ASC"),
                "name": ("row.name_key", "ASC"),
                "-name": ("row.name_key", "DESC"),
            },
            lambda reach: _people_of(reach, "id"),
        ),
        Case(
            USERS,
            UserQuery,
            "users",
            {
                "q": lambda q: _found(q, "row.id"),
                "status": lambda value: f"row.status = '{value}'",
                "business_unit_id": lambda unit: f"row.business_unit_id = '{unit}'",
                "department": lambda value: f"row.department = '{value}'",
                "created_since": lambda at: f"row.created_at >= '{at}'",
                "updated_since": lambda at: f"row.updated_at >= '{at}'",
            },
            {
                "q": TYPED,
                "status": [StatusFilter("ACTIVE")],
                "business_unit_id": company.units,
                "department": ["RH"],
                "created_since": times,
                "updated_since": times,
            },
            {},
            ordered={"updated_since": ("row.updated_at", "ASC"), "q": ("row.name_key", "ASC")},
        ),
        Case(
            PLACES,
            EnrollmentSearch,
            "enrollments",
            {
                "q": lambda q: _found(q, "row.user_id"),
                "unit": lambda unit: _of_unit(unit, "user_id"),
                "group": lambda group: _of_group(group, "user_id"),
                "user": lambda user: f"row.user_id = '{user}'",
                "course": lambda course: f"row.course_id = '{course}'",
                "status": _state,
            },
            {
                **own,
                "user": company.people[:5],
                "course": company.courses,
                "status": [
                    *("open", "not_started", "in_progress", "ending", "completed", "completed_this_month"),
                    *("expired", "to_review"),
                ],
            },
            {
                "created": ("row.created_at", "ASC"),
                "updated": ("row.updated_at", "ASC"),
                "-updated": ("row.updated_at", "DESC"),
                "-created": newest,
            },
            _courses_of,
            ordered={"ending": ("row.expires_at", "ASC"), "completed_this_month": ("row.updated_at", "DESC")},
        ),
        Case(
            ENROLLMENTS,
            EnrollmentQuery,
            "enrollments",
            {
                "user_id": lambda user: f"row.user_id = '{user}'",
                "course_id": lambda course: f"row.course_id = '{course}'",
                "status": lambda value: " OR ".join(f"({_state(each.lower())})" for each in value.items()),
                "completed_since": lambda at: f"row.completed_at >= '{at}'",
                "expires_before": lambda at: f"row.expires_at < '{at}'",
                "created_since": lambda at: f"row.created_at >= '{at}'",
                "updated_since": lambda at: f"row.updated_at >= '{at}'",
            },
            {
                "user_id": company.people[:5],
                "course_id": company.courses,
                "status": [States("COMPLETED"), States("EXPIRED"), States("NOT_STARTED,IN_PROGRESS")],
                "completed_since": times,
                "expires_before": times,
                "created_since": times,
                "updated_since": times,
            },
            {},
            ordered={
                "updated_since": ("row.updated_at", "ASC"),
                "completed_since": ("row.completed_at", "DESC"),
                "expires_before": ("row.expires_at", "ASC"),
            },
        ),
        Case(
            CERTIFICATES,
            CertificateSearch,
            "certificates",
            {
                "q": _certificate_typed,
                "user": lambda user: f"row.user_id = '{user}'",
                "course": lambda course: f"row.course_id = '{course}'",
                "status": _worth,
                "since": lambda day: f"(row.issued_at AT TIME ZONE 'America/Sao_Paulo')::date >= '{day}'",
                "until": lambda day: f"(row.issued_at AT TIME ZONE 'America/Sao_Paulo')::date <= '{day}'",
            },
            {
                "q": TYPED,
                "user": company.people[:5],
                "course": company.courses,
                "status": ["valid", "expiring", "expired", "renewal", "revoked", "failed"],
                "since": days,
                "until": days,
            },
            {"issued": ("row.issued_at", "ASC"), "-issued": ("row.issued_at", "DESC")},
            _courses_of,
            usual=("row.issued_at", "DESC"),
            ordered={
                "expiring": ("row.expires_at", "ASC"),
                "expired": ("row.expires_at", "DESC"),
                "renewal": ("row.expires_at", "DESC"),
                "revoked": newest,
                "failed": newest,
            },
        ),
        Case(
            RECORDS,
            AuditQuery,
            "audit_records",
            {
                "action": lambda value: f"row.action LIKE '{value}%'",
                "actor": lambda value: f"row.actor = '{value}'",
                "target_id": lambda value: f"row.target_id = '{value}'",
                "since": lambda at: f"row.created_at >= '{at}'",
                "until": lambda at: f"row.created_at < '{at}'",
                "search": _recorded,
            },
            {
                "search": ["ana", "maria", "Maria li", "user.", "updated", "192.0.2.1", "Altura", "a", "xyz"],
                "action": ["user.", "user.created", "enrollment", "x"],
                "actor": [str(each) for each in company.people[:3]],
                "target_id": company.people[:4],
                "since": times,
                "until": times,
            },
            {},
        ),
        Case(
            followers(company.path),
            FollowQuery,
            "learning_path_assignments",
            {"q": lambda q: _found(q, "row.user_id"), "show": _progress},
            {"q": TYPED, "show": ["open", "completed", "overdue", "problems"]},
            {},
            lambda reach: _people_of(reach, "user_id"),
            id="user_id",
            usual=("row.assigned_at", "DESC"),
        ),
        Case(
            BANK_QUESTIONS,
            BankQuery,
            "bank_questions",
            {
                "q": lambda q: f"row.text ILIKE '%{q}%'",
                "kind": lambda kind: f"row.kind = '{kind}'",
                "tag": lambda tag: (
                    "EXISTS (SELECT FROM bank_question_tags AS t WHERE t.tenant_id = :tenant "
                    f"AND t.question_id = row.id AND t.tag = '{tag}')"
                ),
                "difficulty": lambda band: f"row.difficulty IS NOT NULL AND {_BANDS[band]}",
                "state": lambda state: f"(row.archived_at IS NOT NULL) = {str(state == 'archived').lower()}",
            },
            {
                "q": ["pergunta", "1", "zz"],
                "kind": ["single", "voice"],
                "tag": ["a", "b", "none"],
                "difficulty": list(_BANDS),
                "state": ["active", "archived"],
            },
            {"created": ("row.created_at", "ASC"), "-created": ("row.created_at", "DESC")},
            lambda reach: "true",
            defaults={"state": "row.archived_at IS NULL"},
        ),
        Case(
            QUESTIONS,
            QuestionSearch,
            "learner_questions",
            {
                "state": lambda state: "true" if state == "all" else f"row.state = '{state.upper()}'",
                "course": lambda course: f"row.course_id = '{course}'",
            },
            {"state": ["waiting", "answered", "closed", "all"], "course": company.courses},
            {},
            lambda reach: f"row.course_id IN ({TAUGHT})" if reach.role == "instrutor" else "true",
            usual=("row.waiting_since", "ASC"),
            ordered={
                "answered": ("row.changed_at", "DESC"),
                "closed": ("row.changed_at", "DESC"),
                "all": newest,
            },
            defaults={"state": "row.state = 'WAITING'"},
            restrict=lambda reach: reach.user_id if reach.role == "instrutor" else None,
        ),
    ]


Asked = dict[str, Any]


def _order(case: Case, asked: Asked) -> tuple[str, str]:
    for name, order in case.ordered.items():
        if name in asked or name in asked.values():
            return order
    return case.sorts[asked["sort"]] if "sort" in asked else case.usual


async def _expected(company: Company, case: Case, asked: Asked, reach: Reach) -> dict[UUID, tuple[str, UUID]]:
    """Returns the rows that the naive query finds, with their sort keys."""
    where = [case.filters[name](value) for name, value in asked.items() if name != "sort"]
    where += [case.reach(reach)] if case.reach else []
    where += [condition for name, condition in case.defaults.items() if name not in asked]
    async with company.world.tx() as tx:
        rows = await tx.rows(
            f"""
            SELECT row.{case.id} AS id, {_order(case, asked)[0]} AS key FROM {case.table} AS row
            WHERE row.tenant_id = :tenant AND {" AND ".join(["true", *(f"({each})" for each in where)])}
              AND (CAST(:reach AS uuid) IS NULL OR true) AND CAST(:now AS timestamptz) IS NOT NULL
              AND CAST(:role AS text) IS NOT NULL
            """,
            reach=reach.user_id,
            role=reach.role,
        )
    return {row["id"]: (row["key"], row["id"]) for row in rows}


async def _walk(company: Company, case: Case, asked: Asked, reach: Reach, *, changes: bool) -> list[UUID]:
    """Reads all pages, each with a random size."""
    query = case.query(limit=company.random.choice([1, 2, 5, 20]), **asked)
    ids: list[UUID] = []
    for _ in range(2000):
        async with company.world.tx() as tx:
            page = await fetch_page(tx, case.list, query, case.restrict(reach))
        assert len(page.data) <= query.limit
        assert page.has_more == (page.next_cursor is not None)
        ids += [each.id for each in page.data]
        if not page.has_more:
            return ids
        if changes and company.random.random() < 0.1:
            await company.change()
        query = case.query(limit=company.random.choice([1, 2, 5, 20]), cursor=page.next_cursor, **asked)
    raise AssertionError("The pages have no end.")


def _ask(company: Company, case: Case) -> Asked:
    choose = company.random.choice
    names = company.random.sample(sorted(case.filters), min(len(case.filters), choose([0, 1, 1, 2, 2, 3])))
    names = [name for name in names if name in case.values]
    asked: Asked = {name: choose(case.values[name]) for name in names}
    if case.sorts:
        asked["sort"] = choose(sorted(case.sorts))
    return asked


@pytest.fixture(autouse=True)
def _all_enrollments_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit log searches only the newest enrollments of people with a matching name. Here, it searches
    all of them.
    """
    monkeypatch.setattr(audit_lists, "MAX_ENROLLMENTS", 10_000)


@pytest.fixture(params=[1, 7, 500])
def _small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowers the limits, so that a small company is read in each of the ways of a large one."""
    monkeypatch.setattr(narrowing, "MAX_IDS", request.param)
    if request.param < 500:
        monkeypatch.setattr(narrowing, "MAX_ROWS", 3 * request.param)
        monkeypatch.setattr(walking, "MAX_EXAMINED", 3 * request.param)
        monkeypatch.setattr(walking, "MAX_BRANCHES", request.param + 2)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    ("seed", "rounds"), [(0, 40), *(pytest.param(seed, 170, marks=pytest.mark.long) for seed in range(1, 41))]
)
async def test_a_list_shows_what_is_there_once_and_in_order(world: World, seed: int, rounds: int) -> None:
    company = Company(world, seed)
    await company.begin(40)
    for number in range(rounds):
        case = company.random.choice(_cases(company))
        asked, reach = _ask(company, case), company.random.choice(company.reaches)
        if not case.reach:
            reach = EVERYONE
        before = await _expected(company, case, asked, reach)
        shown = await _walk(company, case, asked, reach, changes=number % 2 == 0)
        after = await _expected(company, case, asked, reach)
        context = (number, case.list.name, asked, reach)
        stayed = {each for each in before if before[each] == after.get(each)}
        there = [each for each in shown if each in stayed]
        assert len(there) == len(set(there)), context
        assert set(there) == stayed, context
        assert set(shown) <= before.keys() | after.keys() or number % 2 == 0, context
        if not (("q" in asked) and _order(case, asked)[0] == "row.name_key"):
            in_order = sorted(stayed, key=before.__getitem__, reverse=_order(case, asked)[1] == "DESC")
            assert there == in_order, context


async def test_all_that_is_chosen_is_all_that_is_shown(world: World) -> None:
    """Checks every list with every pair of its filters."""
    company = Company(world, 1)
    await company.begin(40)
    for case in _cases(company):
        names = sorted(case.filters)
        for one in names:
            for other in names:
                asked = {name: company.random.choice(case.values[name]) for name in {one, other}}
                for reach in company.reaches if case.reach else [EVERYONE]:
                    shown = await _walk(company, case, asked, reach, changes=False)
                    async with world.tx() as tx:
                        chosen, _ = await list_ids(
                            tx, case.list, case.query(**asked), case.restrict(reach), limit=10_000
                        )
                    expected = await _expected(company, case, asked, reach)
                    assert shown == chosen, (case.list.name, asked, reach)
                    assert set(chosen) == expected.keys(), (case.list.name, asked, reach)
