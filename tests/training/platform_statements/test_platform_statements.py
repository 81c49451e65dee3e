"""Statements about what the platform itself knows."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from training.classes.classes import offer
from training.learning.learners import learner
from training.learning.quiz_takers import RIGHT_OR_NOT, quiz_learner
from training.learning.students import article, document, student, video
from training.xapi.clients import xapi_client
from trilha import app as trilha_app
from trilha.core.database import Tx
from trilha.platform.webhooks import jobs as webhook_jobs
from trilha.training.learning.commits import actions as commits
from trilha.training.platform_statements import actions
from trilha.training.platform_statements.building import VERBS
from trilha.training.platform_statements.jobs import build_job

BASE = "https://learn.example.com"
JOB = build_job(BASE)
VIDEO = "https://w3id.org/xapi/video/extensions"


@pytest.fixture
async def recording(world: World) -> World:
    async with world.tx() as tx:
        await actions.set_recording(tx, on=True)
    return world


async def work(world: World) -> None:
    """Relays events and writes statements until nothing is due."""
    while await webhook_jobs.RELAY.run_in(world.database, world.tenant.id):
        pass
    while await JOB.run_in(world.database, world.tenant.id):
        pass


async def list_statements(world: World, enrollment_id: object) -> list[dict[str, Any]]:
    await work(world)
    answer = await world.http.get(f"/v1/enrollments/{enrollment_id}/statements", params={"limit": 100})
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


def say(statements: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Returns verbs and the kinds of activities."""
    names = {iri: name for name, iri in VERBS.items()}
    return [
        (names[each["verb"]["id"]], each["object"]["id"].removeprefix(BASE).split("/")[2])
        for each in statements
    ]


async def test_a_scorm_module(recording: World) -> None:
    ana = await learner(recording)
    player = await ana.launch()
    recording.clock.move(seconds=30)
    await player.beat()
    await player.commit(core={"lesson_status": "incomplete"})
    recording.clock.move(seconds=30)
    await player.commit(final=True, core={"lesson_status": "passed", "score": {"raw": "87.5"}})
    statements = await list_statements(recording, ana.id)
    assert sorted(say(statements)) == sorted(
        [
            ("initialized", "modules"),
            ("attempted", "modules"),
            ("passed", "modules"),
            ("completed", "modules"),
            ("terminated", "modules"),
            ("completed", "courses"),
            ("earned", "certificates"),
        ]
    )
    by_verb = dict(zip(say(statements), statements, strict=True))
    passed = by_verb["passed", "modules"]
    assert passed["result"] == {
        "success": True,
        "score": {"scaled": 0.875, "raw": 87.5, "min": 0, "max": 100},
    }
    assert passed["actor"] == {
        "objectType": "Agent",
        "account": {"homePage": BASE, "name": str(ana.user_id)},
    }
    assert passed["context"]["registration"] == str(ana.id)
    (parent,) = passed["context"]["contextActivities"]["parent"]
    assert parent["id"].startswith(f"{BASE}/activities/courses/")
    assert parent["definition"]["name"] == {"pt-BR": "Segurança"}
    assert passed["object"]["id"] == f"{BASE}/activities/modules/{ana.modules[0]}"
    assert by_verb["terminated", "modules"]["result"] == {"duration": "PT30.00S"}
    times = [each["timestamp"] for each in statements]
    assert times == sorted(times)
    assert statements[0]["authority"]["account"]["name"] == "trilha"


async def test_statements_are_written_once(recording: World) -> None:
    ana = await learner(recording)
    await (await ana.launch()).commit(final=True, core={"lesson_status": "passed"})
    before = await list_statements(recording, ana.id)
    async with recording.tx() as tx:
        # As if everything were due again.
        await tx.execute("UPDATE statement_settings SET position = 0 WHERE tenant_id = :tenant")
        await tx.execute(
            """
            INSERT INTO statement_outbox (tenant_id, at, enrollment_id, number)
            SELECT :tenant, at, enrollment_id, number FROM learning_log WHERE tenant_id = :tenant
            RETURNING tenant_id
            """
        )
    assert await list_statements(recording, ana.id) == before


async def test_work_that_is_rolled_back_leaves_nothing(recording: World) -> None:
    ana = await learner(recording)
    player = await ana.launch()
    before = await list_statements(recording, ana.id)
    body = b'{"cmi": {"core": {"lesson_status": "passed"}}, "launch": {"sequence": 1, "final": true}}'

    async def fail_after(work: Callable[[Tx], Awaitable[object]]) -> None:
        async with recording.tx() as tx:
            await work(tx)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_after(
            lambda tx: commits.apply_commit(tx, player.launched.launch_id, commits.read_commit(body))
        )
    assert await list_statements(recording, ana.id) == before
    # A worker that dies in the middle does it again.
    await player.commit(final=True, core={"lesson_status": "passed"})
    await webhook_jobs.RELAY.run_in(recording.database, recording.tenant.id)
    with pytest.raises(ZeroDivisionError):
        await fail_after(JOB.batch)
    assert ("passed", "modules") in say(await list_statements(recording, ana.id))


async def test_a_video(recording: World) -> None:
    ana = await student(recording, await video(recording))
    player = await ana.open()
    recording.clock.move(seconds=15)
    await player.tell(ranges=[[0, 15]], position=15, length=60)
    recording.clock.move(seconds=15)
    await player.tell(ranges=[[0, 30]], position=30, length=60, final=True)
    statements = await list_statements(recording, ana.id)
    assert say(statements) == [
        ("initialized", "modules"),
        ("played", "modules"),
        ("paused", "modules"),
        ("terminated", "modules"),
    ]
    paused = statements[2]
    assert paused["verb"]["id"] == "https://w3id.org/xapi/video/verbs/paused"
    assert paused["result"]["extensions"] == {
        f"{VIDEO}/time": 30,
        f"{VIDEO}/progress": 0.5,
        f"{VIDEO}/played-segments": "0[.]30",
    }
    assert paused["context"]["contextActivities"]["category"] == [
        {"objectType": "Activity", "id": "https://w3id.org/xapi/video"}
    ]
    assert paused["context"]["extensions"][f"{VIDEO}/session-id"] == str(player.launched.launch_id)
    again = await ana.open()
    recording.clock.move(seconds=30)
    await again.tell(ranges=[[0, 60]], position=60, length=60)
    statements = await list_statements(recording, ana.id)
    completed = next(each for each in statements if each["verb"]["id"] == VERBS["completed"])
    assert completed["result"]["completion"] is True
    assert completed["result"]["extensions"][f"{VIDEO}/progress"] == 1
    assert completed["object"]["definition"]["type"] == "https://w3id.org/xapi/video/activity-type/video"


async def test_a_document_and_an_article(recording: World) -> None:
    ana = await student(recording, await document(recording, 1), article(10))
    player = await ana.open(0)
    recording.clock.move(seconds=60)
    await player.tell(pages={"1": 50}, position=1, count=1, final=True)
    recording.clock.move(seconds=1)
    reader = await ana.open(1)
    recording.clock.move(seconds=60)
    await reader.tell(seconds=50, furthest=1, position=1, final=True)
    assert say(await list_statements(recording, ana.id)) == [
        ("experienced", "modules"),
        ("completed", "modules"),
        ("experienced", "modules"),
        ("completed", "modules"),
        ("completed", "courses"),
        ("earned", "certificates"),
    ]


async def test_a_quiz(recording: World) -> None:
    ana = await quiz_learner(recording, RIGHT_OR_NOT)
    taker = await ana.take()
    await taker.send(hand_in=True, true_false=False)
    statements = await list_statements(recording, ana.id)
    assert say(statements) == [("attempted", "modules"), ("failed", "modules")]
    assert statements[1]["result"]["success"] is False
    assert statements[1]["result"]["score"]["scaled"] == 0


async def test_a_class(recording: World) -> None:
    classes = await offer(recording)
    made = await classes.create()
    registration = await classes.register(made)
    statements = await list_statements(recording, registration["enrollment_id"])
    assert say(statements) == [("registered", "classes")]
    assert statements[0]["object"]["definition"]["name"] == {"pt-BR": "Turma 1"}
    recording.clock.move(hours=30)
    await classes.attend(made["sessions"][0]["id"], {registration["user_id"]: 240})
    await classes.judge()
    statements = await list_statements(recording, registration["enrollment_id"])
    assert ("attended", "sessions") in say(statements)
    assert ("completed", "modules") in say(statements)
    attended = statements[say(statements).index(("attended", "sessions"))]
    assert attended["result"] == {"duration": "PT240M"}


async def test_nothing_is_written_unless_it_is_turned_on(world: World) -> None:
    ana = await learner(world, 10, 10)
    player = await ana.launch()
    await player.commit(final=True, core={"lesson_status": "passed"})
    assert await list_statements(world, ana.id) == []
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM statement_outbox WHERE tenant_id = :tenant") == 0
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        await actions.set_recording(tx, on=True)
    assert await list_statements(world, ana.id) == []
    await ana.launch(1)
    assert say(await list_statements(world, ana.id)) == [("initialized", "modules")]
    await (await ana.launch(1)).commit(core={"lesson_status": "incomplete"})
    async with world.tx() as tx:
        await actions.set_recording(tx, on=False)
    assert len(await list_statements(world, ana.id)) == 1


async def test_heartbeats_are_not_in_the_outbox(recording: World) -> None:
    ana = await learner(recording)
    player = await ana.launch()
    await player.watch(90)
    async with recording.tx() as tx:
        assert await tx.value("SELECT count(*) FROM statement_outbox WHERE tenant_id = :tenant") == 1


async def test_an_erased_person_is_in_no_later_statement(recording: World) -> None:
    ana = await learner(recording)
    await list_statements(recording, ana.id)
    await (await ana.launch()).commit(final=True, core={"lesson_status": "passed"})
    async with recording.tx() as tx:
        await trilha_app.PERSONAL_DATA.erase(tx, ana.user_id)
    await work(recording)
    http = await xapi_client(recording)
    assert str(ana.user_id) not in (await http.get("/xapi/statements")).text


async def test_the_worker_finds_who_is_due(recording: World) -> None:
    ana = await learner(recording)
    await work(recording)
    assert recording.tenant.id not in await JOB.due_tenants(recording.database, recording.tenant.id)
    await ana.launch()
    assert recording.tenant.id in await JOB.due_tenants(recording.database, recording.tenant.id)
    await work(recording)
    await recording.user()
    await webhook_jobs.RELAY.run_in(recording.database, recording.tenant.id)
    assert recording.tenant.id in await JOB.due_tenants(recording.database, recording.tenant.id)


def test_ids_follow_from_what_happened() -> None:
    from trilha.training.platform_statements.happenings import build_id

    assert build_id(UUID(int=1), "played") == build_id(UUID(int=1), "played")
    assert build_id(UUID(int=1), "played") != build_id(UUID(int=1), "paused")
