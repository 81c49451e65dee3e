"""Calls that exceed a quota."""

from collections.abc import Mapping

import httpx2

from conftest import World
from contract.quiz_calls import Call
from metering import calls_of, limit
from trilha.app import create_app
from trilha.settings import Settings


async def _create_a_person(world: World) -> httpx2.Response:
    await limit(world, max_people=0)
    return await world.http.post("/v1/users", json={"email": "ana@example.com", "name": "Ana"})


async def _call_too_often(world: World) -> httpx2.Response:
    await limit(world, max_api_calls_per_month=0)
    await world.http.get("/v1/users")
    await calls_of(world.app).write()
    return await world.http.get("/v1/users")


async def _name_a_tenant_that_is_not_there(world: World) -> httpx2.Response:
    app = create_app(Settings(operator_token="o" * 20), world.database, world.clock)
    async with world.client("o" * 20, app) as operator:
        return await operator.get("/operator/v1/tenants/nobody/quotas")


QUOTA_CALLS: Mapping[str, Call] = {
    "tenant_not_found": _name_a_tenant_that_is_not_there,
    "quota_exceeded": _create_a_person,
    "call_quota_exceeded": _call_too_often,
}
