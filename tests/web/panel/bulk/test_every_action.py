"""Every bulk action of every list changes exactly the rows that the list shows, and undoing it restores
exactly what they were.
"""

import httpx2
import pytest

from conftest import World
from trilha.web.panel.bulk.actions import list_actions
from web.panel.bulk import waiting
from web.panel.bulk.offices import Case, Office, Rows, find_changed, run_of
from web.panel.signing_in import send

_OPEN = "row.status <> 'COMPLETED'"
_WORD = """EXISTS (SELECT FROM users AS p, search_words(p.name, p.email, p.employee_number) AS w (word)
    WHERE p.id = row.{} AND starts_with(w.word, '{}'))"""
_NAMED = _WORD.format("user_id", "maria")
_PLACES = {
    "q": ("maria", _NAMED),
    "course": ("{course}", "row.course_id = '{course}'"),
    "status": ("in_progress", "row.status = 'IN_PROGRESS' AND (row.expires_at > :now) IS NOT FALSE"),
}
_PEOPLE = {
    "q": ("ana", _WORD.format("id", "ana")),
    "role": ("learner", "row.role = 'learner'"),
    "status": ("SUSPENDED", "row.status = 'SUSPENDED'"),
}
_NO_COURSE = """row.status = 'ACTIVE' AND NOT EXISTS (
    SELECT FROM all_enrollments AS e WHERE e.user_id = row.id AND e.course_id = '{course}'
      AND e.current AND e.cancelled_at IS NULL AND e.status <> 'EXPIRED'
      AND (e.status = 'COMPLETED' OR (e.expires_at > :now) IS NOT FALSE))"""
_MEMBER = "(SELECT user_id FROM learning_group_members WHERE group_id = '{group}')"
_ENROLLMENTS = ("all_enrollments",)


def _enrollment(action: str, **members: object) -> Case:
    return Case(
        action=action,
        path="/admin/enrollments",
        table="all_enrollments",
        always="row.cancelled_at IS NULL",
        filters=_PLACES,
        tables=_ENROLLMENTS,
        prepare=waiting.keep_one_enrollment,
        **members,  # type: ignore[arg-type]
    )


def _person(action: str, **members: object) -> Case:
    return Case(action=action, path="/admin/people", table="users", filters=_PEOPLE, **members)  # type: ignore[arg-type]


_ALONE = """NOT EXISTS (
    SELECT FROM all_enrollments AS other WHERE other.user_id = row.user_id
      AND other.course_id = row.course_id AND other.current AND other.id <> row.id)"""
_ELIGIBLE = f"""({_ALONE} AND (
    (row.status <> 'EXPIRED' AND (row.expires_at > :now) IS NOT FALSE) OR
    (EXISTS (SELECT FROM users AS p WHERE p.id = row.user_id AND p.status = 'ACTIVE') AND row.course_id
        NOT IN (SELECT id FROM courses WHERE regulation IS NOT NULL))))"""
_REMINDABLE = """(
    EXISTS (SELECT FROM users AS p WHERE p.id = {0} AND p.status = 'ACTIVE') AND NOT EXISTS (
        SELECT FROM reminders AS r WHERE r.user_id = {0} AND r.kind = 'manual'))"""
_LATE_OR_DUE = """EXISTS (
    SELECT FROM requirement_people AS s JOIN all_enrollments AS e ON e.id = s.enrollment_id
    WHERE s.user_id = row.{} AND {} AND s.state NOT IN ('VALID', 'EXCUSED') AND e.status <> 'COMPLETED'
      AND e.cancelled_at IS NULL)"""
CASES = [
    _enrollment(
        "enrollments/extend",
        eligible=f"{_OPEN} AND row.expires_at IS NOT NULL AND {_ELIGIBLE}",
        options={"days": "15"},
    ),
    _enrollment(
        "enrollments/set-due-date", eligible=f"{_OPEN} AND {_ELIGIBLE}", options={"day": "2099-01-31"}
    ),
    _enrollment("enrollments/cancel", eligible=_OPEN),
    Case(
        action="enrollments/remind",
        path="/admin/enrollments",
        table="all_enrollments",
        always="row.cancelled_at IS NULL",
        eligible=f"{_OPEN} AND {_REMINDABLE.format('row.user_id')}",
        options={"text": "Vamos?"},
        filters=_PLACES,
        tables=["reminders"],
        target="enrollment_id",
        prepare=waiting.keep_one_enrollment,
    ),
    _person("people/suspend", eligible="row.status = 'ACTIVE' AND row.role <> 'admin'", tables=["users"]),
    _person("people/reactivate", eligible="row.status = 'SUSPENDED'", tables=["users"]),
    _person(
        "people/enroll",
        eligible=_NO_COURSE,
        options={"course_id": "{course}"},
        tables=["all_enrollments"],
        target="user_id",
        prepare=waiting.expire_enrollments,
    ),
    _person(
        "people/add-to-group",
        eligible=f"row.status = 'ACTIVE' AND row.id NOT IN {_MEMBER}",
        options={"group_id": "{group}"},
        tables=["learning_group_members"],
        target="user_id",
    ),
    _person(
        "people/assign-path",
        eligible="""row.status = 'ACTIVE' AND NOT EXISTS (
            SELECT FROM learning_path_assignments AS a WHERE a.path_id = '{path}' AND a.user_id = row.id)""",
        options={"path_id": "{path}"},
        tables=["learning_path_assignments"],
        target="user_id",
        prepare=waiting.publish_path,
    ),
    _person(
        "people/invite",
        eligible="row.status = 'ACTIVE' AND row.password_hash IS NULL AND NOT row.invitation_due",
        tables=["users"],
        prepare=waiting.forget_invitations,
    ),
    Case(
        action="groups/remove",
        path="/admin/groups/{group}",
        table="users",
        always=f"row.id IN {_MEMBER}",
        filters={"q": _PEOPLE["q"]},
        tables=["learning_group_members"],
        target="user_id",
    ),
    Case(
        action="groups/delete",
        path="/admin/groups",
        table="learning_groups",
        filters={"q": ("tur", "row.name ILIKE 'tur%'")},
        tables=["learning_groups"],
        prepare=waiting.make_groups,
    ),
    Case(
        action="courses/publish",
        path="/admin/courses",
        table="courses",
        eligible="row.status <> 'PUBLISHED' AND EXISTS (SELECT FROM modules WHERE course_id = row.id)",
        filters={"status": ("DRAFT", "row.status = 'DRAFT'"), "q": ("s", "row.title ILIKE '%s%'")},
        tables=["courses"],
        prepare=waiting.make_courses,
    ),
    Case(
        action="courses/archive",
        path="/admin/courses",
        table="courses",
        eligible="row.status = 'PUBLISHED'",
        filters={"q": ("altura", "row.title ILIKE '%altura%'")},
        tables=["courses"],
    ),
    Case(
        action="courses/add-tag",
        path="/admin/courses",
        table="courses",
        eligible="NOT ('nova' = ANY(row.tags))",
        options={"tag": "nova"},
        filters={"status": ("PUBLISHED", "row.status = 'PUBLISHED'")},
        tables=["courses"],
        prepare=waiting.make_courses,
    ),
    Case(
        action="paths/publish",
        path="/admin/paths",
        table="learning_paths",
        eligible="row.status <> 'PUBLISHED' AND row.title LIKE 'Trilha%'",
        filters={"q": ("trilha 1", "row.title ILIKE '%trilha 1%'")},
        tables=["learning_paths"],
        prepare=waiting.make_paths,
    ),
    Case(
        action="paths/archive",
        path="/admin/paths",
        table="learning_paths",
        eligible="row.status = 'PUBLISHED'",
        filters={"status": ("PUBLISHED", "row.status = 'PUBLISHED'")},
        tables=["learning_paths"],
        prepare=waiting.publish_paths,
    ),
    Case(
        action="paths/withdraw",
        path="/admin/paths/{path}/people",
        table="learning_path_assignments",
        id="user_id",
        always="row.path_id = '{path}'",
        filters={"q": ("maria", _NAMED), "show": ("completed", "row.completed_at IS NOT NULL")},
        tables=["learning_path_assignments"],
        target="user_id",
    ),
    Case(
        action="requests/approve",
        path="/admin/enrollments/requests",
        table="enrollment_requests",
        always="row.status = 'WAITING'",
        tables=["enrollment_requests"],
        prepare=waiting.ask_for_enrollment,
    ),
    Case(
        action="requests/reject",
        path="/admin/enrollments/requests",
        table="enrollment_requests",
        always="row.status = 'WAITING'",
        options={"reason": "Sem vagas"},
        tables=["enrollment_requests"],
        prepare=waiting.ask_for_enrollment,
    ),
    Case(
        action="extensions/grant",
        path="/admin/enrollments/extensions",
        table="extension_requests",
        id="enrollment_id",
        always="row.granted IS NULL",
        options={"days": "15"},
        tables=["extension_requests"],
        target="enrollment_id",
        prepare=waiting.ask_for_time,
    ),
    Case(
        action="extensions/refuse",
        path="/admin/enrollments/extensions",
        table="extension_requests",
        id="enrollment_id",
        always="row.granted IS NULL",
        tables=["extension_requests"],
        target="enrollment_id",
        prepare=waiting.ask_for_time,
    ),
    Case(
        action="external-certificates/accept",
        path="/admin/external-certificates",
        table="external_certificates",
        always="row.accepted IS NULL",
        tables=["external_certificates"],
        prepare=waiting.upload_certificates,
    ),
    Case(
        action="learner-questions/close",
        path="/admin/learner-questions",
        table="learner_questions",
        eligible="row.state <> 'CLOSED'",
        filters={
            "course": ("{course}", "row.course_id = '{course}'"),
            "state": ("answered", "row.state = 'ANSWERED'"),
        },
        always="true",
        tables=["learner_questions"],
    ),
    Case(
        action="requirements/extend",
        path="/admin/requirements/{requirement}",
        table="requirement_people",
        id="user_id",
        always="row.requirement_id = '{requirement}'",
        options={"days": "15"},
        filters={"q": ("maria", _NAMED)},
        tables=["requirement_extensions"],
        target="user_id",
        prepare=waiting.require_course,
    ),
    Case(
        action="requirements/remind",
        path="/admin/requirements/{requirement}",
        table="requirement_people",
        id="user_id",
        always="row.requirement_id = '{requirement}'",
        eligible=f"""{_LATE_OR_DUE.format("user_id", "s.requirement_id = row.requirement_id")}
            AND {_REMINDABLE.format("row.user_id")}""",
        filters={"q": ("maria", _NAMED)},
        tables=["reminders"],
        target="user_id",
        prepare=waiting.require_course,
    ),
    Case(
        action="matrix/remind",
        path="/admin/requirements/matrix",
        table="users",
        always="EXISTS (SELECT FROM requirement_people AS s WHERE s.user_id = row.id)",
        eligible=f"{_LATE_OR_DUE.format('id', 'true')} AND {_REMINDABLE.format('row.id')}",
        filters={"q": _PEOPLE["q"]},
        tables=["reminders"],
        target="user_id",
        prepare=waiting.require_course,
    ),
    Case(
        action="deliveries/retry",
        path="/admin/webhooks/{webhook}",
        table="webhook_deliveries",
        eligible="row.status = 'DEAD_LETTER'",
        filters={"status": ("DEAD_LETTER", "row.status = 'DEAD_LETTER'")},
        tables=["webhook_deliveries"],
        prepare=waiting.deliver,
    ),
    Case(
        action="api-keys/revoke",
        path="/admin/api-keys",
        table="api_keys",
        eligible="row.revoked_at IS NULL",
        filters={"q": ("rh", "row.name ILIKE '%rh%'"), "state": ("live", "row.revoked_at IS NULL")},
        tables=["api_keys"],
        prepare=waiting.make_keys,
    ),
    Case(
        action="oauth-clients/disable",
        path="/admin/oauth-clients",
        table="oauth_clients",
        eligible="row.disabled_at IS NULL",
        filters={"q": ("rh", "row.name ILIKE '%rh%'")},
        tables=["oauth_clients"],
        prepare=waiting.make_clients,
    ),
]


def test_every_action_is_held_to_the_oracle() -> None:
    assert {each.name for each in list_actions()} == {case.action for case in CASES}
    assert len({case.action for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.action)
async def test_an_action_changes_what_the_list_shows(world: World, case: Case) -> None:
    office = await Office.open(world, 3)
    if case.prepare:
        await case.prepare(office)
    path = case.path.format(**office.names)
    for name in [*case.filters, ""]:  # all rows last
        value, condition = case.filters.get(name, ("", "true"))
        if case.action == "learner-questions/close" and not name:
            name, value, condition = "state", "all", "true"
        filters = {name: value.format(**office.names)} if name else {}
        where = " AND ".join(f"({each.format(**office.names)})" for each in (case.always, condition))
        eligible = case.eligible.format(**office.names)
        naive = f"""
            SELECT row.{case.id} FROM {case.table} AS row
            WHERE row.tenant_id = :tenant AND {where} AND {{}} AND CAST(:now AS timestamptz) IS NOT NULL"""
        matching = await office.rows(naive.format("true"))
        expected = await office.rows(naive.format(eligible))
        shown, hidden = await office.shown(path, filters)
        if name != "course" or case.path != "/admin/learner-questions":
            assert set(shown) == matching, (case.action, filters)
        else:
            expected &= set(shown)  # without a state, the list shows the questions that wait
        if not shown:
            continue
        address = f"{path}/bulk/{case.action.rpartition('/')[2]}"
        page, fields = await office.ask(address, all="true", **hidden)
        if not fields:
            assert not expected, page
            continue
        assert int(fields["count"]) == len(shown)
        before = await office.snapshot(case.tables)
        options = {key: text.format(**office.names) for key, text in case.options.items()}
        action = next(each for each in list_actions() if each.name == case.action)
        if action.is_held:
            await _undo_in_time(office, address, fields | options, before, case)
            _, fields = await office.ask(address, all="true", **hidden)
        answer = await send(office.admin, address, **fields, **options)
        assert answer.status_code == 303, (case.action, fields)
        if action.is_held:
            office.world.clock.move(seconds=80)
        await waiting.settle(office)
        after = await office.snapshot(case.tables)
        assert find_changed(before, after, case.target) == expected, (case.action, filters)
        if not action.is_held:
            await _undo(office, case, answer, before, expected)


async def _undo(
    office: Office, case: Case, answer: httpx2.Response, before: Rows, expected: set[str]
) -> None:
    """Undoing restores exactly what the rows were, if it is offered."""
    action = next(each for each in list_actions() if each.name == case.action)
    run = run_of(answer)
    assert (run is not None) == (action.can_be_undone and bool(expected))
    if run is None:
        return
    assert (await send(office.admin, f"/admin/bulk-actions/{run}/undo")).status_code == 303
    await waiting.settle(office)
    undone = await office.snapshot(case.tables)
    if case.action == "people/enroll":  # the new enrollments are cancelled, and those before are as they were
        undone = {key: row for key, row in undone.items() if key in before}
    assert undone == before, case.action


async def _undo_in_time(
    office: Office, address: str, fields: dict[str, str], before: Rows, case: Case
) -> None:
    """A held action changes nothing while it can be undone, and nothing afterwards if it was."""
    run = run_of(await send(office.admin, address, **fields))
    assert run is not None
    office.world.clock.move(seconds=70)
    await waiting.work(office)
    assert await office.snapshot(case.tables) == before
    assert (await send(office.admin, f"/admin/bulk-actions/{run}/undo")).status_code == 303
    office.world.clock.move(seconds=80)
    await waiting.settle(office)
    assert await office.snapshot(case.tables) == before, case.action
