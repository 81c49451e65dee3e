"""/operator/v1: for the operator's token alone, and over the same quotas as the commands."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from conftest import World
from metering import limit
from trilha import app as trilha_app
from trilha.settings import Settings

TOKEN = "o" * 20
PATH = "/operator/v1/tenants"


@pytest.fixture
async def operator(world: World, settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    app = trilha_app.create_app(replace(settings, operator_token=TOKEN), world.database, world.clock)
    async with world.client(TOKEN, app) as client:
        yield client


async def test_without_a_token_nothing_is_there(world: World) -> None:
    for token in (None, TOKEN):
        answer = await world.client(token).get(PATH)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "route_not_found")


@pytest.mark.parametrize("token", [None, "o" * 19, "o" * 21, "ó", "trl_live_x"])
async def test_another_token_opens_nothing(
    world: World, settings: Settings, operator: httpx2.AsyncClient, token: str | None
) -> None:
    headers = {"authorization": f"Bearer {token}".encode()} if token else {"authorization": ""}
    answer = await operator.get(PATH, headers=headers)
    assert answer.status_code == 401
    assert (await operator.get(PATH, headers={"authorization": await world.key()})).status_code == 401


async def test_the_token_opens_nothing_of_a_tenant(operator: httpx2.AsyncClient) -> None:
    for path in ("/v1/users", "/scim/v2/Users"):
        assert (await operator.get(path)).status_code == 401


async def test_tenants_are_listed_in_pages(
    world: World, stranger: World, operator: httpx2.AsyncClient
) -> None:
    slugs: list[str] = []
    while True:
        page = (await operator.get(PATH, params={"limit": 3, "after": slugs[-1] if slugs else ""})).json()
        slugs += [tenant["slug"] for tenant in page["data"]]
        if not page["has_more"]:
            break
    assert slugs == sorted(set(slugs))
    assert {world.tenant.slug, stranger.tenant.slug} <= set(slugs)


async def test_usage_of_a_month(world: World, operator: httpx2.AsyncClient) -> None:
    await world.user()
    path = f"{PATH}/{world.tenant.slug}/usage"
    usage = (await operator.get(path)).json()["data"]
    assert (usage["slug"], usage["people"], usage["active_people"]) == (world.tenant.slug, 1, 1)
    assert (await operator.get(path, params={"month": "2020-01"})).json()["data"]["month"] == "2020-01"
    refused = (await operator.get(path, params={"month": "2020-13"})).json()["error"]
    assert (refused["code"], refused["field"]) == ("invalid_value", "month")


async def test_quotas_are_read_and_replaced(world: World, operator: httpx2.AsyncClient) -> None:
    path = f"{PATH}/{world.tenant.slug}/quotas"
    await limit(world, max_people=7)
    assert (await operator.get(path)).json()["data"]["max_people"] == 7
    world.clock.move(seconds=1)
    answer = await operator.put(path, json={"max_mails_per_month": 9})
    assert answer.json()["data"] == (await operator.get(path)).json()["data"]
    assert answer.json()["data"] == {
        "max_people": None,
        "max_storage_bytes": None,
        "max_api_calls_per_month": None,
        "max_mails_per_month": 9,
    }
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT actor_kind, actor FROM audit_records
            WHERE tenant_id = :tenant AND action = 'tenant.quotas_changed' ORDER BY created_at, id
            """
        )
    assert [tuple(row) for row in rows][-1] == ("operator", "operator API")
    for body in ({"max_people": -1}, {"max_cakes": 1}, {"max_people": "1"}):
        assert (await operator.put(path, json=body)).status_code == 400
    answer = await operator.get(f"{PATH}/nobody/quotas")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "tenant_not_found")
