"""GET /v1/webhooks/event-types"""

from jsonschema import Draft202012Validator

from conftest import World
from trilha.platform.events.catalogue import CATALOGUE


async def test_shows_the_catalogue_in_its_order(world: World) -> None:
    page = (await world.http.get("/v1/webhooks/event-types?limit=100")).json()
    assert (page["next_cursor"], page["has_more"]) == (None, False)
    assert [each["type"] for each in page["data"]] == list(CATALOGUE)
    for each in page["data"]:
        assert each.keys() == {"type", "description", "schema"}
        Draft202012Validator.check_schema(each["schema"])
        assert list(each["schema"]["properties"]) == list(CATALOGUE[each["type"]].__struct_fields__)
        assert each["schema"]["required"] == list(each["schema"]["properties"])


async def test_says_when_each_is_emitted(world: World) -> None:
    types = (await world.http.get("/v1/webhooks/event-types?limit=100")).json()["data"]
    descriptions = {each["type"]: each["description"] for each in types}
    assert descriptions["user.created"].startswith("Sent when a user is created")
    assert not [each for each in descriptions.values() if "Not emitted" in each]


async def test_has_pages_as_every_list(world: World) -> None:
    seen: list[str] = []
    query = "limit=5"
    while query:
        page = (await world.http.get(f"/v1/webhooks/event-types?{query}")).json()
        assert (page["limit"], len(page["data"]) <= 5) == (5, True)
        seen += [each["type"] for each in page["data"]]
        query = f"limit=5&cursor={page['next_cursor']}" if page["has_more"] else ""
    assert seen == list(CATALOGUE)


async def test_shows_the_fields_that_are_asked_for(world: World) -> None:
    page = (await world.http.get("/v1/webhooks/event-types?fields=type&limit=2")).json()
    assert page["data"] == [{"type": type} for type in list(CATALOGUE)[:2]]


async def test_refuses_other_parameters(world: World) -> None:
    for query, code in (("type=user.created", "unknown_parameter"), ("cursor=abc", "invalid_cursor")):
        answer = await world.http.get(f"/v1/webhooks/event-types?{query}")
        assert answer.json()["error"]["code"] == code


async def test_asks_for_its_scope(world: World) -> None:
    refused = await world.client(await world.key("users:read")).get("/v1/webhooks/event-types")
    assert refused.status_code == 403
