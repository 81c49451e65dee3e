"""Every change of a credential is in the audit log: who, what, when and from where."""

from typing import Any
from uuid import UUID

from conftest import World
from trilha.access.api_keys import actions as api_keys
from trilha.access.api_keys import queries as key_queries
from trilha.core.credentials import Actor
from trilha.platform.audit import queries
from trilha.platform.audit.schema import AuditQuery

OPERATOR = Actor("operator", "ana", "host-1")


async def records(world: World, target: object) -> list[tuple[str, str, str, str, str]]:
    async with world.tx() as tx:
        own = (await queries.list_page(tx, AuditQuery(target_id=UUID(str(target)), limit=100))).data
    return [(each.action, each.actor_kind, each.actor, each.source, each.created_at) for each in own]


async def test_what_an_operator_does_to_a_key(world: World) -> None:
    now = world.clock.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    async with world.database.transaction(world.tenant.id, actor=OPERATOR) as tx:
        issued = await api_keys.create(tx, "hr", ["users:read"], prefix="trl_live_")
    async with world.database.transaction(world.tenant.id, actor=OPERATOR) as tx:
        await api_keys.rotate(tx, issued.api_key.id, prefix="trl_live_")
    async with world.database.transaction(world.tenant.id, actor=OPERATOR) as tx:
        await api_keys.revoke(tx, issued.api_key.id)
    told = await records(world, issued.api_key.id)
    assert {each[1:] for each in told} == {("operator", "ana", "host-1", now)}
    assert sorted(each[0] for each in told) == ["api_key.created", "api_key.revoked", "api_key.rotated"]


async def test_what_a_caller_does_to_a_webhooks_secret(world: World) -> None:
    body = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook: Any = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    key = await world.key()
    async with world.client(key, address="10.1.2.3") as http:
        assert (await http.post(f"/v1/webhooks/{webhook['id']}/rotate-secret")).status_code == 200
    told = await records(world, webhook["id"])
    assert sorted(each[0] for each in told) == ["webhook.created", "webhook.secret_rotated"]
    ((action, kind, actor, source, _),) = [each for each in told if each[0] == "webhook.secret_rotated"]
    assert (action, kind, source) == ("webhook.secret_rotated", "api_key", "10.1.2.3")
    async with world.tx() as tx:
        assert actor in [str(each.id) for each in await key_queries.list_all(tx)]


async def test_what_was_rolled_back_is_not_on_record(world: World) -> None:
    class Undone(Exception):
        pass

    made = None
    try:
        async with world.tx() as tx:
            made = await api_keys.create(tx, "hr", ["users:read"], prefix="trl_live_")
            raise Undone
    except Undone:
        pass
    assert made is not None
    assert await records(world, made.api_key.id) == []
