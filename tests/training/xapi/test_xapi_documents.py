"""States and profiles, their entity tags and preconditions."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from training.xapi.clients import ACTIVITY, xapi_client
from trilha.training.xapi.documents import actions, queries
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.identifiers import activity_key, agent_key

AGENT = json.dumps({"mbox": "mailto:ana@example.com"})
PLACES: dict[str, tuple[str, dict[str, Any]]] = {
    "state": ("/xapi/activities/state", {"activityId": ACTIVITY, "agent": AGENT, "stateId": "bookmark"}),
    "activity": ("/xapi/activities/profile", {"activityId": ACTIVITY, "profileId": "settings"}),
    "agent": ("/xapi/agents/profile", {"agent": AGENT, "profileId": "cmi5LearnerPreferences"}),
}


@pytest.mark.parametrize("kind", PLACES)
async def test_a_document(world: World, kind: str) -> None:
    http = await xapi_client(world)
    path, parameters = PLACES[kind]
    assert (await http.get(path, params=parameters)).status_code == 404
    assert (await http.put(path, params=parameters, json={"a": 1})).status_code == 204
    answer = await http.get(path, params=parameters)
    assert answer.json() == {"a": 1}
    tag = answer.headers["etag"]
    assert answer.headers["last-modified"]
    assert (await http.get(path, params=parameters, headers={"if-none-match": tag})).status_code == 304
    conflict = await http.put(path, params=parameters, json={"a": 2})
    assert conflict.status_code == 409
    assert conflict.json()["error"]["code"] == "document_exists"
    changed = await http.put(path, params=parameters, json={"a": 2}, headers={"if-match": '"0"'})
    assert changed.status_code == 412
    assert changed.json()["error"]["code"] == "document_changed"
    weak = await http.put(path, params=parameters, json={"a": 2}, headers={"if-match": f"W/{tag}"})
    assert weak.status_code == 412
    exists = await http.put(path, params=parameters, json={"a": 2}, headers={"if-none-match": "*"})
    assert exists.status_code == 412
    assert (
        await http.put(path, params=parameters, json={"a": 2}, headers={"if-match": tag})
    ).status_code == 204
    assert (await http.post(path, params=parameters, json={"b": 3})).status_code == 204
    assert (await http.get(path, params=parameters)).json() == {"a": 2, "b": 3}
    names = {name: value for name, value in parameters.items() if name not in ("stateId", "profileId")}
    assert len((await http.get(path, params=names)).json()) == 1
    assert (await http.get(path, params=names | {"since": "9999-01-01T00:00:00Z"})).json() == []
    assert (await http.delete(path, params=parameters, headers={"if-match": tag})).status_code == 412
    assert (await http.delete(path, params=parameters)).status_code == 204
    missing = await http.get(path, params=parameters)
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "document_not_found"


async def test_a_state_is_replaced_without_a_precondition_in_version_1(world: World) -> None:
    http = await xapi_client(world, version="1.0.3")
    path, parameters = PLACES["state"]
    for number in range(2):
        assert (await http.put(path, params=parameters, json={"a": number})).status_code == 204


@pytest.mark.parametrize("method", ["PUT", "POST"])
async def test_two_create_a_state_at_once(world: World, method: str) -> None:
    http = await xapi_client(world, version="1.0.3")
    path, parameters = PLACES["state"]
    agent = agent_key(json.loads(AGENT))
    assert agent is not None
    place = Place("STATE", activity_key(ACTIVITY), agent)
    async with world.tx() as tx:
        await queries.insert(tx, place, "bookmark", actions.build_document(tx, actions.JSON, b'{"a":1}'))
        second = asyncio.create_task(http.request(method, path, params=parameters, json={"b": 2}))
        await asyncio.sleep(0.3)
    assert (await second).status_code == 204
    both = {"a": 1, "b": 2} if method == "POST" else {"b": 2}
    assert (await http.get(path, params=parameters)).json() == both


async def test_documents_of_any_type(world: World) -> None:
    http = await xapi_client(world)
    path, parameters = PLACES["state"]
    content = b"<script>\xff"
    await http.put(path, params=parameters, content=content, headers={"content-type": "text/html"})
    answer = await http.get(path, params=parameters)
    assert answer.content == content
    assert answer.headers["content-type"] == "text/html"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert (await http.post(path, params=parameters, json={"a": 1})).status_code == 400


async def test_states_of_registrations(world: World) -> None:
    http = await xapi_client(world)
    path, parameters = PLACES["state"]
    registration = str(uuid4())
    await http.put(path, params=parameters, json=1)
    await http.put(path, params=parameters | {"registration": registration}, json=2)
    assert (await http.get(path, params=parameters)).json() == 1
    assert (await http.get(path, params=parameters | {"registration": registration})).json() == 2
    names = {"activityId": ACTIVITY, "agent": AGENT}
    assert (await http.delete(path, params=names | {"registration": registration})).status_code == 204
    assert (await http.get(path, params=names)).json() == ["bookmark"]
    assert (await http.delete(path, params=names)).status_code == 204
    assert (await http.get(path, params=names)).json() == []


@pytest.mark.parametrize("left_out", ["activityId", "agent", "stateId"])
async def test_missing_parameters(world: World, left_out: str) -> None:
    http = await xapi_client(world)
    path, parameters = PLACES["state"]
    fewer = {name: value for name, value in parameters.items() if name != left_out}
    assert (await http.put(path, params=fewer, json={})).status_code == 400
