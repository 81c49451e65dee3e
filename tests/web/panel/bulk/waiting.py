"""What a company needs before some bulk actions have anything to do."""

from typing import Any
from uuid import uuid4

from trilha.access.api_keys import actions as api_keys
from trilha.access.oauth import actions as oauth
from trilha.platform.bulk_actions.jobs import BEGIN_HELD
from trilha.training.enrollments.jobs import EXPIRE
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.jobs import ROLL_OUT
from trilha.training.requirements.jobs import JOBS
from trilha.web.panel.bulk.jobs import run_next

Office = Any


async def settle(office: Office) -> None:
    """Lets the worker finish what an action has begun."""
    await work(office)
    await ROLL_OUT.run_in(office.world.database, office.world.tenant.id)


async def expire_enrollments(office: Office) -> None:
    """Lets the worker expire what is past its time, as enrolling the person again would do."""
    while await EXPIRE.run_in(office.world.database, office.world.tenant.id):
        pass


async def work(office: Office) -> None:
    """Lets the worker do what bulk actions have left to do."""
    database, tenant_id = office.world.database, office.world.tenant.id
    await BEGIN_HELD.run_in(database, tenant_id)
    while await run_next(database, tenant_id):
        pass


async def keep_one_enrollment(office: Office) -> None:
    """Cancels all but one of a person's enrollments in a course: only one of several could be reopened."""
    async with office.world.tx() as tx:
        await tx.execute(
            """
            UPDATE all_enrollments AS e SET cancelled_at = :now, current = NULL
            WHERE tenant_id = :tenant AND status <> 'COMPLETED' AND cancelled_at IS NULL AND EXISTS (
                SELECT FROM all_enrollments AS other WHERE other.tenant_id = :tenant
                  AND other.user_id = e.user_id AND other.course_id = e.course_id
                  AND other.cancelled_at IS NULL
                  AND (COALESCE(other.current, false), other.id) > (COALESCE(e.current, false), e.id))
            """
        )


async def publish_path(office: Office) -> None:
    async with office.world.tx() as tx:
        await tx.execute("DELETE FROM learning_path_assignments WHERE tenant_id = :tenant")
        await paths.set_courses(tx, office.company.path, [office.company.courses[1]])
        await paths.publish(tx, office.company.path)


async def forget_invitations(office: Office) -> None:
    """Makes everybody's invitation a sent one, so that a new one can be seen."""
    async with office.world.tx() as tx:
        await tx.execute("UPDATE users SET invitation_due = false WHERE tenant_id = :tenant")


async def make_groups(office: Office) -> None:
    async with office.world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO learning_groups (tenant_id, name, created_at, updated_at)
            SELECT :tenant, name, :now, :now FROM unnest(ARRAY['Turma A', 'Turma B', 'Outra']) AS name
            RETURNING tenant_id
            """
        )


async def make_courses(office: Office) -> None:
    for title in ("Segurança", "Sinalização", "Primeiros socorros"):
        await office.world.course(title=title, publish=False)
    async with office.world.tx() as tx:
        await tx.execute(
            """
            UPDATE courses SET tags = '{nova}'
            WHERE tenant_id = :tenant AND title IN ('Altura Maria', 'Silva')
            """
        )


async def make_paths(office: Office) -> None:
    async with office.world.tx() as tx:
        for number in range(3):
            path = uuid4()
            await tx.execute(
                """
                INSERT INTO learning_paths (tenant_id, id, title, slug, created_at, updated_at)
                VALUES (:tenant, :path, :title, :slug, :now, :now)
                """,
                path=path,
                title=f"Trilha {number}",
                slug=f"trilha-{number}",
            )
            await paths.set_courses(tx, path, [office.company.courses[0]])


async def publish_paths(office: Office) -> None:
    await make_paths(office)
    async with office.world.tx() as tx:
        await tx.execute(
            "UPDATE learning_paths SET status = 'PUBLISHED' WHERE tenant_id = :tenant AND slug LIKE 'trilha%'"
        )


async def ask_for_enrollment(office: Office) -> None:
    course = await office.world.course(title="NR-35", self_enrollment="APPROVAL")
    async with office.world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO enrollment_requests (tenant_id, user_id, course_id, status, created_at, updated_at)
            SELECT :tenant, id, :course, 'WAITING', created_at, created_at FROM users
            WHERE tenant_id = :tenant AND status = 'ACTIVE' RETURNING tenant_id
            """,
            course=course,
        )


async def ask_for_time(office: Office) -> None:
    """Lets people ask whose expired enrollment could be reopened."""
    async with office.world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO extension_requests (tenant_id, enrollment_id, user_id, created_at)
            SELECT DISTINCT ON (e.user_id, e.course_id) :tenant, e.id, e.user_id, CAST(:now AS timestamptz)
            FROM enrollments AS e JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
            WHERE e.tenant_id = :tenant AND e.status = 'EXPIRED' AND u.status = 'ACTIVE'
              AND e.course_id = ANY(:courses) AND NOT EXISTS (
                SELECT FROM enrollments AS other WHERE other.tenant_id = :tenant
                  AND other.user_id = e.user_id AND other.course_id = e.course_id AND other.current)
            RETURNING tenant_id
            """,
            courses=[office.company.courses[1], office.company.courses[3]],
        )


async def upload_certificates(office: Office) -> None:
    async with office.world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO external_certificates (tenant_id, id, user_id, course_id, completed_on, issuer,
                                               media_type, content, created_at)
            SELECT :tenant, gen_random_uuid(), u.id, :course, DATE '2026-01-02', 'Escola', 'application/pdf',
                   'x'::bytea, u.created_at
            FROM users AS u WHERE u.tenant_id = :tenant AND NOT EXISTS (
                SELECT FROM all_enrollments AS e WHERE e.user_id = u.id AND e.course_id = :course)
            RETURNING tenant_id
            """,
            course=office.company.courses[3],
        )


async def require_course(office: Office) -> None:
    body = {"title": "NR-35", "rule": {"all": []}, "course_id": office.names["course"], "due_days": 30}
    answer = await office.world.http.post("/v1/requirements", json=body)
    assert answer.is_success, answer.text
    office.names["requirement"] = answer.json()["data"]["id"]
    for _ in range(3):
        for job in JOBS:
            await job.run_in(office.world.database, office.world.tenant.id)


async def deliver(office: Office) -> None:
    new = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = (await office.world.http.post("/v1/webhooks", json=new)).json()["data"]["id"]
    office.names["webhook"] = webhook
    for _ in range(4):
        await office.world.http.post(f"/v1/webhooks/{webhook}/test")
    async with office.world.tx() as tx:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET status = 'DEAD_LETTER', next_attempt_at = NULL
            WHERE tenant_id = :tenant
            """
        )


async def make_keys(office: Office) -> None:
    for name in ("RH", "BI", "RH novo"):
        async with office.world.tx() as tx:
            await api_keys.create(tx, name, ["users:read"], prefix="trl_live_")


async def make_clients(office: Office) -> None:
    async with office.world.tx() as tx:
        for name in ("RH", "BI"):
            await oauth.create(tx, name, ["users:read"])
