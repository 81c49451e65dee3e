"""Erasing a person: nothing identifies them anymore, and their training still counts."""

from typing import Any
from uuid import UUID

import asyncpg
import pyotp
import pytest

from conftest import CNH, CPF, PHONE, World
from training.learning.learners import learner
from trilha.access.sessions import email_change_queries
from trilha.app import PERSONAL_DATA
from trilha.core.errors import NotFound
from trilha.core.types import Email, Name
from trilha.people.learning_groups import actions as learning_groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users import actions as users
from trilha.people.users.schema import UserPatch
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.training.calendar_feeds import actions as calendar_feeds
from trilha.training.calendar_feeds.schema import KINDS
from trilha.training.learning.evidence import verification
from trilha.training.learning.launches import heartbeats

EMAIL, NAME = "zoe.quintela@example.com", "Zoé Quintela"
CLEAR = {
    "department": "Frota Norte",
    "job_title": "Carreteira",
    "employee_number": "ZQ-7781",
    "hire_date": "1987-03-21",
}
# The columns that stay: keys, earned values, and timestamps of the row.
KEPT = {
    "break_glass",
    "address_unconfirmed",  # inactive people cannot sign in
    "cpf_unmarked",
    "tenant_id",
    "id",
    "role",
    "status",
    "xp",
    "level",
    "created_at",
    "updated_at",
    "erased_at",
}


async def person(world: World) -> dict[str, Any]:
    cnh = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}
    return await world.user(
        email=EMAIL, name=NAME, cpf=CPF, phone=PHONE, birth_date="1990-05-17", cnh=cnh, **CLEAR
    )


async def erase(world: World, user_id: str) -> None:
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user_id))


async def row(world: World, user_id: str) -> dict[str, Any]:
    async with world.tx() as tx:
        (found,) = await tx.rows(
            "SELECT * FROM users WHERE tenant_id = :tenant AND id = :id", id=UUID(user_id)
        )
    return dict(found)


async def test_every_column_of_the_person_is_overwritten(world: World) -> None:
    """A new column must be overwritten, or be listed among those that stay."""
    user = await person(world)
    async with world.tx() as tx:
        await tx.execute(
            r"""
            WITH unit AS (
                INSERT INTO business_units (tenant_id, id, name, created_at, updated_at)
                VALUES (:tenant, :id, 'Unit', :now, :now))
            UPDATE users SET business_unit_id = :id, last_login_at = :now, xp = 120,
                   must_change_password = true, invitation_due = true,
                   invitation_limited = true, email_changed_at = :now, cpf_shared = true, locale = 'en',
                   custom_fields = '{"pis": "***"}', custom_fields_sealed = '\x01'
            WHERE tenant_id = :tenant AND id = :id
            """,
            id=UUID(user["id"]),
        )
    before = await row(world, user["id"])
    world.clock.move(minutes=1)
    await erase(world, user["id"])
    after = await row(world, user["id"])
    assert {name for name in after if after[name] == before[name]} <= KEPT
    assert {name for name in before if before[name] is None} <= KEPT, "give each column a value above"
    assert (after["status"], after["xp"], after["role"]) == ("INACTIVE", 120, "learner")


async def sign_in(world: World, user_id: str) -> None:
    """Creates a row in every table of sessions, and e-mails."""
    client = world.client(address="203.0.113.77")
    client.headers |= {"sec-fetch-site": "same-origin", "user-agent": "Quintela/1.0"}
    login = {"tenant_slug": world.tenant.slug, "email": EMAIL}
    answer = await client.post("/api/auth/login", json=login | {"password": "correct horse"})
    assert answer.status_code == 200, answer.text
    made = (await client.post("/api/auth/authenticator")).json()
    code = {"code": pyotp.TOTP(made["secret"]).at(world.clock.now)}
    assert (await client.post("/api/auth/authenticator/confirm", json=code)).status_code == 200
    assert (await client.post("/api/auth/password-reset", json=login)).status_code == 204
    async with world.tx() as tx:
        await tx.execute(
            """
            WITH challenges AS (
                INSERT INTO passkey_challenges (tenant_id, digest, purpose, user_id, binding, expires_at)
                VALUES (:tenant, '', 'REGISTRATION', :id, '', :now))
            INSERT INTO passkeys (tenant_id, user_id, name, credential_id, public_key, sign_count, may_sync,
                                  is_synced, created_at)
            VALUES (:tenant, :id, 'Quintela', '\\x01', '\\x01', 0, false, false, :now)
            """,
            id=UUID(user_id),
        )


async def belong(world: World, user_id: str) -> None:
    """Adds the person to a group, to a course as a teacher, and to the report of an import."""
    async with world.tx() as tx:
        group = await learning_groups.create(tx, NewLearningGroup(name=Name("Frota")))
        await learning_groups.add_members(tx, group.id, [UUID(user_id)])
        await tx.execute(
            """
            WITH taught AS (
                INSERT INTO courses (tenant_id, title, slug, status, created_at, updated_at)
                VALUES (:tenant, 'Curso', :slug, 'PUBLISHED', :now, :now) RETURNING id),
            teachers AS (
                INSERT INTO course_teachers (tenant_id, course_id, user_id)
                SELECT :tenant, id, :user_id FROM taught),
            started AS (
                INSERT INTO imports (tenant_id, file_name, dry_run, mapping, dialect, rows, actor_kind, actor,
                                     source, created_at)
                VALUES (:tenant, 'x.csv', true, '{}', '{}', 0, '', '', '', :now) RETURNING id)
            INSERT INTO import_problems (tenant_id, import_id, line, number, "column", code, message, value)
            SELECT :tenant, id, line, number, '', '', '', value
            FROM started, unnest(ARRAY[2, 2, 3], ARRAY[0, 1, 0],
                                 ARRAY['ZOE QUINTELA', 'Carreteira', 'Ana Lima']) AS _ (line, number, value)
            """,
            slug=f"c-{user_id}",
            user_id=UUID(user_id),
        )


# Tables with rows of a person, which are empty after the erasure.
OWN_ROWS = (
    *("sessions", "authenticators", "recovery_codes", "password_resets", "email_changes"),
    *("calendar_feeds", "company_feeds", "passkeys", "passkey_challenges"),
    *("learning_group_members", "course_teachers"),
)


async def count(world: World, table: str, user_id: str) -> int:
    async with world.tx() as tx:
        found: int = await tx.value(
            f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant AND user_id = :id", id=UUID(user_id)
        )
    return found


async def test_how_a_person_signed_in_and_where_they_belonged_is_gone(world: World) -> None:
    user = await person(world)
    await sign_in(world, user["id"])
    await belong(world, user["id"])
    other = (await world.user())["id"]
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO password_resets
                (tenant_id, user_id, purpose, email, fingerprint, expires_at, created_at)
            VALUES (:tenant, :id, 'reset', '', '', :now, :now)
            """,
            id=UUID(other),
        )
        for kind in KINDS:
            await calendar_feeds.create(tx, UUID(user["id"]), kind)
        token = tx.keyring.fingerprint("x")
        await email_change_queries.put(tx, UUID(user["id"]), "a@example.com", "b@example.com", token)
    assert all([await count(world, table, user["id"]) for table in OWN_ROWS])
    await erase(world, user["id"])
    assert [await count(world, table, user["id"]) for table in OWN_ROWS] == [0] * len(OWN_ROWS)
    assert await count(world, "password_resets", other) == 1
    async with world.tx() as tx:
        mails = await tx.value("SELECT count(*) FROM mail_messages WHERE tenant_id = :tenant")
        problems = await tx.rows(
            "SELECT value FROM import_problems WHERE tenant_id = :tenant ORDER BY line, number"
        )
    assert mails == 0
    # The whole line was about the person. The line about another one stays.
    assert [each["value"] for each in problems] == ["", "", "Ana Lima"]


async def test_mail_to_an_earlier_address_goes_too(world: World) -> None:
    user, other = await world.user(password="correct horse"), await world.user(password="correct horse")
    for each in (user, other):
        login = {"tenant_slug": world.tenant.slug, "email": each["email"], "password": "correct horse"}
        assert (await world.client().post("/api/auth/login", json=login)).status_code == 200
    async with world.tx() as tx:
        await users.update(tx, UUID(user["id"]), UserPatch(email=Email("new@example.com")))
    await erase(world, user["id"])
    async with world.tx() as tx:
        left = await tx.rows("SELECT to_email FROM mail_messages WHERE tenant_id = :tenant")
    assert [each["to_email"] for each in left] == [other["email"]]


async def test_nothing_tells_who_it_was_in_any_table(world: World, admin_url: str) -> None:
    user = await person(world)
    await world.enrollment(user_id=user["id"])
    await sign_in(world, user["id"])
    await belong(world, user["id"])
    await world.http.patch(f"/v1/users/{user['id']}", json={"job_title": "Motorista ZQ", "cpf": None})
    await erase(world, user["id"])
    owner = await asyncpg.connect(admin_url)
    tables = await owner.fetch(
        """
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
        """
    )
    lines = []
    for each in tables:
        sql = f"SELECT t::text AS line FROM {each['relname']} t WHERE tenant_id = $1"
        lines += [found["line"] for found in await owner.fetch(sql, world.tenant.id)]
    await owner.close()
    text = "\n".join(lines)
    assert user["id"] in text
    for word in (EMAIL, "Quintela", *CLEAR.values(), "Motorista ZQ", "*-25", "**21", "*09"):
        assert word not in text, word


async def test_how_a_person_was_online_is_gone_and_the_log_still_holds(world: World) -> None:
    ana, other = await learner(world), await learner(world)
    for each in (ana, other):
        player = await each.launch()
        call = {"name": "LMSGetValue", "element": "cmi.core.student_name", "result": "Lima, Ana"}
        async with world.tx() as tx:
            await heartbeats.record_trace(tx, player.launched.launch_id, [call])
    await erase(world, str(ana.user_id))
    async with world.tx() as tx:
        launches = await tx.rows(
            """
            SELECT l.enrollment_id, l.source, l.agent, t.calls FROM launches l
            LEFT JOIN launch_traces t ON t.tenant_id = :tenant AND t.launch_id = l.id
            WHERE l.tenant_id = :tenant
            """
        )
        found = await verification.verify(tx, ana.id)
    left = {each["enrollment_id"]: (each["source"], each["agent"], each["calls"]) for each in launches}
    assert left == {ana.id: ("", "", None), other.id: ("127.0.0.1", "Firefox", [call])}
    assert (found.entries, found.problem) == (1, "")


async def test_what_was_learnt_stays(world: World) -> None:
    user = await person(world)
    enrollment = await world.enrollment(user_id=user["id"])
    before = (await world.http.get(f"/v1/courses/{enrollment['course_id']}/stats")).json()
    await erase(world, user["id"])
    assert (await world.http.get(f"/v1/enrollments/{enrollment['id']}")).json()["data"] == enrollment
    assert (await world.http.get(f"/v1/courses/{enrollment['course_id']}/stats")).json() == before


async def test_events_that_are_stored_or_still_to_be_sent_tell_nothing(world: World) -> None:
    user, other = await person(world), await world.user()
    for each in (user, other):
        await world.http.patch(f"/v1/users/{each['id']}", json={"department": "Norte"})
    await erase(world, user["id"])
    told = await world.events("user.updated")
    assert sorted(data["changed"] for _, data in told) == [[], ["department"]]
    assert await world.events("user.deleted") == [("user.deleted", {"user_id": user["id"]})]


async def test_answers_of_receivers_are_scrubbed(world: World) -> None:
    user, other = await person(world), await world.user()
    body = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, status, attempt_log,
                                            created_at, updated_at)
            SELECT :tenant, :webhook, id, type, 'DELIVERED',
                   '[{"number": 1, "http_status": 500, "response_body": "Zoé"},
                     {"number": 2, "http_status": 200, "response_body": "Quintela"}]', :now, :now
            FROM events WHERE tenant_id = :tenant AND type = 'user.created'
            RETURNING tenant_id
            """,
            webhook=UUID(webhook["id"]),
        )
    await erase(world, user["id"])
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT e.data ->> 'user_id' AS user_id, d.attempt_log FROM webhook_deliveries d
            JOIN events e ON e.id = d.event_id WHERE d.tenant_id = :tenant AND e.tenant_id = :tenant
            """
        )
    logs = {each["user_id"]: each["attempt_log"] for each in rows}
    assert [(each["number"], each["response_body"]) for each in logs[user["id"]]] == [(1, None), (2, None)]
    assert [each["response_body"] for each in logs[other["id"]]] == ["Zoé", "Quintela"]


async def test_the_record_keeps_the_fact_and_no_name(world: World) -> None:
    user = await person(world)
    await sign_in(world, user["id"])
    await erase(world, user["id"])
    async with world.tx() as tx:
        told = (await audit.list_page(tx, AuditQuery(target_id=UUID(user["id"])))).data
    assert {each.action for each in told} == {
        *("user.created", "user.deleted", "user.second_factor_on"),
        "session.started",
    }
    assert {each.target_name for each in told} == {"[erased]"}


async def test_it_is_for_good(world: World) -> None:
    user = await person(world)
    path = f"/v1/users/{user['id']}"
    await erase(world, user["id"])
    answers = [
        await world.http.patch(path, json={"name": NAME}),
        await world.http.post(f"{path}/reactivate"),
        await world.http.post(f"{path}/suspend"),
    ]
    codes = [(each.status_code, each.json()["error"]["code"]) for each in answers]
    assert codes == [(409, "user_erased"), (409, "user_inactive"), (409, "user_inactive")]
    back = "UPDATE users SET status = 'ACTIVE' WHERE tenant_id = :tenant AND id = :id"
    with pytest.raises(asyncpg.CheckViolationError):
        async with world.tx() as tx:
            await tx.execute(back, id=UUID(user["id"]))
    before = await row(world, user["id"])
    world.clock.move(minutes=1)
    await erase(world, user["id"])
    assert await row(world, user["id"]) == before
    assert len(await world.events("user.deleted")) == 1


async def test_the_address_is_free_again(world: World) -> None:
    user = await person(world)
    await erase(world, user["id"])
    assert (await person(world))["id"] != user["id"]


async def test_of_another_tenant_nobody_is_erased(world: World, stranger: World) -> None:
    user = await person(stranger)
    with pytest.raises(NotFound):
        await erase(world, user["id"])
    assert (await row(stranger, user["id"]))["name"] == NAME
