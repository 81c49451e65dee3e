"""Study time without a connection: it counts once, never beyond the server's clock, and not toward a workload
that a regulation requires.
"""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from conftest import World
from training.learning.students import student
from training.learning.test_held_work import Browser, browser, numbered
from trilha.people.users.schema import User
from trilha.training.learning.launches.rules import OFFLINE_LIMIT, compute_offline_credit
from trilha.training.learning.launches.schema import LearnerClock
from web.panel.signing_in import made

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
ARTICLES = ({"type": "ARTICLE", "body": "word " * 9000}, {"type": "ARTICLE", "body": "word " * 9000})


@pytest.fixture
async def user(world: World) -> User:
    return await made(world)


async def reader(world: World, user: User, **regulation: object) -> Browser:
    members = {"regulation": regulation} if regulation else {}
    return await browser(world, await student(world, *ARTICLES, user_id=str(user.id), **members), user)


async def credited(ana: Browser) -> float:
    async with ana.world.tx() as tx:
        return float(
            await tx.value(
                """
                SELECT h.credited_seconds FROM learning_heads h
                WHERE h.tenant_id = :tenant AND h.enrollment_id = :id
                  AND h.credited_seconds = (
                    SELECT sum(credited_seconds) FROM module_progress
                    WHERE tenant_id = :tenant AND enrollment_id = :id)
                """,
                id=ana.ana.id,
            )
        )


@pytest.mark.parametrize(
    ("reported", "known", "beat", "credited", "expected"),
    [
        (600, 0, 1800, None, 600),
        (600, 400, 1800, None, 200),
        (600, 600, 1800, None, 0),
        (500, 600, 1800, None, 0),
        (7200, 0, 1800, None, 1800),
        (600, 0, 1800, 300, 300),
        (600, 0, 1800, 0, 0),
        (600, 0, 300, 1800, 300),
        (90_000, 0, 90_000, None, OFFLINE_LIMIT.total_seconds()),
        (90_000, 86_000, 90_000, None, 0),
    ],
)
def test_what_offline_time_earns(
    reported: float, known: float, beat: float, credited: float | None, expected: float
) -> None:
    clock = None if credited is None else LearnerClock(uuid4(), NOW - timedelta(seconds=credited))
    seconds, until = compute_offline_credit(reported, known, NOW - timedelta(seconds=beat), clock, NOW)
    assert seconds == expected
    assert until <= NOW


async def test_it_counts_once_however_often_it_comes(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    world.clock.move(minutes=30)
    sent = [await ana.outcome("beats", {"seconds": seconds}) for seconds in (600, 600, 540, 660)]
    assert sent == ["APPLIED", "REPEATED", "REPEATED", "APPLIED"]
    assert await credited(ana) == 660


async def test_it_never_exceeds_the_time_since_the_last_contact(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    world.clock.move(minutes=5)
    assert await ana.outcome("beats", {"seconds": 36_000}) == "APPLIED"
    assert await credited(ana) == 300
    world.clock.move(minutes=5)
    assert await ana.outcome("beats", {"seconds": 36_001}) == "APPLIED"
    assert await credited(ana) == 300


async def test_two_modules_share_the_time(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    other = Browser(world, ana.ana, ana.client)
    await other.open(1)
    world.clock.move(minutes=10)
    assert await ana.outcome("beats", {"seconds": 480}) == "APPLIED"
    assert await other.outcome("beats", {"seconds": 480}) == "APPLIED"
    assert await credited(ana) == 600


async def test_time_online_is_not_counted_again(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    world.clock.move(seconds=30)
    await ana.send("heartbeat", {"visible": True})
    assert await credited(ana) == 30
    world.clock.move(seconds=60)
    await ana.send("heartbeat", {"visible": True, "offline": 60})
    assert await credited(ana) == 90
    await ana.send("heartbeat", {"visible": True, "offline": 60})
    assert await ana.outcome("beats", {"seconds": 60}) == "REPEATED"
    assert await credited(ana) == 90


async def test_a_required_workload_counts_only_the_servers_time(world: World, user: User) -> None:
    ana = await reader(world, user, minimum_workload_minutes=10)
    await ana.open()
    world.clock.move(minutes=30)
    assert await ana.outcome("beats", {"seconds": 900}) == "APPLIED"
    assert await credited(ana) == 0
    read = numbered(2, seconds=900, furthest=0.5, position=0.5)
    assert await ana.outcome("read", read) == "APPLIED"
    assert (await ana.ana.read())["progress"] > 0


async def test_nobody_else_reports_it(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    world.clock.move(minutes=30)
    bob = await reader(world, await made(world))
    bob.launch_id, bob.origin = ana.launch_id, ana.origin
    assert (await bob.hand_over("beats", {"seconds": 600})).status_code == 404
    assert await credited(ana) == 0


async def test_what_is_no_time_is_refused(world: World, user: User) -> None:
    ana = await reader(world, user)
    await ana.open()
    for seconds in (-1, "600", None, True, 1e10):
        assert await ana.outcome("beats", {"seconds": seconds}) == "INVALID"
    assert await credited(ana) == 0
