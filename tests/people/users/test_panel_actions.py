"""The panel's actions on people: role, status, e-mail and password, and one CPF for one person."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from conftest import CPF, World
from trilha.core.errors import ApiError
from trilha.core.lists import fetch_page
from trilha.core.passwords import PASSWORDS, hash_password
from trilha.core.types import Email
from trilha.people.users import actions, queries
from trilha.people.users.jobs import MARK_CPFS
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE
from trilha.people.users.schema import PeopleQuery, UserPatch


async def do(world: World, name: str, user: dict[str, Any], *given: Any, **options: Any) -> Any:
    async with world.tx() as tx:
        return await getattr(actions, name)(tx, UUID(user["id"]), *given, **options)


async def told(world: World) -> list[tuple[str, dict[str, Any]]]:
    """Returns the events about changes of people."""
    return [each for each in await world.events() if each[0].startswith("user.") and "created" not in each[0]]


async def test_a_change_of_role_is_told_once(world: World) -> None:
    user = await world.user()
    async with world.tx() as tx:
        await queries.confirm_address(tx, UUID(user["id"]))
    for _ in range(2):
        assert (await do(world, "change_role", user, "gestor")).role == "gestor"
    data = {"user_id": user["id"], "role": "gestor", "previous_role": "learner"}
    assert await told(world) == [("user.role_changed", data)]


async def test_who_leaves_is_inactive_until_activated(world: World) -> None:
    user = await world.user()
    await do(world, "deactivate", user)
    assert (await do(world, "deactivate", user)).status == "INACTIVE"
    assert (await world.http.post(f"/v1/users/{user['id']}/reactivate")).status_code == 409
    await do(world, "activate", user)
    assert (await do(world, "activate", user)).status == "ACTIVE"
    changed = {"user_id": user["id"], "changed": ["status"]}
    assert await told(world) == [("user.updated", changed), ("user.updated", changed)]


@pytest.mark.parametrize(
    ("action", "given"), [("suspend", ()), ("deactivate", ()), ("change_role", ("gestor",))]
)
async def test_the_last_active_admin_stays(world: World, action: str, given: tuple[str, ...]) -> None:
    admins = [await world.user() for _ in range(2)]
    for each in admins:
        await world.promote(each["id"], "admin")
    came = await asyncio.gather(*(do(world, action, each, *given) for each in admins), return_exceptions=True)
    assert [each.code for each in came if isinstance(each, ApiError)] == ["last_admin"]
    async with world.tx() as tx:
        left = await tx.value(
            "SELECT count(*) FROM users WHERE tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE'"
        )
    assert left == 1


async def test_an_email_changes_once_and_stays_unique(world: World) -> None:
    user = await world.user()
    await world.user(email="taken@example.com")
    for _ in range(2):
        await do(world, "update", user, UserPatch(email=Email("new@example.com")))
    assert await told(world) == [("user.updated", {"user_id": user["id"], "changed": ["email"]})]
    with pytest.raises(ApiError, match="email_exists"):
        await do(world, "update", user, UserPatch(email=Email("taken@example.com")))


@pytest.mark.parametrize("given", [None, "correct horse battery"])
async def test_a_password_is_set(world: World, given: str | None) -> None:
    user = await world.user()
    made = await hash_password(given)
    await do(world, "set_password", user, made)
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT * FROM users WHERE tenant_id = :tenant")
        actions_told = await tx.rows("SELECT action FROM audit_records WHERE tenant_id = :tenant")
    assert PASSWORDS.verify(row["password_hash"], given or made.temporary)
    assert row["must_change_password"] is (given is None)
    assert "user.password_set" in [each["action"] for each in actions_told]


async def test_a_cpf_is_one_persons_of_a_tenant(world: World, stranger: World) -> None:
    user = await world.user(cpf=CPF)
    await stranger.user(cpf=CPF)
    other = await world.user()
    answer = await world.http.patch(f"/v1/users/{other['id']}", json={"cpf": CPF})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "cpf_exists")
    assert (await world.http.patch(f"/v1/users/{user['id']}", json={"cpf": None})).status_code == 200
    assert (await world.http.patch(f"/v1/users/{other['id']}", json={"cpf": CPF})).status_code == 200


async def test_cpfs_of_old_are_found_once_the_worker_has_been_there(world: World) -> None:
    """As before the migration: the same CPF twice, and neither can be found by it."""
    first = await world.user(cpf=CPF, name="First")
    world.clock.move(seconds=1)
    second = await world.user(name="Second")
    async with world.tx() as tx:
        sealed = tx.keyring.seal("52998224725", tx.tenant_id, "users", UUID(second["id"]), "cpf")
        await tx.execute(
            """
            UPDATE users SET cpf_fingerprint = NULL,
                cpf_sealed = CASE WHEN id = :id THEN CAST(:sealed AS bytea) ELSE cpf_sealed END
            WHERE tenant_id = :tenant
            """,
            id=UUID(second["id"]),
            sealed=sealed,
        )

    async def found() -> list[str]:
        async with world.tx() as tx:
            return [each.name for each in (await fetch_page(tx, PEOPLE, PeopleQuery(q=CPF), EVERYONE)).data]

    assert await found() == []
    assert world.tenant.id in await MARK_CPFS.due_tenants(world.database, world.tenant.id)
    assert await MARK_CPFS.run_in(world.database, world.tenant.id) == 2
    assert await MARK_CPFS.run_in(world.database, world.tenant.id) == 0
    assert await found() == ["First", "Second"]
    # From now on, only one person may have it.
    answer = await world.http.post("/v1/users", json={"email": "x@example.com", "name": "X", "cpf": CPF})
    assert answer.json()["error"]["code"] == "cpf_exists"
    assert (await world.http.get(f"/v1/users/{first['id']}")).json()["data"]["cpf"] == "***.***.***-25"
