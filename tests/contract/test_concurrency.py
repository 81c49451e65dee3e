"""Concurrent calls: what must happen once happens once, and every answer is true."""

import asyncio
from collections import Counter
from itertools import chain
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx2
import pytest

from conftest import World

CLIENTS = 50
TIMES = 8


async def seed(world: World, people: int, courses: int) -> tuple[list[str], list[str]]:
    """Returns the ids of this many people and published courses."""
    made = []
    async with world.tx() as tx:
        for table, columns, values, count in (
            ("users", "email, name, role", "n || '@example.com', 'Ana', 'learner'", people),
            ("courses", "title, slug, status", "'C', 'c-' || n, 'PUBLISHED'", courses),
        ):
            rows = await tx.rows(
                f"""
                INSERT INTO {table} (tenant_id, {columns}, created_at, updated_at)
                SELECT :tenant, {values}, :now, :now FROM generate_series(1, :count::int) AS n RETURNING id
                """,
                count=count,
            )
            made.append([str(row["id"]) for row in rows])
    return made[0], made[1]


async def count(world: World, table: str) -> int:
    async with world.tx() as tx:
        number: int = await tx.value(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant")
    return number


async def test_identical_enrollments_make_one_row_and_one_event(world: World) -> None:
    people, (course,) = await seed(world, CLIENTS, 1)

    async def enroll(user: str) -> list[httpx2.Response]:
        async with world.client(world.http.headers["authorization"].removeprefix("Bearer ")) as client:
            body = {"user_id": user, "course_id": course}
            return await asyncio.gather(*(client.post("/v1/enrollments", json=body) for _ in range(TIMES)))

    for answers in await asyncio.gather(*map(enroll, people)):
        assert Counter(each.status_code for each in answers) == {201: 1, 409: TIMES - 1}
        (made,) = [each.json()["data"] for each in answers if each.status_code == 201]
        for each in answers:
            if each.status_code == 409:
                error = each.json()["error"]
                assert (error["code"], error["detail"]) == ("already_enrolled", {"existing_enrollment": made})
    assert await count(world, "enrollments") == CLIENTS
    events = await world.events("enrollment.created")
    assert Counter(data["user_id"] for _, data in events) == dict.fromkeys(people, 1)


async def test_one_enrollment_asked_for_by_everybody_at_once(world: World) -> None:
    (user,), (course,) = await seed(world, 1, 1)
    body = {"user_id": user, "course_id": course}
    asked = (world.http.post("/v1/enrollments", json=body) for _ in range(CLIENTS * TIMES))
    answers = await asyncio.gather(*asked)
    assert Counter(each.status_code for each in answers) == {201: 1, 409: CLIENTS * TIMES - 1}
    (made,) = [each.json()["data"] for each in answers if each.status_code == 201]
    refused = [each.json()["error"] for each in answers if each.status_code == 409]
    assert all(each["detail"] == {"existing_enrollment": made} for each in refused)
    assert await count(world, "enrollments") == len(await world.events("enrollment.created")) == 1


async def test_a_place_that_ran_out_is_taken_again_once(world: World) -> None:
    (user,), (course,) = await seed(world, 1, 1)
    body = {"user_id": user, "course_id": course}
    end = world.clock.now.replace(year=world.clock.now.year + 1)
    await world.http.post("/v1/enrollments", json=body | {"expires_at": end.isoformat()})
    world.clock.now = end
    answers = await asyncio.gather(*(world.http.post("/v1/enrollments", json=body) for _ in range(TIMES)))
    assert Counter(each.status_code for each in answers) == {201: 1, 409: TIMES - 1}
    assert await count(world, "enrollments") == 2
    assert len(await world.events("enrollment.expired")) == 1


async def test_identical_idempotency_keys_run_once(world: World) -> None:
    """A call during the first one is told so, or gets the first one's answer."""

    async def create(number: int) -> list[httpx2.Response]:
        body = {"email": f"{number}@example.com", "name": "Ana", "password": "correct horse"}
        headers = {"idempotency-key": str(number)}
        post = world.http.post
        return await asyncio.gather(*(post("/v1/users", json=body, headers=headers) for _ in range(TIMES)))

    for answers in await asyncio.gather(*map(create, range(10))):
        made = [each for each in answers if each.status_code == 201]
        assert len([each for each in made if "idempotent-replayed" not in each.headers]) == 1
        assert len({each.content for each in made}) == 1
        others = [each.json()["error"]["code"] for each in answers if each.status_code != 201]
        assert set(others) <= {"idempotency_in_progress"}
    assert await count(world, "users") == len(await world.events("user.created")) == 10


async def test_identical_users_are_one(world: World) -> None:
    body = {"email": "ana@example.com", "name": "Ana", "password": "correct horse"}
    answers = await asyncio.gather(*(world.http.post("/v1/users", json=body) for _ in range(TIMES)))
    assert Counter(each.status_code for each in answers) == {201: 1, 409: TIMES - 1}
    assert {each.json()["error"]["code"] for each in answers if each.status_code == 409} == {"email_exists"}
    assert len(await world.events("user.created")) == 1


async def test_concurrent_changes_of_one_user_are_each_told(world: World) -> None:
    user = (await world.user())["id"]
    patch = world.http.patch
    answers = await asyncio.gather(
        *(patch(f"/v1/users/{user}", json={"job_title": f"Title {n}"}) for n in range(TIMES)),
        *(patch(f"/v1/users/{user}", json={"department": f"Place {n}"}) for n in range(TIMES)),
        *(world.http.post(f"/v1/users/{user}/suspend") for _ in range(TIMES)),
    )
    assert Counter(each.status_code for each in answers) == {200: 2 * TIMES, 204: TIMES}
    assert len(await world.events("user.updated")) == 2 * TIMES
    assert len(await world.events("user.suspended")) == 1


async def bulk(world: World, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    items = [{"user_id": user, "course_id": course} for user, course in pairs]
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": items})
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_batches_in_opposite_order_both_succeed(world: World) -> None:
    people, courses = await seed(world, 25, 10)
    pairs = [(user, course) for course in courses for user in people]
    results = await asyncio.gather(*(bulk(world, pairs[::step]) for step in (1, -1, 1, -1)))
    assert sum(each["created"] for each in results) == len(pairs)
    assert all(each["created"] + each["skipped"] == len(pairs) for each in results)
    assert await count(world, "enrollments") == len(pairs)
    assert len(await world.events("enrollment.created")) == len(pairs)


async def test_batches_that_renew_what_ran_out_both_succeed(world: World) -> None:
    """Here, each batch also updates rows, in the order in which the database finds them."""
    people, courses = await seed(world, 20, 5)
    end = world.clock.now.replace(year=world.clock.now.year + 1)
    pairs = [(user, course) for course in courses for user in people]
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
            SELECT :tenant, u.id, c.id, :end, :now, :now FROM users u, courses c
            WHERE u.tenant_id = :tenant AND c.tenant_id = :tenant ORDER BY random()
            RETURNING tenant_id
            """,
            end=end,
        )
    world.clock.now = end
    results = await asyncio.gather(*(bulk(world, pairs[::step]) for step in (1, -1, 1, -1)))
    assert sum(each["created"] for each in results) == len(pairs)
    assert len(await world.events("enrollment.expired")) == len(pairs)
    assert await count(world, "enrollments") == 2 * len(pairs)


async def test_a_call_that_meets_a_deadlock_runs_again(world: World, admin_url: str) -> None:
    people, (course,) = await seed(world, 2, 1)
    one, two = sorted(people)  # a batch inserts in this order

    holder, watcher = [await asyncpg.connect(admin_url) for _ in range(2)]

    async def insert(user: str) -> None:
        await holder.execute(
            """
            INSERT INTO enrollments (tenant_id, user_id, course_id, created_at, updated_at)
            VALUES ($1, $2, $3, now(), now())
            """,
            world.tenant.id,
            UUID(user),
            UUID(course),
        )

    # The batch looks for the deadlock, so the server aborts the batch.
    await holder.execute("SET deadlock_timeout = '1min'")
    async with holder.transaction():
        await insert(two)
        batch = asyncio.create_task(bulk(world, [(one, course), (two, course)]))
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))"
        while not await watcher.fetchval(waiting, holder.get_server_pid()):
            assert not batch.done()
        await insert(one)
    await holder.close()
    await watcher.close()
    assert await batch == {"created": 0, "skipped": 2, "failed": 0, "errors": []}
    assert await count(world, "enrollments") == 2
    assert await world.events("enrollment.created") == []


@pytest.mark.parametrize("headers", [{}, {"idempotency-key": "k"}])
async def test_a_commit_that_fails_is_never_answered_with_success(
    world: World, headers: dict[str, str], admin_url: str
) -> None:
    """The constraint is checked only at the commit."""
    name = f"late_{world.tenant.id.hex}"
    owner = await asyncpg.connect(admin_url)
    await owner.execute(f"""
        CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''too late''; END';
        CREATE CONSTRAINT TRIGGER {name} AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
        WHEN (NEW.tenant_id = '{world.tenant.id}') EXECUTE FUNCTION {name}();
        """)
    body = {"email": f"{uuid4().hex}@example.com", "name": "Ana", "password": "correct horse"}
    try:
        answer = await world.http.post("/v1/users", json=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
        assert await count(world, "users") == await count(world, "idempotency_keys") == 0
        assert await world.events("user.created") == []
    finally:
        await owner.execute(f"DROP FUNCTION {name} CASCADE")
        await owner.close()
    assert (await world.http.post("/v1/users", json=body, headers=headers)).status_code == 201


async def test_a_conflict_names_what_is_there(world: World) -> None:
    """Enrollments are created and deleted concurrently. A refused call gets the enrollment that it conflicts
    with.
    """
    (user,), (course,) = await seed(world, 1, 1)
    body = {"user_id": user, "course_id": course}

    async def create_and_delete() -> list[httpx2.Response]:
        answers = []
        for _ in range(60):
            answers.append(await world.http.post("/v1/enrollments", json=body))
            if answers[-1].status_code == 201:
                await world.http.delete(f"/v1/enrollments/{answers[-1].json()['data']['id']}")
        return answers

    answers = list(chain(*await asyncio.gather(*(create_and_delete() for _ in range(TIMES)))))
    assert {each.status_code for each in answers} == {201, 409}
    refused = [each.json()["error"]["detail"] for each in answers if each.status_code == 409]
    assert [each for each in refused if each["existing_enrollment"] is None] == []


async def test_a_cpf_that_is_refused_has_an_owner(world: World) -> None:
    people, _ = await seed(world, TIMES, 1)

    async def take_and_give_up(user: str) -> list[httpx2.Response]:
        answers = []
        for _ in range(40):
            answers.append(await world.http.patch(f"/v1/users/{user}", json={"cpf": "52998224725"}))
            if answers[-1].status_code == 200:
                await world.http.patch(f"/v1/users/{user}", json={"cpf": None})
        return answers

    answers = list(chain(*await asyncio.gather(*map(take_and_give_up, people))))
    assert {each.status_code for each in answers} == {200, 409}
    refused = [each.json()["error"]["detail"] for each in answers if each.status_code == 409]
    assert [each for each in refused if each["existing_user_id"] is None] == []
