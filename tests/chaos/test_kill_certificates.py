"""Kills the worker while it issues certificates of earlier completions and notifies their holders. Each
certificate and message is made once.
"""

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import psutil
import pytest

from running import Running, running, wait_until
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.training.certificates import actions

COURSE = "title: Um\nslug: um\nmodules:\n  - {title: A, duration_minutes: 5}\n"
PEOPLE, EARLIER = 900, 100


@pytest.mark.parametrize("kills", [3, pytest.param(8, marks=pytest.mark.long)])
def test_nobody_is_told_twice_or_passed_over(tmp_path: Path, kills: int) -> None:
    chance = random.Random(11)
    with running(tmp_path) as trilha:
        tenant = UUID(trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")["id"])
        (tmp_path / "course.yaml").write_text(COURSE)
        made = ("course", "create", "--tenant", "acme", "--file", str(tmp_path / "course.yaml"), "--publish")
        trilha.command(*made)
        asyncio.run(_completed(trilha, tenant))
        for _ in range(kills):
            # Some kills come at the start of the worker, and some in the middle of its work.
            wait_until(lambda: trilha.children("work"))
            asyncio.run(asyncio.sleep(chance.uniform(0, 0.6)))
            for each in trilha.children("work"):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
        wait_until(lambda: asyncio.run(_left(trilha)) == 0, seconds=60)
        told = asyncio.run(_told(trilha))
    everybody = PEOPLE + EARLIER
    assert told == {
        "certificates": everybody,
        "events": everybody,
        "certified": everybody,
        # People who completed the course earlier get no message.
        "mails": PEOPLE,
        "written_to": PEOPLE,
    }


async def _completed(trilha: Running, tenant: UUID) -> None:
    keyring = load_keyring(trilha.folder / "data" / "master.key")
    database = Database(serving_urls(_url(trilha), keyring), system_clock, keyring, size=1)
    await database.open()
    try:
        async with database.transaction(tenant) as tx:
            rows = await tx.rows(
                """
                WITH people AS (
                    INSERT INTO users (tenant_id, id, email, name, role, created_at, updated_at)
                    SELECT :tenant, gen_random_uuid(), n || '@example.com', 'Ana', 'learner', :now, :now
                    FROM generate_series(1, CAST(:count AS int)) AS n RETURNING id)
                INSERT INTO enrollments (tenant_id, user_id, course_id, status, progress, started_at,
                                         completed_at, created_at, updated_at)
                SELECT :tenant, people.id, c.id, 'COMPLETED', 100, :now, :now, :now, :now
                FROM people, courses c WHERE c.tenant_id = :tenant RETURNING id
                """,
                count=PEOPLE + EARLIER,
            )
            ids = [row["id"] for row in rows]
            await actions.issue_all(tx, dict.fromkeys(ids[:PEOPLE]), announced=True)
            await tx.execute(
                """
                INSERT INTO missing_certificates (tenant_id, enrollment_id)
                SELECT :tenant, id FROM unnest(:ids::uuid[]) AS id
                RETURNING tenant_id
                """,
                ids=ids[PEOPLE:],
            )
            # The PDFs do not delay the certificates of earlier completions.
            await tx.execute("UPDATE certificates SET render_due_at = NULL WHERE tenant_id = :tenant")
    finally:
        await database.close()


async def _left(trilha: Running) -> int:
    connection = await asyncpg.connect(_url(trilha))
    try:
        return int(
            await connection.fetchval(
                """
                SELECT (SELECT count(*) FROM certificates WHERE notice IS NOT NULL)
                     + (SELECT count(*) FROM missing_certificates)
                """
            )
        )
    finally:
        await connection.close()


async def _told(trilha: Running) -> dict[str, Any]:
    connection = await asyncpg.connect(_url(trilha))
    try:
        row = await connection.fetchrow(
            """
            SELECT (SELECT count(*) FROM certificates) AS certificates,
                   (SELECT count(*) FROM events WHERE type = 'certificate.issued') AS events,
                   (SELECT count(DISTINCT data ->> 'enrollment_id') FROM events
                    WHERE type = 'certificate.issued') AS certified,
                   (SELECT count(*) FROM mail_messages WHERE kind = 'certificate_issued') AS mails,
                   (SELECT count(DISTINCT to_email) FROM mail_messages) AS written_to
            """
        )
        return dict(row)
    finally:
        await connection.close()


def _url(trilha: Running) -> str:
    lines = (trilha.folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
    return f"postgresql://postgres@/postgres?host={lines[4]}"
