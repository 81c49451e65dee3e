"""Statements are stored once and never change, and are found by everything in them."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from training.xapi.clients import (
    ACTIVITY,
    VERB,
    VOIDED,
    attachment,
    binary,
    multipart,
    reference,
    statement,
    xapi_client,
)

JSON = {"Content-Type": "application/json"}


async def store(http: httpx2.AsyncClient, *statements: dict[str, Any]) -> None:
    answer = await http.post("/xapi/statements", json=list(statements))
    assert answer.status_code == 200, answer.text
    assert answer.json() == [each["id"] for each in statements]


async def ids_of(http: httpx2.AsyncClient, **parameters: Any) -> list[str]:
    """Returns the ids of every page."""
    found: list[str] = []
    answer = await http.get("/xapi/statements", params=parameters)
    while True:
        assert answer.status_code == 200, answer.text
        found += [each["id"] for each in answer.json()["statements"]]
        if not answer.json()["more"]:
            return found
        answer = await http.get(answer.json()["more"])


def agent(one: dict[str, Any]) -> str:
    return json.dumps(one["actor"])


async def test_a_statement_comes_back_as_it_was_sent(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    # The exact digits and escapes are those of the client.
    text = json.dumps(one)[:-1] + ', "result": {"score": {"raw": 1.50, "max": 1e2}, "response": "\\u00e9"}}'
    answer = await http.post("/xapi/statements", content=text, headers=JSON)
    assert answer.status_code == 200
    answer = await http.get("/xapi/statements", params={"statementId": one["id"]})
    assert '"score": {"raw": 1.50, "max": 1e2}, "response": "\\u00e9"' in answer.text
    stored = answer.json()
    assert stored["version"] == "2.0.0"
    assert stored["authority"]["account"]["name"].startswith("xapi_key:")
    assert stored["timestamp"]
    assert stored["stored"].endswith("Z")
    assert answer.headers["last-modified"]
    assert answer.headers["x-experience-api-version"] == "2.0.0"


async def test_the_same_statement_is_stored_once(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    await store(http, one)
    await store(http, one)
    answer = await http.put(f"/xapi/statements?statementId={one['id']}", json=one)
    assert answer.status_code == 204
    other = one | {"verb": {"id": "https://example.com/failed"}}
    answer = await http.put(f"/xapi/statements?statementId={one['id']}", json=other)
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "statement_exists"
    assert await ids_of(http) == [one["id"]]


async def test_a_batch_with_a_conflict_stores_nothing(world: World) -> None:
    http = await xapi_client(world)
    one, new = statement(), statement()
    await store(http, one)
    conflicting = one | {"verb": {"id": "https://example.com/failed"}}
    assert (await http.post("/xapi/statements", json=[new, conflicting])).status_code == 409
    assert (await http.post("/xapi/statements", json=[new, new])).status_code == 400
    assert (await http.post("/xapi/statements", json=[new, {"id": "x"}])).status_code == 400
    assert await ids_of(http) == [one["id"]]


async def test_concurrent_requests_with_one_id_store_one(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    others = [one | {"verb": {"id": f"https://example.com/{number}"}} for number in range(5)]
    answers = await asyncio.gather(*(http.post("/xapi/statements", json=each) for each in others))
    assert sorted(each.status_code for each in answers) == [200, 409, 409, 409, 409]
    assert len(await ids_of(http)) == 1


async def test_every_filter(world: World) -> None:
    http = await xapi_client(world)
    registration = str(uuid4())
    instructor = {"objectType": "Agent", "account": {"homePage": "https://hr.example", "name": "7"}}
    parent = "https://courses.example/safety"
    rich = statement(
        context={
            "registration": registration,
            "instructor": instructor,
            "contextActivities": {"parent": {"id": parent}},
        }
    )
    group = statement(actor={"objectType": "Group", "member": [rich["actor"]]})
    other = statement(verb={"id": "https://example.com/tried"}, object={"id": "https://example.com/other"})
    await store(http, rich, group, other)
    everything = [other["id"], group["id"], rich["id"]]
    assert await ids_of(http) == everything
    assert await ids_of(http, ascending="true") == everything[::-1]
    assert await ids_of(http, limit=1) == everything
    assert await ids_of(http, limit=1, ascending="true") == everything[::-1]
    assert await ids_of(http, agent=agent(rich)) == [group["id"], rich["id"]]
    assert await ids_of(http, agent=agent(rich), verb=VERB, activity=ACTIVITY) == [group["id"], rich["id"]]
    assert await ids_of(http, agent=agent(rich), verb="https://example.com/tried") == []
    assert await ids_of(http, verb="https://example.com/tried") == [other["id"]]
    assert await ids_of(http, activity=ACTIVITY, registration=registration) == [rich["id"]]
    assert await ids_of(http, registration=registration) == [rich["id"]]
    assert await ids_of(http, agent=json.dumps(instructor)) == []
    assert await ids_of(http, agent=json.dumps(instructor), related_agents="true") == [rich["id"]]
    assert await ids_of(http, activity=parent) == []
    assert await ids_of(http, activity=parent, related_activities="true") == [rich["id"]]
    stored = (await http.get("/xapi/statements", params={"statementId": group["id"]})).json()["stored"]
    assert await ids_of(http, since=stored) == [other["id"]]
    assert await ids_of(http, until=stored) == [group["id"], rich["id"]]


async def test_a_voided_statement_is_found_only_by_its_id(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    voiding = statement(verb={"id": VOIDED}, object=reference(one["id"]))
    await store(http, one)
    await store(http, voiding)
    assert await ids_of(http) == [voiding["id"]]
    # It refers to a statement that matches.
    assert await ids_of(http, agent=agent(one)) == [voiding["id"]]
    assert (await http.get("/xapi/statements", params={"statementId": one["id"]})).status_code == 404
    found = await http.get("/xapi/statements", params={"voidedStatementId": one["id"]})
    assert found.json()["id"] == one["id"]
    # A voiding statement cannot be voided.
    await store(http, statement(verb={"id": VOIDED}, object=reference(voiding["id"])))
    assert (await http.get("/xapi/statements", params={"statementId": voiding["id"]})).status_code == 200


async def test_a_statement_may_be_voided_before_it_arrives(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    voiding = statement(verb={"id": VOIDED}, object=reference(one["id"]))
    await store(http, voiding)
    await store(http, one)
    assert await ids_of(http) == [voiding["id"]]


async def test_a_statement_with_many_comments_may_be_voided_before_it_arrives(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    commented = {"id": "https://example.com/commented"}
    comments = [statement(verb=commented, object=reference(one["id"])) for _ in range(1000)]
    assert (await http.post("/xapi/statements", json=comments)).status_code == 200
    await store(http, statement(verb={"id": VOIDED}, object=reference(one["id"])))
    await store(http, one)
    assert (await http.get("/xapi/statements", params={"statementId": one["id"]})).status_code == 404
    voided = await http.get("/xapi/statements", params={"voidedStatementId": one["id"]})
    assert voided.status_code == 200


async def test_references_are_followed(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    comment = statement(verb={"id": "https://example.com/commented"}, object=reference(one["id"]))
    reply = statement(verb={"id": "https://example.com/replied"}, object=reference(comment["id"]))
    await store(http, reply)
    await store(http, comment)
    await store(http, one)
    everything = [one["id"], comment["id"], reply["id"]]
    assert await ids_of(http, agent=agent(one)) == everything
    assert await ids_of(http, agent=agent(one), limit=1) == everything
    assert await ids_of(http, verb=VERB) == everything
    assert await ids_of(http, activity=ACTIVITY, ascending="true") == everything[::-1]


async def test_attachments(world: World) -> None:
    http = await xapi_client(world)
    photo = b"\x89PNG\r\n\x00\xff--b0undary"
    one = statement(attachments=[attachment(photo)])
    assert (await http.post("/xapi/statements", json=one)).status_code == 400  # without its content
    body, headers = multipart((JSON, json.dumps(one).encode()), binary(photo))
    assert (await http.post("/xapi/statements", content=body, headers=headers)).status_code == 200
    answer = await http.get("/xapi/statements", params={"statementId": one["id"], "attachments": "true"})
    assert answer.headers["content-type"].startswith("multipart/mixed; boundary=")
    assert photo in answer.content
    assert attachment(photo)["sha2"].encode() in answer.content
    answer = await http.get("/xapi/statements", params={"statementId": one["id"]})
    assert answer.json()["attachments"][0]["length"] == len(photo)


@pytest.mark.parametrize("change", ["content", "hash", "encoding", "type", "end"])
async def test_damaged_attachments_are_refused(world: World, change: str) -> None:
    http = await xapi_client(world)
    part_headers, content = binary(b"photo")
    one = statement(attachments=[attachment(b"photo")])
    first = dict(JSON)
    if change == "content":
        content = b"other"
    elif change == "hash":
        part_headers["X-Experience-API-Hash"] = "0" * 64
    elif change == "encoding":
        part_headers["Content-Transfer-Encoding"] = "base64"
    elif change == "type":
        first["Content-Type"] = "text/plain"
    body, headers = multipart((first, json.dumps(one).encode()), (part_headers, content))
    if change == "end":
        body = body[:-10]
    answer = await http.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 400, answer.text
    assert await ids_of(http) == []


async def test_canonical_and_short_forms(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    await store(http, one)
    await store(http, statement(object={"id": ACTIVITY, "definition": {"name": {"es": "Alturas"}}}))
    parameters = {"statementId": one["id"], "format": "canonical"}
    answer = await http.get(
        "/xapi/statements", params=parameters, headers={"accept-language": "es, en;q=0.5"}
    )
    assert answer.json()["object"]["definition"]["name"] == {"es": "Alturas"}
    assert answer.json()["verb"]["display"] == {"en": "completed"}
    answer = await http.get("/xapi/statements", params=parameters, headers={"accept-language": "pt"})
    assert answer.json()["verb"]["display"] == {"pt-BR": "concluiu"}
    short = (await http.get("/xapi/statements", params={"statementId": one["id"], "format": "ids"})).json()
    assert short["object"] == {"id": ACTIVITY}
    assert short["verb"] == {"id": VERB}
    activity = (await http.get("/xapi/activities", params={"activityId": ACTIVITY})).json()
    assert activity["definition"]["name"] == {"en": "Heights", "pt-BR": "Altura", "es": "Alturas"}
    unknown = (await http.get("/xapi/activities", params={"activityId": "https://example.com/none"})).json()
    assert unknown == {"objectType": "Activity", "id": "https://example.com/none"}


async def test_a_person(world: World) -> None:
    http = await xapi_client(world)
    one = statement()
    one["actor"]["name"] = "Ana Lima"
    await store(http, one)
    person = (
        await http.get("/xapi/agents", params={"agent": json.dumps({"mbox": one["actor"]["mbox"]})})
    ).json()
    assert person == {"objectType": "Person", "name": ["Ana Lima"], "mbox": [one["actor"]["mbox"]]}


async def test_stored_never_goes_back(world: World) -> None:
    """The test's clock stands still: times differ all the same."""
    http = await xapi_client(world)
    await asyncio.gather(*(store(http, statement(), statement()) for _ in range(10)))
    answer = await http.get("/xapi/statements", params={"ascending": "true"})
    times = [each["stored"] for each in answer.json()["statements"]]
    assert times == sorted(set(times))
    assert len(times) == 20
    assert answer.headers["x-experience-api-consistent-through"] >= times[-1]
    world.clock.move(days=-1)
    late = statement()
    await store(http, late)
    assert await ids_of(http, since=times[-1]) == [late["id"]]


async def test_a_reader_that_goes_on_misses_nothing(world: World) -> None:
    http = await xapi_client(world)
    written: list[str] = []
    found: list[str] = []

    async def write() -> None:
        for _ in range(15):
            one = statement()
            await store(http, one)
            written.append(one["id"])

    async def read() -> None:
        since = "1970-01-01T00:00:00Z"
        while len(set(found)) < 45:
            answer = await http.get(
                "/xapi/statements", params={"since": since, "ascending": "true", "limit": 3}
            )
            since_next = answer.headers["x-experience-api-consistent-through"]
            while True:
                found.extend(each["id"] for each in answer.json()["statements"])
                if not answer.json()["more"]:
                    break
                answer = await http.get(answer.json()["more"])
            since = since_next

    async with asyncio.timeout(60):
        await asyncio.gather(write(), write(), write(), read())
    assert set(written) == set(found)


async def test_the_address_of_more_is_on_this_server(world: World) -> None:
    http = await xapi_client(world)
    await store(http, statement(), statement())
    more = (await http.get("/xapi/statements", params={"limit": 1})).json()["more"]
    assert urlsplit(more).path == "/xapi/statements"
    assert not urlsplit(more).netloc


async def test_timestamps_become_utc_in_version_2(world: World) -> None:
    http = await xapi_client(world)
    one = statement(timestamp="2026-05-04T12:00:00.1234-05:00")
    await store(http, one)
    stored = (await http.get("/xapi/statements", params={"statementId": one["id"]})).json()
    assert stored["timestamp"] == "2026-05-04T17:00:00.1234Z"
