"""The launch of cmi5 content, its statements, and what they complete."""

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from training.cmi5.contents import AU, ORIGIN, Content, enroll
from training.xapi.clients import xapi_client
from trilha.core.errors import Conflict, NotFound
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.settings import Settings
from trilha.training.learning.cmi5 import rules
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.web.player.origin import ContentOrigin


async def test_content_completes_the_course(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "CompletedAndPassed", mastery_score=0.8)
    content = await learner.begin()
    assert content.given["registration"] == str(learner.id)
    assert content.address.startswith(f"{ORIGIN}/l/")
    assert "a=1&endpoint=" in content.address
    assert content.data["masteryScore"] == 0.8
    assert content.data["launchMode"] == "Normal"
    assert (await content.send("completed")).status_code == 200
    assert await learner.status() == "IN_PROGRESS"
    passed = content.build("passed")
    passed["result"] |= {"score": {"scaled": 0.9}}
    passed["context"]["extensions"] |= {rules.MASTERY_SCORE: 0.8}
    assert (await content.http.post("/xapi/statements", json=passed)).status_code == 200
    assert await learner.status() == "COMPLETED"
    # The same statement again changes nothing.
    assert (await content.http.post("/xapi/statements", json=passed)).status_code == 200
    assert (await content.send("terminated")).status_code == 200
    verbs = ["launched", "initialized", "completed", "passed", "satisfied", "satisfied", "terminated"]
    assert await learner.list_verbs() == verbs
    enrollment = (await world.http.get(f"/v1/enrollments/{learner.id}")).json()["data"]
    assert enrollment["score"] == 90
    assert (await content.send("failed")).status_code == 403
    assert (await content.state("own")).status_code == 403


async def test_the_address_to_fetch_the_token_works_once(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.open()
    token = (await content.fetch())["auth-token"]
    assert b64decode(token).startswith(b"cmi5:")
    assert (await content.fetch())["error-code"] == "1"
    unknown = await content.http.post(f"/xapi/fetch/{'a' * 43}")
    assert (unknown.status_code, unknown.json()["error-code"]) == (200, "2")
    # The code itself opens nothing.
    code = content.given["fetch"].rpartition("/")[2]
    content.http.auth = ("cmi5", code)
    assert (await content.state("LMS.LaunchData")).status_code == 403
    late = await learner.open()
    world.clock.move(hours=12)
    assert (await late.fetch())["error-code"] == "1"


async def test_statements_that_cmi5_does_not_allow(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "CompletedOrPassed")
    content = await learner.begin()
    template = content.data["contextTemplate"]
    refused = [
        content.build("initialized"),
        content.build("passed", object={"id": "https://example.com/other"}),
        content.build("completed", result={"completion": True}),
        content.build("completed", result={"duration": "PT1S"}),
        content.build("completed", timestamp="2026-11-28T12:00:00-03:00"),
        content.build("answered"),
        content.build("passed", result={"duration": "PT1S", "success": True, "score": {"raw": 1}}),
        content.build("experienced", context=template),
        content.build("voided", object={"objectType": "StatementRef", "id": str(uuid4())}),
    ]
    for each in refused:
        answer = await content.http.post("/xapi/statements", json=each)
        assert answer.status_code == 403, each
    # A batch with one that is refused stores nothing.
    batch = [content.build("completed"), content.build("completed")]
    assert (await content.http.post("/xapi/statements", json=batch)).status_code == 403
    assert await learner.list_verbs() == ["launched", "initialized"]
    put = {"json": {"a": 1}}
    assert (await content.state("LMS.LaunchData", "PUT", **put)).status_code == 403
    assert (await content.state("LMS.LaunchData", "DELETE")).status_code == 403
    assert (await content.state("own", "PUT", **put)).status_code == 204
    assert (await content.state("own")).json() == {"a": 1}


async def test_a_session_that_did_not_end_is_abandoned(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    first = await learner.begin()
    second = await learner.begin()
    assert second.given["activityId"] == first.given["activityId"]
    assert (await first.send("completed")).status_code == 403
    assert (await second.send("completed")).status_code == 200
    assert await learner.list_verbs() == [
        *("launched", "initialized", "abandoned", "launched", "initialized", "completed"),
        *("satisfied", "satisfied"),
    ]


async def test_content_that_was_never_used_is_abandoned(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    for _ in range(2):
        await learner.open()
    assert await learner.list_verbs() == ["launched", "abandoned", "launched"]


async def test_the_statements_of_an_enrollment_are_those_of_the_store(
    world: World, settings: Settings
) -> None:
    learner = await enroll(world, settings.address, "Completed")
    await learner.begin()
    listed = (await world.http.get(f"/v1/enrollments/{learner.id}/statements")).json()["data"]
    http = await xapi_client(world)
    stored = await http.get("/xapi/statements", params={"registration": str(learner.id), "ascending": "true"})
    assert len(listed) == 2
    assert listed == stored.json()["statements"]


async def test_the_content_of_another_module_is_abandoned(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed", "Completed")
    first = await learner.begin()
    second = await learner.open(1)
    # Content that is only opened does not end what the learner still uses.
    assert (await first.state("own", "PUT", json={"page": 3})).status_code == 204
    await second.begin()
    for answer in (await first.send("completed"), await first.state("own")):
        assert answer.status_code == 403
    assert await learner.list_verbs() == [
        *("launched", "initialized", "launched", "abandoned", "initialized"),
    ]
    answer = await world.http.get(f"/v1/enrollments/{learner.id}/statements")
    (abandoned,) = [each for each in answer.json()["data"] if each["verb"]["id"].endswith("/abandoned")]
    assert abandoned["object"]["id"] == first.given["activityId"]
    grouping = abandoned["context"]["contextActivities"]["grouping"]
    assert [each["id"] for each in grouping] == [f"{AU}/0"]
    assert (await second.send("completed")).status_code == 200


@pytest.mark.parametrize(
    ("verb", "score"),
    [
        ("passed", {"scaled": 0.79}),
        ("passed", {"raw": 10, "min": 0, "max": 100}),
        ("failed", {"raw": 9, "min": 0, "max": 10}),
        ("failed", {"scaled": -0.5}),
    ],
)
async def test_a_score_that_contradicts_the_verb_is_refused(
    world: World, settings: Settings, verb: str, score: dict[str, float]
) -> None:
    learner = await enroll(world, settings.address, "Passed", mastery_score=0.8)
    content = await learner.begin()
    result = {"duration": "PT1S", "success": verb == "passed"}
    context = content.build(verb)["context"]
    context["extensions"] = context["extensions"] | {rules.MASTERY_SCORE: 0.8}
    answer = await content.send(verb, result=result | {"score": score}, context=context)
    assert answer.status_code == 403
    assert (await content.send(verb, result=result)).status_code == 200


async def test_units_without_a_criterion_are_satisfied_before_the_launch(
    world: World, settings: Settings
) -> None:
    learner = await enroll(world, settings.address, "NotApplicable")
    await learner.open()
    assert await learner.list_verbs() == ["satisfied", "satisfied", "launched"]
    assert await learner.status() == "COMPLETED"


async def test_a_block_needs_all_its_units(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed", "Passed")
    first = await learner.begin()
    assert (await first.send("completed")).status_code == 200
    assert "satisfied" not in await learner.list_verbs()
    second = await learner.begin(1)
    assert (await second.send("failed")).status_code == 200
    assert await learner.status() == "IN_PROGRESS"
    again = await learner.begin(1)
    assert (await again.send("passed")).status_code == 200
    assert (await learner.list_verbs()).count("satisfied") == 2
    assert await learner.status() == "COMPLETED"


async def test_a_module_is_waived(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Passed")
    await learner.waive()
    async with world.tx() as tx:
        page = await audit.list_page(tx, AuditQuery(action="enrollment.", limit=100))
    assert "enrollment.module_waived" in {each.action for each in page.data}
    assert await learner.list_verbs() == ["waived", "satisfied", "satisfied"]
    assert await learner.status() == "COMPLETED"
    with pytest.raises(Conflict, match="already_waived"):
        await learner.waive()
    learner.modules = [uuid4()]
    with pytest.raises(NotFound):
        await learner.waive()
    content = await (await enroll(world, settings.address, "Passed")).begin()
    assert content.data["launchMode"] == "Normal"


async def test_a_review_records_no_results(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Passed")
    await learner.waive()
    content = await learner.begin()
    assert content.data["launchMode"] == "Review"
    assert (await content.send("passed")).status_code == 403
    assert (await answer_question(content)).status_code == 200
    assert (await world.http.get(f"/v1/enrollments/{learner.id}/interactions")).json()["data"] == []
    assert (await content.send("terminated")).status_code == 200


async def test_nothing_counts_after_the_enrollment_has_expired(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.begin()
    async with world.tx() as tx:
        await tx.execute("UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant")
    world.clock.move(seconds=1)
    assert await learner.status() == "EXPIRED"
    assert (await content.send("completed")).status_code == 403
    assert (await content.state("own", "PUT", json={"a": 1})).status_code == 403
    async with world.tx() as tx:
        launch_id = await tx.value("SELECT id FROM launches WHERE tenant_id = :tenant")
    with pytest.raises(Conflict):
        await learner.open_again(launch_id)
    assert await learner.list_verbs() == ["launched", "initialized"]


async def test_a_state_that_arrives_after_the_end_is_refused(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.begin()

    async def send_slowly() -> AsyncIterator[bytes]:
        yield b"{"
        assert (await content.send("terminated")).status_code == 200
        yield b"}"

    answer = await content.state("own", "PUT", content=send_slowly())
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "outside_of_launch")


async def answer_question(content: Content) -> httpx2.Response:
    question = {
        "id": "https://publisher.example/questions/1",
        "definition": {
            "type": "http://adlnet.gov/expapi/activities/cmi.interaction",
            "interactionType": "choice",
            "description": {"pt-BR": "Qual é a altura?"},
            "choices": [
                {"id": "a", "description": {"pt-BR": "Dois metros"}},
                {"id": "b", "description": {"pt-BR": "Três metros"}},
            ],
            "correctResponsesPattern": ["a"],
        },
    }
    context = content.data["contextTemplate"] | {"registration": content.given["registration"]}
    result = {"response": "b", "success": False}
    return await content.send("answered", object=question, context=context, result=result)


async def test_answers_are_interactions(world: World, settings: Settings) -> None:
    learner = await enroll(world, settings.address, "Completed")
    content = await learner.begin()
    assert (await answer_question(content)).status_code == 200
    (answer,) = (await world.http.get(f"/v1/enrollments/{learner.id}/interactions")).json()["data"]
    assert answer["description"] == "Qual é a altura?"
    assert (answer["response"], answer["correct_response"]) == ("Três metros", "Dois metros")
    assert answer["result"] == "incorrect"


async def test_a_launch_reaches_its_learner_only(world: World, settings: Settings) -> None:
    one, other = [await (await enroll(world, settings.address, "Completed")).begin() for _ in range(2)]
    foreign = one.build("experienced", context={"registration": other.given["registration"]})
    assert (await one.http.post("/xapi/statements", json=foreign)).status_code == 403
    assert (await one.http.get("/xapi/statements", params={"agent": other.given["actor"]})).status_code == 403
    # Others may have said something about the learner.
    store = await xapi_client(world)
    about = {"id": str(uuid4()), "actor": {"mbox": "mailto:chefe@example.com"}}
    about |= {"verb": {"id": "https://example.com/praised"}, "object": json.loads(one.given["actor"])}
    about |= {"context": {"registration": one.given["registration"]}}
    assert (await store.post("/xapi/statements", json=about)).status_code == 200
    mine = (await one.http.get("/xapi/statements")).json()["statements"]
    assert len(mine) == 2
    assert {each["context"]["registration"] for each in mine} == {one.given["registration"]}
    one.given |= {name: other.given[name] for name in ("actor", "registration", "activityId")}
    assert (await one.state("LMS.LaunchData")).status_code == 403
    assert len((await store.get("/xapi/statements")).json()["statements"]) == 5


@pytest.mark.parametrize(("method", "part"), [("AnyWindow", 'id="content"'), ("OwnWindow", 'id="open"')])
async def test_the_page_opens_the_content(world: World, settings: Settings, method: str, part: str) -> None:
    learner = await enroll(world, settings.address, "Completed", launch_method=method)
    async with world.tx() as tx:
        made = await launch(tx, learner.user_id, learner.id, learner.modules[0], LaunchClient("", ""))
        context = await launch_queries.find_context(tx, made.launch_id)
    assert context
    origin = ContentOrigin("http://*.content.localhost:8000", "", world.database.keyring)
    host = origin.address(origin.label(world.tenant.id, context.sha256), "").partition("://")[2]
    http = world.client()
    http.headers["host"] = host
    page = await http.get(f"/l/{made.token}/")
    assert (page.status_code, part in page.text) == (200, True), page.text
    answer = await http.post(f"/l/{made.token}/session", json={})
    assert answer.status_code == 200, answer.text
    assert answer.json()["own_window"] == (method == "OwnWindow")
    # The token in the address reads files and the last page, and nothing else.
    token = urlsplit(answer.json()["address"]).path.split("/")[2]
    assert token != made.token
    assert (await http.get(f"/l/{token}/returned")).status_code == 200
    assert (await http.get(f"/l/{token}/p/index.html")).status_code == 404  # the package has no files
    for path in ("", "heartbeat", "session"):
        refused = await http.request("POST" if path else "GET", f"/l/{token}/{path}", json={})
        assert refused.status_code == 404, path


async def test_many_reads_of_the_preferences_do_not_wait_for_each_other(
    world: World, settings: Settings
) -> None:
    content = await (await enroll(world, settings.address, "CompletedOrPassed")).begin()
    parameters = {"agent": content.given["actor"], "profileId": "cmi5LearnerPreferences"}
    reads = [content.http.get("/xapi/agents/profile", params=parameters) for _ in range(24)]
    async with asyncio.timeout(30):
        assert {each.status_code for each in await asyncio.gather(*reads)} == {200}
