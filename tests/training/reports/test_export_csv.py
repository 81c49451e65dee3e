"""GET /v1/analytics/exports"""

import asyncio
import csv
import io
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import World
from trilha.training.enrollments import actions

PATH = "/v1/analytics/exports"
HEADER = [
    *("student_name", "student_email", "course", "status", "progress", "score"),
    *("enrolled_at", "started_at", "completed_at", "expires_at"),
]


async def read(http: httpx2.AsyncClient, **params: Any) -> list[list[str]]:
    """Returns the rows after the header."""
    answer = await http.get(PATH, params=params)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    first, *rest = csv.reader(io.StringIO(answer.text, newline=""), strict=True)
    assert first == HEADER
    return rest


async def fill(world: World, rows: int) -> UUID:
    """Creates this many enrollments in one course, newest last. Returns the course."""
    course, user = await world.course(), (await world.user())["id"]
    async with world.tx() as tx:
        await tx.execute(
            """INSERT INTO enrollments (tenant_id, user_id, course_id, status, current,
                                        created_at, updated_at)
               SELECT :tenant, :user, :course, 'EXPIRED', NULL,
                      CAST(:now AS timestamptz) + n * interval '1 ms', :now
               FROM generate_series(1, CAST(:rows AS int)) AS n
               RETURNING tenant_id""",
            user=user,
            course=course,
            rows=rows,
        )
    return course


async def test_every_state_newest_first(world: World, stranger: World) -> None:
    await stranger.enrollment()
    course = await world.course(title="Direção")
    user = (await world.user(name="Ana Lima", email="ana@example.com"))["id"]
    soon = (world.clock.now + timedelta(hours=1)).isoformat()
    done = await world.enrollment(course_id=course, user_id=user, expires_at=soon)
    async with world.tx() as tx:
        await actions.start(tx, UUID(done["id"]))
        await actions.advance(tx, UUID(done["id"]), 99.5, 72.25)
        await actions.complete(tx, UUID(done["id"]))
    world.clock.move(minutes=1)
    other = await world.enrollment(expires_at=soon)
    world.clock.move(hours=2)  # both have expired; the worker has not stored the second one yet
    first, second = await read(world.http)
    assert first[2:] == ["Segurança", "EXPIRED", "0", "", other["created_at"], "", "", other["expires_at"]]
    async with world.tx() as tx:
        (at,) = [
            row["completed_at"]
            for row in await tx.rows(
                "SELECT completed_at FROM enrollments WHERE tenant_id = :tenant AND id = :id", id=done["id"]
            )
        ]
    shown = ["Ana Lima", "ana@example.com", "Direção", "COMPLETED", "100", "72.25"]
    assert second == [*shown, done["created_at"], at, at, done["expires_at"]]
    assert await read(world.http, status="expired") == [first]
    assert await read(world.http, status="completed") == [second]
    assert await read(world.http, status="not_started") == []
    assert await read(world.http, type="csv", course_id=str(course)) == [second]
    assert await read(world.http, course_id=str(course), status="expired") == []


NAMES = (
    *("=1+1", "+55 11", "-2", "@SUM(A1)", "\tTab", "\rReturn"),
    *('Ana "Aninha" Lima', "Lima, Ana", "Ana\nLima", "Ana\r\nLima", "João Ação", "阿娜 😀", "''", "a\x02\nb"),
)


async def test_cells_that_a_spreadsheet_would_run_or_break(world: World) -> None:
    course = await world.course()
    for name in NAMES:
        user = (await world.user())["id"]
        await world.enrollment(course_id=course, user_id=user)
        async with world.tx() as tx:  # includes names that no interface accepts
            await tx.execute(
                "UPDATE users SET name = :name WHERE tenant_id = :tenant AND id = :id", name=name, id=user
            )
    found = {row[0] for row in await read(world.http)}
    expected = {f"'{name}" if name[0] in "=+-@\t\r" else name for name in NAMES} - {"a\x02\nb"}
    assert found == expected | {"a\nb"}


async def test_lines_end_as_the_rfc_has_it(world: World) -> None:
    await world.enrollment()
    user = (await world.user())["id"]
    await world.enrollment(user_id=user)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE users SET name = E'Ana\nLima' WHERE tenant_id = :tenant AND id = :id", id=user
        )
    raw = (await world.http.get(PATH)).content
    assert raw.endswith(b"\r\n")
    assert raw.count(b"\r\n") == 3
    assert raw.replace(b"\r\n", b"").count(b"\n") == 1
    assert b"\x02" not in raw


async def test_the_row_after_the_last_truncates_and_says_so(world: World) -> None:
    course = await fill(world, 50_000)
    whole = await world.http.get(PATH, params={"course_id": str(course)})
    assert "x-truncated" not in whole.headers
    assert whole.content.count(b"\r\n") == 50_001
    world.clock.move(hours=1)
    await world.enrollment(course_id=course)
    cut = await world.http.get(PATH)
    assert cut.headers["x-truncated"] == "true"
    assert cut.content.count(b"\r\n") == 50_001
    assert b",NOT_STARTED," in cut.content.split(b"\r\n", 2)[1]  # includes the newest and excludes the oldest
    of_state = await world.http.get(PATH, params={"status": "expired"})
    assert "x-truncated" not in of_state.headers


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *(("type=xlsx", "type"), ("type=CSV", "type"), ("type=", "type"), ("status=DONE", "status")),
        *(("course_id=7", "course_id"), ("limit=3", "limit"), ("fields=course", "fields")),
    ],
)
async def test_what_is_no_parameter_or_value_of_one(world: World, query: str, field: str) -> None:
    answer = await world.http.get(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_nothing_of_another_tenant(world: World, stranger: World) -> None:
    course = (await stranger.enrollment())["course_id"]
    assert await read(world.http, course_id=course) == []


async def test_needs_its_scope(world: World) -> None:
    async with world.client(await world.key("enrollments:read")) as http:
        assert (await http.get(PATH)).status_code == 403


async def test_head_tells_the_same_and_leaves_nothing_running(world: World) -> None:
    await fill(world, 20_000)
    answer = await world.http.head(PATH)
    assert (answer.status_code, answer.content) == (200, b"")
    assert await running(world) == 0


async def running(world: World) -> int:
    """Returns the exports of this process that the database is running."""
    async with world.tx() as tx:
        found: int = await tx.value(
            """SELECT count(*) FROM pg_stat_activity
               WHERE state = 'active' AND query LIKE 'COPY (%' AND CAST(:tenant AS uuid) IS NOT NULL
                 AND application_name = current_setting('application_name')"""
        )
    return found


async def test_a_client_that_leaves_ends_the_query(world: World) -> None:
    await fill(world, 50_000)
    key = await world.key()
    # If this process had to wait, the database may have finished before.
    seen = [await running_when_left(world, key) for _ in range(5)]
    assert 1 in seen
    # Otherwise it would wait for its reader forever. The database notices the end after a moment.
    async with asyncio.timeout(10):
        while await running(world):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def running_when_left(world: World, key: str) -> int:
    """Returns `running` at the moment when the client leaves, in the middle of the file."""
    left, seen = asyncio.Event(), list[int]()

    async def receive() -> dict[str, Any]:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and len(message["body"]) > 1000:
            seen.append(await running(world))
            left.set()
            await asyncio.Event().wait()  # it reads no further

    scope = {
        "type": "http",
        "method": "GET",
        "path": PATH,
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {key}".encode())],
        "client": ("127.0.0.1", 5000),
        "scheme": "http",
    }
    await asyncio.wait_for(world.app(scope, receive, send), 30)
    (found,) = seen
    return found


async def test_many_at_once_are_all_whole_and_requests_go_on(world: World, stranger: World) -> None:
    await fill(world, 3_000)
    await fill(stranger, 3_000)

    async def download(each: World) -> int:
        return (await each.http.get(PATH)).content.count(b"\r\n")

    downloads = asyncio.gather(*(download(each) for each in (world, stranger) for _ in range(20)))
    answered = 0
    while not downloads.done():
        assert (await world.http.get("/v1/users")).status_code == 200
        answered += 1
        await asyncio.sleep(0)
    assert await downloads == [3_001] * 40
    assert answered > 3
