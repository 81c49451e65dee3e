"""People of the company in statements: their export, and their erasure."""

import json
from uuid import UUID

from conftest import World
from training.xapi.clients import ACTIVITY, statement, xapi_client
from trilha import app as trilha_app
from trilha.feature import ExportReader
from trilha.training.xapi import people


async def export(world: World, user_id: UUID) -> list[dict[str, object]]:
    reader = ExportReader(world.tx, "https://learn.example.com", world.database.keyring)
    pages = [page async for page in people.EXPORT[0].pages(reader, user_id)]
    return [each.statement for page in pages for each in page]


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
