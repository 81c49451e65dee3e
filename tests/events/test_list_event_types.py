"""GET /v1/webhooks/event-types"""

from jsonschema import Draft202012Validator

from conftest import World
from trilha.events.catalogue import CATALOGUE


async def test_shows_the_catalogue_in_its_order(world: World) -> None:
    page = (await world.http.get("/v1/webhooks/event-types")).json()
    assert (page["next_cursor"], page["has_more"]) == (None, False)
    assert len(page["data"]) <= page["limit"]
    assert [each["type"] for each in page["data"]] == list(CATALOGUE)
    for each in page["data"]:
        assert each.keys() == {"type", "description", "schema"}
        Draft202012Validator.check_schema(each["schema"])
        assert list(each["schema"]["properties"]) == list(CATALOGUE[each["type"]].__struct_fields__)
        assert each["schema"]["required"] == list(each["schema"]["properties"])


async def test_says_what_is_still_to_come(world: World) -> None:
    types = (await world.http.get("/v1/webhooks/event-types")).json()["data"]
    descriptions = {each["type"]: each["description"] for each in types}
    assert descriptions["user.created"] == "Emitted when a user is created, by any way in."
    assert descriptions["user.deleted"].endswith(". Not emitted yet.")


async def test_takes_no_parameter(world: World) -> None:
    for query in ("limit=1", "cursor=abc", "type=user.created"):
        answer = await world.http.get(f"/v1/webhooks/event-types?{query}")
        assert answer.json()["error"]["code"] == "unknown_parameter"


async def test_asks_for_its_scope(world: World) -> None:
    refused = await world.client(await world.key("users:read")).get("/v1/webhooks/event-types")
    assert refused.status_code == 403
