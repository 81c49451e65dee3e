"""The log of an enrollment is complete, and every change of it is detected."""

import asyncio
import json

import asyncpg
import pytest

from conftest import World
from training.learning.learners import Learner, learner
from trilha.core.errors import NotFound
from trilha.training.learning.evidence import verification
from trilha.training.learning.evidence.schema import Verification


async def verify(world: World, ana: Learner) -> Verification:
    async with world.tx() as tx:
        return await verification.verify(tx, ana.id)


async def learnt(world: World) -> Learner:
    """Creates six entries: launched, two heartbeats, two commits, completed."""
    ana = await learner(world)
    player = await ana.launch()
    await player.watch(60)
    await player.status("incomplete")
    assert (await player.status("passed", score={"raw": "90"})).completed
    return ana


async def test_tells_what_was_done_and_holds(world: World) -> None:
    ana = await learnt(world)
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT kind, detail, hash FROM learning_log WHERE tenant_id = :tenant AND enrollment_id = :id
            ORDER BY number
            """,
            id=ana.id,
        )
    assert [row["kind"] for row in rows] == ["launched", "beat", "beat", "commit", "commit", "completed"]
    launched, commit, completed = (json.loads(rows[n]["detail"]) for n in (0, 4, 5))
    # The log has no addresses, because it cannot be erased.
    assert launched.keys() == {"module", "attempt", "package", "review", "at"}
    assert launched["attempt"] == 1
    assert commit["said"] == {"lesson_status": "passed", "score": {"raw": "90"}}
    assert (commit["outcome"], commit["state"]["success"]) == ("APPLIED", "passed")
    assert (completed["credited_seconds"], completed["score"]) == (60, 90)
    found = await verify(world, ana)
    assert (found.entries, found.broken_at, found.problem) == (6, None, "")
    assert (found.completed_number, found.completed_hash) == (6, rows[5]["hash"].hex())


async def test_a_certificate_names_the_entry_that_says_that_the_course_was_completed(world: World) -> None:
    ana = await learnt(world)
    await ana.launch()
    found = await verify(world, ana)
    assert (found.entries, found.completed_number) == (7, 6)
    async with world.tx() as tx:
        (named,) = await tx.rows(
            "SELECT evidence_number, evidence_hash FROM certificates WHERE tenant_id = :tenant"
        )
    assert (named["evidence_number"], named["evidence_hash"].hex()) == (6, found.completed_hash)


@pytest.mark.parametrize(
    ("tampering", "broken_at", "problem"),
    [
        ("UPDATE learning_log SET detail = replace(detail, '30', '3000') WHERE number = 2", 2, "changed"),
        ("UPDATE learning_log SET at = at - interval '1 day' WHERE number = 4", 4, "changed"),
        ("DELETE FROM learning_log WHERE number = 3", 3, "missing"),
        ("DELETE FROM learning_log WHERE number = 6", 6, "missing"),
        ("UPDATE learning_heads SET credited_seconds = 36000 WHERE number = 6", 6, "hours"),
        ("UPDATE learning_heads SET hash = 'x' WHERE number = 6", 6, "changed"),
    ],
)
async def test_what_was_tampered_with_is_found(
    world: World, admin_url: str, tampering: str, broken_at: int, problem: str
) -> None:
    ana = await learnt(world)
    connection = await asyncpg.connect(admin_url)
    await connection.execute(f"{tampering} AND enrollment_id = '{ana.id}'")
    await connection.close()
    found = await verify(world, ana)
    assert (found.broken_at, found.problem) == (broken_at, problem)


async def test_commits_at_the_same_time_are_one_after_the_other(world: World) -> None:
    ana = await learner(world, 10, 10)
    one, other = await ana.launch(0), await ana.launch(1)
    await asyncio.gather(*(player.status("incomplete") for player in [one, other] * 5))
    found = await verify(world, ana)
    assert (found.entries, found.problem) == (12, "")


async def test_an_enrollment_without_a_log(world: World) -> None:
    ana = await learner(world)
    with pytest.raises(NotFound):
        await verify(world, ana)
    async with world.tx() as tx:
        assert [each async for each in verification.verify_all(tx)] == []
