"""The numbered cases of provider requests: credentials, discovery, and the range of the protocol."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from access.scim.providers import (
    ENT,
    GROUP,
    LIST,
    SCIM,
    SEARCH,
    USER,
    G,
    Provider,
    U,
    a_user,
    check_error,
    new_token,
    op,
)
from conftest import World
from trilha import app as trilha_app
from trilha.access.scim import urns
from trilha.access.scim.tokens import actions as tokens
from trilha.access.scim.tokens import queries as token_queries
from trilha.core.database import Database
from trilha.core.web.rate_limits import Limit
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from trilha.settings import Settings

DISCOVERY = ("ServiceProviderConfig", "ResourceTypes", "Schemas")


def listed(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == SCIM
    told: dict[str, Any] = answer.json()
    assert told["schemas"] == [LIST]
    return told


async def test_01_without_a_token(world: World) -> None:
    answer = await world.client().get(U)
    check_error(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_02_with_another_kind_of_credential(world: World) -> None:
    for client in (world.http, world.client("nonsense"), world.client("trl_scim_" + "x" * 43)):
        answer = await client.get(U)
        check_error(answer, 401)
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_03_the_token_opens_nothing_else(provider: Provider) -> None:
    answer = await provider.http.get("/v1/users")
    assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")


async def test_04_service_provider_config(provider: Provider) -> None:
    told = (await provider.get("/scim/v2/ServiceProviderConfig")).json()
    supported = {
        name: told[name]["supported"] for name in ("patch", "bulk", "filter", "etag", "changePassword")
    }
    assert supported == {"patch": True, "bulk": False, "filter": True, "etag": True, "changePassword": False}
    assert told["filter"]["maxResults"] == 100
    assert told["pagination"]["cursor"] is True
    (scheme,) = told["authenticationSchemes"]
    assert scheme["type"] == "oauthbearertoken"


async def test_05_resource_types(provider: Provider) -> None:
    told = listed(await provider.get("/scim/v2/ResourceTypes"))
    found = {each["name"]: each for each in told["Resources"]}
    assert found["User"]["endpoint"] == "/Users"
    assert [each["schema"] for each in found["User"]["schemaExtensions"]] == [ENT, urns.TRILHA]
    assert found["Group"]["endpoint"] == "/Groups"
    assert (await provider.get("/scim/v2/ResourceTypes/User")).json() == found["User"]
    check_error(await provider.get("/scim/v2/ResourceTypes/Robot"), 404)


async def test_06_schemas(provider: Provider) -> None:
    told = listed(await provider.get("/scim/v2/Schemas"))
    assert {each["id"] for each in told["Resources"]} == {USER, ENT, urns.TRILHA, GROUP}
    for each in told["Resources"]:
        assert (await provider.get(f"/scim/v2/Schemas/{each['id']}")).json() == each
    assert "null" not in (await provider.get("/scim/v2/Schemas")).text
    of_user = next(each for each in told["Resources"] if each["id"] == USER)
    assert [each["name"] for each in of_user["attributes"]] == [
        *("userName", "externalId", "name", "displayName", "title", "active", "emails")
    ]
    check_error(await provider.get("/scim/v2/Schemas/urn:nothing"), 404)


async def test_07_discovery_is_read(provider: Provider) -> None:
    for name in DISCOVERY:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = await provider.call(method, f"/scim/v2/{name}")
            check_error(answer, 405)
            assert "GET" in answer.headers["allow"]


async def test_08_discovery_is_not_filtered(provider: Provider) -> None:
    for name in DISCOVERY:
        check_error(await provider.get(f"/scim/v2/{name}", filter="x"), 403)


async def test_09_nobody_is_behind_a_token(provider: Provider) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        check_error(await provider.call(method, "/scim/v2/Me"), 501)
    check_error(await provider.post({"Operations": []}, "/scim/v2/Bulk"), 501)


async def test_10_nothing_is_there(provider: Provider) -> None:
    check_error(await provider.get(f"/scim/v2/{uuid4().hex}"), 404)


async def test_11_groups_of_an_empty_tenant(provider: Provider) -> None:
    told = listed(await provider.get(G))
    assert (told["totalResults"], told["Resources"]) == (0, [])


async def test_62_a_filter_of_several_parts(provider: Provider) -> None:
    one = await provider.user(userName="alfa@example.com", title="Chefe")
    two = await provider.user(userName="beta@example.com", title="100% certo")
    await provider.user(userName="gama@example.com", title="100 certo")
    await provider.user(userName="arara@example.com", active=False)
    text = '(userName sw "A" or title co "%") and not (active eq false)'
    assert await provider.found(text) == [one["id"], two["id"]]


async def test_63_a_filter_by_the_extension(provider: Provider) -> None:
    one = await provider.user(**{ENT: {"employeeNumber": "42"}})
    await provider.user(**{ENT: {"employeeNumber": "43"}})
    assert await provider.found(f'{ENT}:employeeNumber eq "42"') == [one["id"]]
    assert await provider.found('employeeNumber eq "42"') == [one["id"]]


async def test_64_a_filter_by_time(provider: Provider) -> None:
    one = await provider.user()
    assert await provider.found('meta.lastModified gt "2011-05-13T04:42:34Z"') == [one["id"]]
    assert await provider.found('meta.lastModified lt "2011-05-13T04:42:34Z"') == []


@pytest.mark.parametrize(
    "text",
    ['foo eq "x"', 'password sw "a"', 'roles eq "x"', 'name eq "x"', "userName", "", "userName eq bjensen"],
)
async def test_65_what_cannot_be_asked_for(provider: Provider, text: str) -> None:
    await provider.user()
    check_error(await provider.filtered(text), 400, "invalidFilter")


async def test_66_filters_without_end(provider: Provider) -> None:
    nested = "not (" * 40 + "title pr" + ")" * 40
    long = f'title eq "{"x" * 3000}"'
    many = " or ".join(["title pr"] * 25)
    for text in (nested, long, many, "(" * 200 + "title pr" + ")" * 200):
        check_error(await provider.filtered(text), 400, "invalidFilter")


async def test_67_the_edges_of_pages(provider: Provider) -> None:
    made = [(await provider.user())["id"] for _ in range(3)]

    async def page(**params: Any) -> tuple[int, int, int, list[str]]:
        told = listed(await provider.get(U, **params))
        assert all(isinstance(told[name], int) for name in ("startIndex", "itemsPerPage", "totalResults"))
        ids = [each["id"] for each in told["Resources"]]
        return told["startIndex"], told["itemsPerPage"], told["totalResults"], ids

    assert await page(startIndex=0, count=2) == (1, 2, 3, made[:2])
    assert await page(startIndex=-5, count=2) == (1, 2, 3, made[:2])
    assert await page(count=-1) == (1, 0, 3, [])
    assert await page(count=0) == (1, 0, 3, [])
    assert await page(count=99999) == (1, 3, 3, made)
    assert await page(startIndex=3, count=2) == (3, 1, 3, made[2:])
    assert await page(startIndex=4) == (4, 0, 3, [])
    assert await page(startIndex=900) == (900, 0, 3, [])
    check_error(await provider.get(U, startIndex="one"), 400, "invalidValue")


async def test_68_a_walk_while_others_write(provider: Provider, world: World) -> None:
    async with world.tx() as tx:
        for number in range(25):
            await users.create(tx, NewUser(email=f"a{number}@example.com", name="Ana"), None)  # type: ignore[arg-type]
    before = [each["id"] for each in listed(await provider.get(U))["Resources"]]
    assert len(before) == 25
    seen: list[str] = []
    for start in range(1, 26, 5):
        seen += [each["id"] for each in listed(await provider.get(U, startIndex=start, count=5))["Resources"]]
        if start == 6:
            await provider.user()
            await provider.patch(before[0], op("replace", "title", "Chefe"))
    assert seen == before


@pytest.mark.parametrize(
    "order", [{}, {"sortBy": "title"}, {"sortBy": "userName", "sortOrder": "descending"}]
)
async def test_68_a_walk_by_cursor(provider: Provider, order: dict[str, str]) -> None:
    for number in range(7):
        await provider.user(title=f"T{number % 3}" if number else None)
    everybody = [each["id"] for each in listed(await provider.get(U, **order))["Resources"]]
    seen: list[str] = []
    cursor = ""
    while True:
        told = listed(await provider.get(U, cursor=cursor, count=2, **order))
        assert told["totalResults"] == 7
        assert "startIndex" not in told
        seen += [each["id"] for each in told["Resources"]]
        if "nextCursor" not in told:
            break
        cursor = told["nextCursor"]
    assert seen == everybody
    for wrong in ("nonsense", cursor[:-2] + "xx"):
        check_error(await provider.get(U, cursor=wrong, count=2, **order), 400, "invalidCursor")
    check_error(await provider.get(U, cursor=cursor, filter="title pr", **order), 400, "invalidCursor")


async def test_69_only_some_attributes(provider: Provider) -> None:
    user = await provider.user(emails=[{"value": "a@example.com", "primary": True}], title="Chefe")
    path = f"{U}/{user['id']}"
    for params in (
        {"attributes": "userName"},
        {"attributes": "username,foo"},
        {"attributes": f"{USER}:userName"},
    ):
        assert (await provider.get(path, **params)).json().keys() == {"schemas", "id", "userName"}
    told = (await provider.get(path, excludedAttributes="emails,NAME.givenName")).json()
    assert "emails" not in told
    assert told["name"] == {"familyName": "Lima"}
    assert told["title"] == "Chefe"
    (listed_one,) = listed(await provider.get(U, attributes="emails.value"))["Resources"]
    assert listed_one == {"schemas": [USER], "id": user["id"], "emails": [{"value": "a@example.com"}]}
    made = await provider.post(a_user(), params={"attributes": "userName"})
    assert made.json().keys() == {"schemas", "id", "userName"}
    check_error(await provider.get(U, attributes="a", excludedAttributes="b"), 400, "invalidValue")


async def test_70_a_search_in_a_body(provider: Provider) -> None:
    users_made = [(await provider.user())["id"] for _ in range(2)]
    group = await provider.group()
    body = {"schemas": [SEARCH], "filter": "userName pr", "startIndex": 1, "count": 1}
    for path in (f"{U}/.search", "/scim/v2/.search"):
        told = listed(await provider.post(body, path))
        assert (told["totalResults"], told["itemsPerPage"], told["startIndex"]) == (2, 1, 1)
        assert told["Resources"][0]["id"] == users_made[0]
    everything = listed(await provider.post({"schemas": [SEARCH], "attributes": ["id"]}, "/scim/v2/.search"))
    assert [each["id"] for each in everything["Resources"]] == [*users_made, group["id"]]
    rest = listed(await provider.post({"schemas": [SEARCH], "startIndex": 2, "count": 5}, "/scim/v2/.search"))
    assert [each["id"] for each in rest["Resources"]] == [users_made[1], group["id"]]
    assert rest["totalResults"] == 3
    check_error(await provider.post({"filter": "foo pr"}, "/scim/v2/.search"), 400, "invalidFilter")


async def test_71_bodies_that_are_none(provider: Provider) -> None:
    user = await provider.user()
    json = {"content-type": SCIM}
    broken = await provider.http.post(U, content=b"{", headers=json)
    check_error(broken, 400, "invalidSyntax")
    check_error(await provider.http.post(U, content=b"[]", headers=json), 400, "invalidSyntax")
    check_error(await provider.post({"schemas": [USER]}), 400, "invalidValue")
    check_error(await provider.http.post(U, content=b"{}", headers={"content-type": "text/plain"}), 415)
    check_error(await provider.patch(user["id"], op("move", "title", "x")), 400, "invalidValue")
    check_error(await provider.patch(user["id"]), 400, "invalidValue")
    check_error(await provider.http.post(U, content=b" " * 1_048_577, headers=json), 413)
    check_error(await provider.post(a_user(displayName="a\x00b")), 400, "invalidValue")
    check_error(await provider.post(a_user(name=7)), 400, "invalidValue")
    half = b'{"userName": "a@example.com", "title": "\\ud800"}'
    assert (await provider.http.post(U, content=half, headers=json)).status_code == 400
    check_error(await provider.filtered('title eq "\\ud800"'), 400, "invalidFilter")
    at_half = 'emails[type eq "\\ud800"].value'
    check_error(await provider.patch(user["id"], op("add", at_half, "b@example.com")), 400, "invalidValue")


async def test_72_paths_that_lead_nowhere(provider: Provider) -> None:
    id = (await provider.user())["id"]
    check_error(await provider.patch(id, op("replace", "id", "x")), 400, "mutability")
    check_error(await provider.patch(id, op("replace", "emails[type eq ", "x")), 400, "invalidPath")
    check_error(await provider.patch(id, op("remove")), 400, "noTarget")


async def test_73_all_operations_or_none(provider: Provider, world: World) -> None:
    user = await provider.user(title="Antes")
    before = len(await world.events())
    answer = await provider.patch(user["id"], op("replace", "title", "CHANGED"), op("replace", "id", "x"))
    check_error(answer, 400, "mutability")
    assert (await provider.get(f"{U}/{user['id']}")).json() == user
    assert len(await world.events()) == before


async def test_74_one_address_is_primary(provider: Provider) -> None:
    user = await provider.user(emails=[{"value": "a@example.com", "type": "work", "primary": True}])
    second = {"value": "b@example.com", "type": "home", "primary": True}
    told = (await provider.patch(user["id"], op("add", "emails", [second]))).json()
    assert [each["value"] for each in told["emails"] if each.get("primary")] == ["b@example.com"]
    assert len(told["emails"]) == 2


async def test_75_versions(provider: Provider, world: World) -> None:
    user = await provider.user()
    path = f"{U}/{user['id']}"
    first = (await provider.get(path)).headers["etag"]
    assert first.startswith('W/"')
    assert user["meta"]["version"] == first
    unchanged = await provider.call("GET", path, headers={"if-none-match": first})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    changed = await provider.patch(user["id"], op("replace", "title", "x"), headers={"if-match": first})
    assert changed.headers["etag"] != first
    stale = {"if-match": first}
    check_error(await provider.patch(user["id"], op("replace", "title", "y"), headers=stale), 412)
    check_error(await provider.put(user["id"], a_user(), headers=stale), 412)
    check_error(await provider.delete(user["id"], headers=stale), 412)
    # A change outside SCIM creates a new version too.
    await world.http.patch(f"/v1/users/{user['id']}", json={"department": "Frota"})
    latest = (await provider.get(path)).headers["etag"]
    assert latest not in (first, changed.headers["etag"])
    assert (await provider.delete(user["id"], headers={"if-match": latest})).status_code == 204


async def test_75_two_at_once_both_survive(provider: Provider) -> None:
    user = await provider.user()
    answers = await asyncio.gather(
        *(provider.patch(user["id"], op("replace", path, "x")) for path in ("title", f"{ENT}:costCenter")),
        *(
            provider.patch(user["id"], op("replace", f"{ENT}:{name}", "x"))
            for name in ("division", "department")
        ),
    )
    assert {each.status_code for each in answers} == {200}
    told = (await provider.get(f"{U}/{user['id']}")).json()
    assert (told["title"], told[ENT]) == ("x", {"costCenter": "x", "division": "x", "department": "x"})


async def test_75_fifty_at_once_make_one(provider: Provider) -> None:
    body = a_user(userName="same@example.com", externalId="same")
    answers = await asyncio.gather(*(provider.post(body) for _ in range(50)))
    assert sorted(each.status_code for each in answers) == [201] + [409] * 49
    for each in answers:
        if each.status_code == 409:
            check_error(each, 409, "uniqueness")
    assert listed(await provider.get(U))["totalResults"] == 1


async def test_76_what_is_deleted_is_gone(provider: Provider, world: World) -> None:
    user = await provider.user(externalId="gone")
    id = user["id"]
    assert (await provider.delete(id)).status_code == 204
    for answer in (
        await provider.get(f"{U}/{id}"),
        await provider.put(id, a_user()),
        await provider.patch(id, op("replace", "title", "x")),
        await provider.delete(id),
    ):
        check_error(answer, 404)
    assert listed(await provider.get(U))["totalResults"] == 0
    for text in (f'userName eq "{user["userName"]}"', 'externalId eq "gone"', f'id eq "{id}"', "userName pr"):
        assert await provider.found(text) == []
    told = (await world.http.get(f"/v1/users/{id}")).json()["data"]
    assert told["status"] == "SUSPENDED"
    assert await provider.events() == ["user.created", "user.suspended"]


async def test_77_what_was_deleted_comes_back(provider: Provider, world: World) -> None:
    user = await provider.user(externalId="back")
    place = await world.enrollment(user_id=user["id"])
    await provider.delete(user["id"])
    again = await provider.post(a_user(userName=user["userName"].upper(), externalId="back", title="Chefe"))
    assert again.status_code == 201, again.text
    assert (again.json()["id"], again.json()["active"], again.json()["title"]) == (user["id"], True, "Chefe")
    assert (await world.http.get(f"/v1/users/{user['id']}")).json()["data"]["status"] == "ACTIVE"
    kept = (await world.http.get("/v1/enrollments", params={"user_id": user["id"]})).json()["data"]
    assert [each["id"] for each in kept] == [place["id"]]
    assert await provider.found('externalId eq "back"') == [user["id"]]


async def test_78_another_tenant(provider: Provider, other_provider: Provider) -> None:
    user = await provider.user(externalId="same")
    id = user["id"]
    for answer in (
        await other_provider.get(f"{U}/{id}"),
        await other_provider.put(id, a_user()),
        await other_provider.patch(id, op("replace", "title", "x")),
        await other_provider.delete(id),
    ):
        check_error(answer, 404)
    assert await other_provider.found("userName pr") == []
    twin = await other_provider.user(userName=user["userName"], externalId="same")
    assert twin["id"] != id
    assert (await provider.get(f"{U}/{id}")).json() == user


async def test_79_administrators_are_left_alone(provider: Provider, world: World) -> None:
    async with world.tx() as tx:
        new = NewUser(email="root@example.com", name="Rute Reis", department="TI")  # type: ignore[arg-type]
        admin = await users.create(tx, new, None, role="admin")
    id = str(admin.id)
    told = (await provider.get(f"{U}/{id}")).json()
    assert told.keys() == {"schemas", "id", "userName", "active", "meta"}
    assert await provider.found('displayName co "rute"') == []
    for answer in (
        await provider.put(id, a_user()),
        await provider.patch(id, op("replace", "active", False)),
        await provider.patch(id, op("replace", "emails", [{"value": "thief@example.com", "primary": True}])),
        await provider.delete(id),
    ):
        check_error(answer, 403)
    check_error(await provider.post(a_user(userName="root@example.com")), 409, "uniqueness")
    check_error(
        await provider.post(a_user(emails=[{"value": "root@example.com", "primary": True}])),
        409,
        "uniqueness",
    )
    assert (await world.http.get(f"/v1/users/{id}")).json()["data"]["status"] == "ACTIVE"


async def test_80_over_the_limit(world: World, settings: Settings, database: Database) -> None:
    app = trilha_app.create_app(replace(settings, limit_scim=Limit(3, 900)), database, world.clock)
    address = f"10.1.{uuid4().int % 250}.{uuid4().int % 250}"
    token = await new_token(world)
    http = world.client(token, app, address)
    answers = [await http.get(U) for _ in range(4)]
    assert [each.status_code for each in answers] == [200, 200, 200, 429]
    check_error(answers[-1], 429)
    assert int(answers[-1].headers["retry-after"]) > 0
    for name in ("x-ratelimit-limit", "ratelimit-limit"):
        assert answers[0].headers[name] == "3"
    # All requests from that address count, and another address has its own count.
    assert (await world.client(app=app, address=address).get("/scim/v2/nothing")).status_code == 429
    assert (await world.client(token, app, "10.2.0.1").get(U)).status_code == 200
    async with world.tx() as tx:
        await tokens.set_limit(tx, 100)
    raised = await http.get(U)
    assert (raised.status_code, raised.headers["x-ratelimit-limit"]) == (200, "100")
    async with world.tx() as tx:
        await tokens.set_limit(tx, None)
    assert (await http.get(U)).status_code == 429


async def test_80_the_life_of_a_token(world: World) -> None:
    async with world.tx() as tx:
        issued = await tokens.create(tx, "Okta")
    id: UUID = issued.scim_token.id
    assert (await world.client(issued.token).get(U)).status_code == 200
    async with world.tx() as tx:
        rotated = await tokens.rotate(tx, id)
        sealed = await tx.rows(
            "SELECT sealed FROM scim_token_secrets WHERE tenant_id = :tenant ORDER BY number"
        )
        opened = [tx.keyring.open(row["sealed"], tx.tenant_id, "scim_token", id) for row in sealed]
    assert opened == [issued.token, rotated.token]
    for token in opened:
        assert (await world.client(token).get(U)).status_code == 200
    world.clock.move(days=1, seconds=1)
    assert (await world.client(issued.token).get(U)).status_code == 401
    assert (await world.client(rotated.token).get(U)).status_code == 200
    async with world.tx() as tx:
        assert (await token_queries.list_all(tx))[0].last_used_at is not None
        await tokens.revoke(tx, id)
    check_error(await world.client(rotated.token).get(U), 401)
    async with world.tx() as tx:
        bound = await tokens.create(tx, "Elsewhere", networks="192.0.2.0/24")
    check_error(await world.client(bound.token).get(U), 403)
