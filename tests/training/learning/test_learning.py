"""Launches, commits and heartbeats against the database: what a learner does, and its results."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from conftest import World
from training.learning.forgers import forger
from training.learning.learners import learner, part
from trilha.app import PERSONAL_DATA
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.errors import ApiError, BusinessRule, Conflict, NotFound
from trilha.core.types import to_json
from trilha.core.web.admission import Admission
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.launches import heartbeats
from trilha.training.learning.launches import unscoped as launch_unscoped
from web.panel.signing_in import made

ANSWER = {"id": "q1", "type": "choice", "student_response": "a", "result": "wrong"}


async def test_a_course_from_its_first_launch_to_its_end(world: World) -> None:
    ana = await learner(world, 10, 30)
    first = await ana.launch()
    assert first.given["core"]["entry"] == "ab-initio"
    assert first.given["core"]["student_name"] == "Lima, Ana"
    assert (await ana.read())["status"] == "IN_PROGRESS"
    await first.status("incomplete", lesson_location="p3")
    done = await first.status("passed", final=True, score={"raw": "80"})
    assert (done.outcome, done.completed) == ("APPLIED", False)
    halfway = await ana.read()
    assert (halfway["progress"], halfway["score"], halfway["status"]) == (25, 80, "IN_PROGRESS")
    world.clock.move(seconds=60)
    second = await ana.launch(1)
    assert (await second.status("passed", final=True, score={"raw": "100"})).completed
    after = await ana.read()
    assert (after["progress"], after["score"], after["status"]) == (100, 95, "COMPLETED")
    assert await ana.told() == [
        "enrollment.started",
        "assessment.attempted",
        "assessment.passed",
        "enrollment.progress",
        "assessment.attempted",
        "assessment.passed",
        "enrollment.progress",
        "enrollment.completed",
        "certificate.issued",
    ]
    user = (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]
    assert user["xp"] == 10 + 10 + 100 + 95


async def test_nothing_goes_back(world: World) -> None:
    ana = await learner(world, 10, 10)
    player = await ana.launch()
    await player.status("passed", score={"raw": "75"})
    await player.status("incomplete", final=True, score={"raw": "0"})
    after = await ana.read()
    assert (after["progress"], after["score"]) == (50, 75)


async def test_it_goes_on_where_it_was_left(world: World) -> None:
    ana = await learner(world)
    player = await ana.launch()
    await player.watch(60)
    core = {
        "lesson_status": "incomplete",
        "lesson_location": "p7",
        "exit": "suspend",
        "student_name": "forged",
    }
    await player.commit(final=True, core=core, suspend_data="abc|é")
    given = (await ana.launch()).given
    assert (given["suspend_data"], given["core"]["lesson_location"]) == ("abc|é", "p7")
    assert (given["core"]["entry"], given["core"]["total_time"]) == ("resume", "0000:01:00.00")
    assert given["core"]["student_name"] == "Lima, Ana"


async def test_what_was_failed_is_begun_anew(world: World) -> None:
    ana = await learner(world, item=part(mastery_score=70))
    first = await ana.launch()
    await first.commit(final=True, core={"lesson_status": "failed", "score": {"raw": "20"}}, suspend_data="x")
    assert (await ana.read())["status"] == "IN_PROGRESS"
    again = await ana.launch()
    assert (again.launched.attempt, "suspend_data" in again.given) == (2, False)
    assert (await again.status("passed", final=True, score={"raw": "90"})).completed
    types = [each for each in await ana.told() if each.startswith("assessment")]
    assert types == ["assessment.attempted", "assessment.failed", "assessment.attempted", "assessment.passed"]


async def test_what_is_completed_opens_for_review_where_nothing_counts(world: World) -> None:
    ana = await learner(world)
    await (await ana.launch()).status("completed", final=True, score={"raw": "60"})
    review = await ana.launch()
    assert (review.launched.review, review.given["core"]["lesson_mode"]) == (True, "review")
    assert (await review.status("failed", final=True, score={"raw": "100"})).outcome == "REVIEW"
    assert (await ana.read())["score"] == 60


async def test_commits_come_twice_late_and_out_of_order(world: World) -> None:
    ana = await learner(world, 10, 10)
    player = await ana.launch()
    core = {"core": {"lesson_status": "incomplete", "lesson_location": "p2"}}
    assert (await player.commit(sequence=2, **core)).outcome == "APPLIED"
    assert (await player.commit(sequence=2, **core)).outcome == "REPEATED"
    assert (await player.commit(sequence=2, core={"lesson_status": "passed"})).outcome == "CONFLICTING"
    assert (await player.commit(sequence=1, core={"lesson_status": "passed"})).outcome == "STALE"
    assert (await ana.read())["progress"] == 0
    assert (await player.commit(sequence=3, final=True, **core)).outcome == "APPLIED"
    # A beacon that was sent while the page closed.
    world.clock.move(minutes=10)
    assert (await player.commit(sequence=4, core={"lesson_status": "completed"})).outcome == "APPLIED"
    assert (await ana.read())["progress"] == 50
    world.clock.move(minutes=10, seconds=1)
    assert (await player.commit(sequence=5, core={"lesson_status": "completed"})).outcome == "EXPIRED"
    assert (await player.beat()).expired


async def test_the_second_tab_supersedes_the_first(world: World) -> None:
    ana = await learner(world, 10, 10)
    first = await ana.launch()
    second = await ana.launch()
    in_flight = await first.commit(core={"lesson_status": "incomplete"}, suspend_data="first")
    assert (in_flight.outcome, in_flight.superseded) == ("APPLIED", True)
    assert (
        await second.commit(core={"lesson_status": "incomplete"}, suspend_data="second")
    ).outcome == "APPLIED"
    late = await first.commit(core={"lesson_status": "completed"}, suspend_data="late")
    assert (late.outcome, late.superseded) == ("SUPERSEDED", True)
    assert (await ana.launch()).given["suspend_data"] == "second"
    world.clock.move(seconds=30)
    assert (await first.beat()).credited == 0


async def test_what_was_saved_late_is_not_undone_by_who_began_before_it(world: World) -> None:
    """A phone without a connection, and a second device that was opened meanwhile."""
    ana = await learner(world)
    phone = await ana.launch()
    await phone.commit(suspend_data="page 1")
    computer = await ana.launch()
    base = await computer.base()
    # A report that does not change the resume point outdates no other launch.
    assert (await phone.commit(base=0, suspend_data="page 1", core={"session_time": "00:01:00"})).superseded
    assert await computer.base() == base
    assert (await phone.commit(base=0, suspend_data="page 9")).outcome == "APPLIED"
    assert (await phone.commit(base=0, suspend_data="page 10")).outcome == "APPLIED"
    assert (await computer.beat(base=base)).superseded
    lost = await computer.commit(base=base, suspend_data="page 2")
    assert lost.outcome == "SUPERSEDED"
    # After a reload it continues from there, and the phone's launch is outdated.
    again = await computer.base()
    assert not (await computer.beat(base=again)).superseded
    assert (await computer.commit(base=again, suspend_data="page 11")).outcome == "APPLIED"
    assert (await phone.commit(base=0, suspend_data="page 12")).outcome == "SUPERSEDED"
    assert (await ana.launch()).given["suspend_data"] == "page 11"


async def test_an_erasure_ends_what_is_open(world: World) -> None:
    user = await made(world)
    ana = await learner(world, user_id=str(user.id))
    script = await (await forger(ana, user)).open()
    assert (await script.beat())["result"]
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, ana.user_id)
    for kind, body in (
        ("heartbeat", {"visible": True}),
        ("commit", script.numbered({"cmi": {}})),
        ("trace", {"calls": []}),
    ):
        assert (await script.send(kind, body)).status_code == 404


async def test_a_report_that_is_under_way_when_its_person_is_erased_is_none(world: World) -> None:
    ana = await learner(world)
    player = await ana.launch()
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, ana.user_id)
    with pytest.raises(NotFound):
        await player.status("passed")
    with pytest.raises(NotFound):
        await player.beat()
    async with world.tx() as tx:
        with pytest.raises(NotFound):
            await heartbeats.record_trace(tx, player.launched.launch_id, [{"name": "LMSGetValue"}])


async def test_the_same_commit_at_the_same_time_counts_once(world: World) -> None:
    ana = await learner(world)
    player = await ana.launch()
    core = {"lesson_status": "passed", "score": {"raw": "90"}}
    found = await asyncio.gather(*(player.commit(sequence=1, core=core) for _ in range(5)))
    assert sorted(each.outcome for each in found) == ["APPLIED", *["REPEATED"] * 4]
    assert [each.completed for each in found].count(True) == 1
    assert (await ana.told()).count("enrollment.completed") == 1


async def test_a_regulated_course_waits_for_the_servers_clock(world: World) -> None:
    ana = await learner(world, 10, regulation={"minimum_workload_minutes": 2, "minimum_score": 70})
    player = await ana.launch()
    forged = await player.status("passed", score={"raw": "100"}, session_time="9999:00:00")
    assert not forged.completed
    state = await ana.read()
    assert (state["status"], state["progress"], state["score"]) == ("IN_PROGRESS", 100, 100)
    world.clock.move(hours=5)
    # Hours without a heartbeat do not count, and the launch has expired.
    assert (await player.beat()).expired
    player = await ana.launch()
    assert player.launched.review
    assert not (await player.watch(90)).completed
    # A review earns the missing time, because nothing else can still be done.
    assert (await player.watch(30)).completed
    assert (await (await ana.launch()).watch(30)).credited == 0


async def test_a_score_that_is_too_low_may_be_bettered(world: World) -> None:
    ana = await learner(world, 10, 10, regulation={"minimum_score": 80})
    for module, score in enumerate(("90", "50")):
        player = await ana.launch(module)
        await player.watch(150)
        await player.status("completed", final=True, score={"raw": score})
    assert (await ana.read())["status"] == "IN_PROGRESS"
    assert (await ana.launch(0)).launched.review
    again = await ana.launch(1)
    assert (again.launched.review, again.launched.attempt) == (False, 2)
    assert (await again.status("completed", final=True, score={"raw": "70"})).completed


async def test_the_workload_may_be_reached_after_the_last_commit(world: World) -> None:
    ana = await learner(world, 10, regulation={"minimum_workload_minutes": 2})
    player = await ana.launch()
    await player.status("completed")
    assert not (await player.watch(90)).completed
    world.clock.move(seconds=30)
    assert (await player.beat(visible=False)).credited == 0
    assert (await player.watch(30)).completed
    assert (await ana.read())["status"] == "COMPLETED"


async def test_one_launch_of_a_person_earns_at_a_time(world: World) -> None:
    ana = await learner(world)
    other = await learner(world, user_id=ana.user_id)
    here, there = await ana.launch(), await other.launch()
    world.clock.move(seconds=30)
    assert [(await here.beat()).credited, (await there.beat()).credited] == [0, 30]


async def test_modules_in_sequence(world: World) -> None:
    ana = await learner(world, 10, 10, regulation={"sequential": True})
    with pytest.raises(BusinessRule) as refused:
        await ana.launch(1)
    assert (refused.value.code, refused.value.detail) == ("module_locked", {"modules": [str(ana.modules[0])]})
    await (await ana.launch()).status("completed", final=True)
    assert (await ana.launch(1)).launched.attempt == 1


async def test_a_launch_is_for_whose_enrollment_it_is(world: World) -> None:
    ana, stranger = await learner(world), await learner(world)
    ana.user_id = stranger.user_id
    with pytest.raises(NotFound):
        await ana.launch()


async def test_an_enrollment_that_has_run_out_opens_nothing(world: World) -> None:
    ends = "2099-01-01T00:00:00Z"
    ana = await learner(world, expires_at=ends)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant AND id = :id", id=ana.id
        )
    with pytest.raises(Conflict):
        await ana.launch()


async def test_what_comes_after_an_enrollment_has_run_out_counts_for_nothing(world: World) -> None:
    ends = world.clock.now + timedelta(minutes=5)
    ana = await learner(world, expires_at=ends.isoformat().replace("+00:00", "Z"))
    player = await ana.launch()
    world.clock.move(minutes=5)
    late = await player.status("passed", final=True, score={"raw": "90"})
    assert late.outcome == "EXPIRED"
    assert await world.events("assessment.passed") == []
    assert (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]["xp"] == 0


async def test_a_launch_is_found_by_its_token(world: World) -> None:
    ana = await learner(world)
    player = await ana.launch()
    keyring, admission = world.database.keyring, Admission(world.database, [launch_unscoped.LOOKUP])
    known, other = (
        PresentedCredential(CredentialKind.LAUNCH, keyring.fingerprint(token))
        for token in (player.launched.token, "other")
    )
    found = await admission.find(known)
    assert found is not None
    assert (found.tenant_id, found.id) == (world.tenant.id, ana.user_id)
    assert found.detail == {"launch": str(player.launched.launch_id)}
    assert found.rejection_reason(world.clock.now) is None
    world.clock.move(minutes=10)
    assert found.rejection_reason(world.clock.now) == "credential_expired"
    assert await admission.find(other) is None


async def test_answers_are_read_through_the_api(world: World) -> None:
    ana = await learner(world, 10, 10)
    second = await ana.launch(1)
    await second.commit(core={}, interactions={"0": {**ANSWER, "id": "late"}})
    first = await ana.launch()
    again = ANSWER | {"student_response": "b", "result": "correct", "latency": "00:00:04.5", "weighting": "2"}
    journal: dict[str, Any] = {"0": ANSWER, "1": {**ANSWER, "id": "Scene1_Slide2"}, "2": again}
    await first.commit(core={}, interactions=journal)
    found = (await ana.answers())["data"]
    assert [(each["module_title"], each["interaction_id"]) for each in found] == [
        ("M0", "q1"),
        ("M0", "Scene1_Slide2"),
        ("M1", "late"),
    ]
    assert found[0] | {"updated_at": ""} == {
        "module_id": str(ana.modules[0]),
        "module_title": "M0",
        "interaction_id": "q1",
        "type": "choice",
        "description": "q1",
        "response": "b",
        "correct_response": "",
        "result": "correct",
        "latency_seconds": 4.5,
        "weighting": 2.0,
        "updated_at": "",
    }
    page = await ana.answers(limit=2)
    rest = await ana.answers(limit=2, cursor=page["next_cursor"])
    assert (page["data"] + rest["data"], rest["has_more"]) == (found, False)
    # A changed answer replaces the stored one; an unchanged one keeps its time.
    world.clock.move(seconds=5)
    await first.commit(
        core={}, interactions=journal | {"1": {**ANSWER, "id": "Scene1_Slide2", "result": "correct"}}
    )
    after = (await ana.answers())["data"]
    assert after[1]["result"] == "correct"
    assert [a["updated_at"] > b["updated_at"] for a, b in zip(after, found, strict=True)] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"cmi": {}}',
        b'{"cmi": {}, "launch": {"sequence": "1"}}',
        b'{"cmi": {}, "launch": {"sequence": true}}',
        b'{"cmi": {}, "launch": {"sequence": 0}}',
        b'{"cmi": {}, "launch": {"sequence": 99999999999999999999}}',
    ],
)
def test_a_body_that_is_none_is_refused(raw: bytes) -> None:
    with pytest.raises(ApiError) as refused:
        commits.read_commit(raw)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    "cmi", [None, [], "x", {"core": []}, {"core": {"score": {"raw": "7,5"}}}, {"a": {"b": "\0"}}]
)
async def test_whatever_content_says_is_taken(world: World, cmi: object) -> None:
    ana = await learner(world)
    player = await ana.launch()
    body = to_json({"cmi": cmi, "launch": {"sequence": 1, "final": False}})
    assert (await player.send(body)).outcome == "APPLIED"


async def test_only_answers_that_changed_are_written(world: World) -> None:
    """An unchanged answer without a time keeps its time, although a shorter launch cannot have it."""
    ana = await learner(world)
    first = await ana.launch()
    journal = {str(n): {**ANSWER, "id": f"q{n}", "latency": "00:00:12"} for n in range(3)}
    await first.commit(core={"session_time": "00:01:00"}, interactions=journal)
    before = await written(world)
    world.clock.move(seconds=5)
    journal["1"]["student_response"] = "b"
    await first.commit(core={"session_time": "00:00:05"}, interactions=journal)
    after = await written(world)
    assert [n for n in (0, 1, 2) if before[n] != after[n]] == [1]


async def written(world: World) -> Sequence[Any]:
    """Returns all stored answers, in order."""
    async with world.tx() as tx:
        return await tx.rows(
            "SELECT index, response, latency_seconds, updated_at FROM interactions "
            "WHERE tenant_id = :tenant ORDER BY index"
        )
