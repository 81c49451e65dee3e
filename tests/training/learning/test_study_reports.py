"""Reports of videos, documents and articles against the database, and their results."""

import asyncio
from typing import Any

import pytest

from conftest import World
from training.learning.learners import learner
from training.learning.students import article, document, media, student, video
from trilha.core.errors import ApiError, Conflict, NotFound
from trilha.core.types import to_json
from trilha.training.learning.evidence import verification
from trilha.training.learning.studies import actions as studies


async def test_a_video_from_its_first_second_to_its_end(world: World) -> None:
    ana = await student(world, await video(world))
    player = await ana.open()
    world.clock.move(seconds=15)
    first = await player.tell(ranges=[[0, 15]], position=15, length=60)
    assert (first.outcome, first.completed, await ana.progress()) == ("APPLIED", False, 25)
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 30]], position=30, length=60, final=True)
    world.clock.move(hours=1)
    again = await ana.open()
    assert again.launched.attempt == 1
    world.clock.move(seconds=27)
    done = await again.tell(ranges=[[0, 57]], position=57, length=60)
    assert (done.completed, (await ana.read())["status"], await ana.progress()) == (True, "COMPLETED", 100)
    assert await ana.told() == [
        "enrollment.started",
        "enrollment.progress",
        "enrollment.progress",
        "enrollment.progress",
        "enrollment.completed",
        "certificate.issued",
    ]
    user = (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]
    assert user["xp"] == 10 + 100


async def test_progress_is_told_now_and_then(world: World) -> None:
    ana = await student(world, await video(world, 1000))
    player = await ana.open()
    for end in range(10, 110, 10):
        world.clock.move(seconds=10)
        await player.tell(ranges=[[0, end]], position=end, length=1000)
    assert await ana.progress() == 10
    # An event at the start, and one for every five points or minute.
    assert await ana.told() == ["enrollment.started", "enrollment.progress", "enrollment.progress"]


async def test_a_script_that_says_all_at_once_gains_nothing(world: World) -> None:
    ana = await student(world, await video(world, 600), await document(world, 10), article(1000))
    player = await ana.open()
    said = await player.tell(ranges=[[0, 600]], position=600, length=600, final=True)
    assert (said.outcome, await ana.progress()) == ("APPLIED", 0)
    await (await ana.open(1)).tell(pages={str(n): 99 for n in range(1, 11)}, position=10, count=10)
    await (await ana.open(2)).tell(seconds=9999, furthest=1, position=1)
    assert await ana.progress() == 0
    # The elapsed time at the highest speed: 30 of 600 seconds.
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 600]], position=600, length=600)
    assert await ana.progress() == 1.67


async def test_a_minute_is_not_two_in_two_tabs(world: World) -> None:
    ana = await student(world, await video(world, 60), await video(world, 60))
    first, second = await ana.open(0), await ana.open(1)
    world.clock.move(seconds=30)
    await first.tell(ranges=[[0, 60]], position=60, length=60)
    await second.tell(ranges=[[0, 60]], position=60, length=60)
    assert await ana.progress() == 50


async def test_what_was_watched_without_a_network_counts_when_it_comes(world: World) -> None:
    """The queue sends its reports one after another, and none is shortened because of an earlier one."""
    ana = await student(world, await video(world, 300))
    player = await ana.open()
    world.clock.move(minutes=4)
    for end in range(15, 241, 15):
        await player.tell(ranges=[[0, end]], position=end, length=300)
    assert await ana.progress() == 80


async def test_a_length_that_is_unknown_never_shrinks(world: World) -> None:
    ana = await student(world, await video(world, None))
    player = await ana.open()
    world.clock.move(seconds=30)
    await player.tell(ranges=[[0, 30]], position=30, length=600)
    assert await ana.progress() == 5
    assert not (await player.tell(ranges=[[0, 30]], position=30, length=30)).completed
    assert await ana.progress() == 5


async def test_a_document_page_by_page(world: World) -> None:
    ana = await student(world, await document(world))
    player = await ana.open()
    world.clock.move(seconds=5)
    await player.tell(pages={"1": 2.5, "2": 1}, position=2, count=3)
    assert await ana.progress() == 33.33
    world.clock.move(seconds=3)
    done = await player.tell(pages={"1": 2.5, "2": 2, "3": 2}, position=3, count=1)
    assert (done.completed, await ana.progress()) == (True, 100)


async def test_an_article_to_its_end(world: World) -> None:
    ana = await student(world, article(100))
    player = await ana.open()
    world.clock.move(seconds=5)
    await player.tell(seconds=5, furthest=1, position=1)
    assert await ana.progress() == 50
    world.clock.move(seconds=5)
    assert (await player.tell(seconds=10, furthest=0.3, position=0.3)).completed


async def test_reports_come_twice_late_and_out_of_order(world: World) -> None:
    ana = await student(world, await video(world, 100))
    player = await ana.open()
    world.clock.move(seconds=50)
    told = {"ranges": [[0, 50]], "position": 50, "length": 100}
    assert (await player.tell(sequence=2, **told)).outcome == "APPLIED"
    assert (await player.tell(sequence=2, **told)).outcome == "REPEATED"
    assert (await player.tell(sequence=2, **(told | {"position": 9}))).outcome == "CONFLICTING"
    assert (await player.tell(sequence=1, ranges=[[0, 20]])).outcome == "STALE"
    assert await ana.progress() == 50
    world.clock.move(minutes=10, seconds=1)
    assert (await player.tell(sequence=3, ranges=[[0, 100]])).outcome == "EXPIRED"
    assert await ana.progress() == 50


async def test_a_newer_tab_supersedes_the_older_one(world: World) -> None:
    ana = await student(world, await video(world, 100))
    first, second = await ana.open(), await ana.open()
    world.clock.move(seconds=20)
    in_flight = await first.tell(ranges=[[0, 10]], position=10, length=100)
    assert (in_flight.outcome, in_flight.superseded) == ("APPLIED", True)
    assert (await second.tell(ranges=[[0, 20]], position=20, length=100)).outcome == "APPLIED"
    assert (await first.tell(ranges=[[0, 90]], position=90, length=100)).outcome == "SUPERSEDED"
    assert await ana.progress() == 20


async def test_the_same_report_at_the_same_time_counts_once(world: World) -> None:
    ana = await student(world, await video(world, 60))
    player = await ana.open()
    world.clock.move(seconds=30)
    told = {"ranges": [[0, 60]], "position": 60, "length": 60}
    found = await asyncio.gather(*(player.tell(sequence=1, **told) for _ in range(5)))
    assert sorted(each.outcome for each in found) == ["APPLIED", *["REPEATED"] * 4]
    assert [each.completed for each in found].count(True) == 1
    assert (await ana.told()).count("enrollment.completed") == 1


async def test_two_modules_at_the_same_time_share_the_time(world: World) -> None:
    ana = await student(world, *[await video(world, 60) for _ in range(4)])
    players = [await ana.open(n) for n in range(4)]
    world.clock.move(seconds=30)
    told = {"ranges": [[0, 60]], "position": 60, "length": 60}
    await asyncio.gather(*(player.tell(**told) for player in players))
    assert await ana.progress() == 25


async def test_an_attempt_stays_with_its_file(world: World) -> None:
    ana = await student(world, await video(world, 60))
    await ana.open()
    newer = await media(world, "video/webm", seconds=6)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_modules SET content = :content WHERE tenant_id = :tenant AND id = :id",
            id=ana.modules[0],
            content={"file_id": str(newer)},
        )
    player = await ana.open()
    world.clock.move(seconds=6)
    await player.tell(ranges=[[0, 6]], position=6, length=6)
    assert await ana.progress() == 10


async def test_a_video_without_a_file_opens_nothing(world: World) -> None:
    ana = await student(world, await video(world))
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_modules SET content = NULL WHERE tenant_id = :tenant AND id = :id", id=ana.modules[0]
        )
    with pytest.raises(Conflict):
        await ana.open()


async def test_a_report_is_for_a_module_of_its_type(world: World) -> None:
    ana = await student(world, await video(world))
    player = await ana.open()
    sent = studies.read_report("read", to_json({"launch": {"sequence": 1}, "seconds": 9, "furthest": 1}))
    with pytest.raises(NotFound):
        async with world.tx() as tx:
            await studies.apply_report(tx, player.launched.launch_id, "read", sent)
    package = await (await learner(world)).launch()
    with pytest.raises(NotFound):
        async with world.tx() as tx:
            await studies.apply_report(tx, package.launched.launch_id, "read", sent)


@pytest.mark.parametrize(
    "said",
    [
        {"ranges": [[0]]},
        {"ranges": [[0, "x"]]},
        {"ranges": {"0": [0, 1]}},
        {"length": "60"},
        {"position": None},
        {"ranges": [[0, 10**400]]},
    ],
)
def test_a_body_that_is_no_report_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refused:
        studies.read_report("watched", to_json(said | {"launch": {"sequence": 1}}))
    assert refused.value.status == 400


async def test_after_completion_nothing_counts_any_more(world: World) -> None:
    ana = await student(world, await video(world, 60))
    player = await ana.open()
    world.clock.move(seconds=30)
    assert (await player.tell(ranges=[[0, 60]], position=60, length=60)).completed
    review = await ana.open()
    assert review.launched.review
    world.clock.move(seconds=30)
    assert (await review.tell(ranges=[[0, 5]], position=5, length=60)).outcome == "REVIEW"
    assert (await review.beat()).credited == 0
    assert (await ana.read())["progress"] == 100


async def test_a_forged_video_does_not_complete_a_regulated_course(world: World) -> None:
    ana = await student(world, await video(world, 60), regulation={"minimum_workload_minutes": 2})
    player = await ana.open()
    world.clock.move(seconds=30)
    assert not (await player.tell(ranges=[[0, 60]], position=60, length=60)).completed
    assert (await ana.read())["status"] == "IN_PROGRESS"
    # The module is opened again, and the missing time is earned.
    again = await ana.open()
    assert not again.launched.review
    assert (await again.watch(120)).completed


async def test_the_log_holds_what_was_told(world: World) -> None:
    ana = await student(world, await video(world, 60))
    player = await ana.open()
    world.clock.move(seconds=15)
    await player.tell(ranges=[[0, 60]], position=60, length=60)
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT kind, detail::jsonb AS detail FROM learning_log
            WHERE tenant_id = :tenant AND enrollment_id = :id ORDER BY number
            """,
            id=ana.id,
        )
        assert (await verification.verify(tx, ana.id)).problem == ""
    assert [row["kind"] for row in rows] == ["launched", "watched"]
    told = rows[1]["detail"]
    assert (told["outcome"], told["counted"], told["state"]["progress"]) == ("APPLIED", 15, 50)
