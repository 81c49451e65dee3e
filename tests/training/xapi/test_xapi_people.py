"""People of the company in statements: their export, and their erasure."""

import asyncio
import json
from uuid import UUID

from conftest import World
from training.xapi.clients import ACTIVITY, statement, xapi_client
from trilha import app as trilha_app
from trilha.feature import ExportReader
from trilha.training.xapi import people
from trilha.training.xapi.documents import actions as documents
from trilha.training.xapi.documents import queries as document_queries
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.identifiers import agent_key


async def export(world: World, user_id: UUID) -> list[dict[str, object]]:
    reader = ExportReader(world.tx, "https://learn.example.com", world.database.keyring)
    pages = [page async for page in people.EXPORT[0].pages(reader, user_id)]
    return [each.statement for page in pages for each in page]


async def test_what_is_stored_during_an_erasure_is_erased(world: World) -> None:
    user = await world.user()
    user_id = UUID(user["id"])
    agent = {"mbox": f"mailto:{user['email']}", "name": "Ana Lima"}
    key = agent_key(agent)
    assert key is not None
    http = await xapi_client(world)
    assert (await http.post("/xapi/statements", json=statement(actor=agent))).status_code == 200
    async with world.tx() as tx:
        await people.keep_agent(tx, key, agent)
        document = documents.build_document(tx, documents.JSON, b"{}")
        await document_queries.insert(tx, Place("AGENT_PROFILE", agent=key), "late", document)

        async def erase() -> None:
            async with world.tx() as other:
                await people.erase(other, user_id)

        erasing = asyncio.create_task(erase())
        await asyncio.sleep(0.3)
    await erasing
    answer = await http.get("/xapi/statements")
    assert "Ana Lima" not in answer.text
    profile = {"agent": json.dumps(agent), "profileId": "late"}
    assert (await http.get("/xapi/agents/profile", params=profile)).status_code == 404


async def test_what_is_stored_after_an_erasure_is_found(world: World) -> None:
    user = await world.user()
    user_id = UUID(user["id"])
    agent = {"account": {"homePage": "https://learn.example.com", "name": user["id"]}}
    http = await xapi_client(world)
    assert (await http.post("/xapi/statements", json=statement(actor=agent))).status_code == 200
    late = statement(actor=agent)
    async with world.tx() as tx:
        await people.erase(tx, user_id)
        sending = asyncio.create_task(http.post("/xapi/statements", json=late))
        await asyncio.sleep(0.3)
        # Readers do not wait for it.
        world.clock.move(minutes=10)
        async with asyncio.timeout(20):
            assert (await http.get("/xapi/statements")).status_code == 200
    assert (await sending).status_code == 200
    assert [each["id"] for each in await export(world, user_id)] == [late["id"]]


async def test_a_person_is_exported_and_erased(world: World) -> None:
    user = await world.user()
    http = await xapi_client(world)
    by_mail = statement(actor={"mbox": f"mailto:{user['email'].upper()}", "name": "Ana Lima"})
    account = {"homePage": "https://learn.example.com", "name": user["id"]}
    by_account = statement(
        actor={"objectType": "Group", "member": [{"account": account, "name": "Ana Lima"}]},
        context={"instructor": {"mbox": f"mailto:{user['email']}"}},
    )
    other = statement()
    answer = await http.post("/xapi/statements", json=[by_mail, by_account, other])
    assert answer.status_code == 200, answer.text
    agent = json.dumps({"account": account})
    state = {"activityId": ACTIVITY, "agent": agent, "stateId": "s"}
    assert (await http.put("/xapi/activities/state", params=state, json={"a": 1})).status_code == 204
    exported = await export(world, UUID(user["id"]))
    assert [each["id"] for each in exported] == [by_mail["id"], by_account["id"]]

    async with world.tx() as tx:
        await trilha_app.PERSONAL_DATA.erase(tx, UUID(user["id"]))
    answer = await http.get("/xapi/statements", params={"ascending": "true"})
    assert user["email"] not in answer.text.lower()
    assert user["id"] not in answer.text
    assert "Ana Lima" not in answer.text
    first, second, third = answer.json()["statements"]
    assert third["actor"] == other["actor"]
    pseudonym = first["actor"]
    assert pseudonym["account"]["homePage"] == people.ERASED_HOME_PAGE
    assert second["actor"]["member"] == [pseudonym]
    assert second["context"]["instructor"] == pseudonym
    found = await http.get("/xapi/statements", params={"agent": json.dumps(pseudonym)})
    assert len(found.json()["statements"]) == 2
    assert (await http.get("/xapi/statements", params={"agent": agent})).json()["statements"] == []
    assert (await http.get("/xapi/activities/state", params=state)).status_code == 404
    assert await export(world, UUID(user["id"])) == []
