"""Which credentials are accepted, and how the others are refused."""

from datetime import timedelta
from typing import Any

import pytest

from conftest import World
from trilha.access.api_keys import actions, rules
from trilha.access.api_keys.schema import IssuedKey
from trilha.core.credentials import SCOPES, CredentialRefused, Scope
from trilha.platform.tenants.operator import operator


async def issue(world: World, *scopes: str, **options: Any) -> IssuedKey:
    async with world.tx() as tx:
        return await actions.create(tx, "Test", list(scopes or Scope), prefix="trl_live_", **options)


async def refusal(world: World, authorization: str | None) -> tuple[int, str, str]:
    headers = {} if authorization is None else {"authorization": authorization.encode()}
    answer = await world.client().get("/v1/users", headers=headers)
    error = answer.json()["error"]
    if answer.status_code == 401:
        told_why = "" if error["code"] == "credential_missing" else ' error="invalid_token"'
        assert answer.headers["www-authenticate"] == "Bearer" + told_why
    return answer.status_code, error["type"], error["code"]


async def test_none_is_missing(world: World) -> None:
    assert await refusal(world, None) == (401, "authentication_error", "credential_missing")


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic dXNlcjpwYXNz",
        "Bearer trl_live_" + "0" * 40,
        "Bearer trl_live_" + "0" * 4000,
        "Bearer é",
        "Bearer \x7f",
    ],
)
async def test_what_is_no_key_is_invalid(world: World, authorization: str) -> None:
    assert await refusal(world, authorization) == (401, "authentication_error", "credential_invalid")


async def test_a_well_formed_key_that_was_never_issued_is_invalid(world: World) -> None:
    unknown = f"Bearer {rules.generate('trl_live_')}"
    assert await refusal(world, unknown) == (401, "authentication_error", "credential_invalid")


async def test_two_credentials_are_none(world: World) -> None:
    key = await world.key()
    twice = [("authorization", f"Bearer {key}"), ("authorization", f"Bearer {key}")]
    answer = await world.client().get("/v1/users", headers=twice)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "credential_invalid")


async def test_the_scheme_is_read_in_any_case(world: World) -> None:
    key = await world.key()
    for scheme in ("bearer", "BEARER"):
        answer = await world.client().get("/v1/users", headers={"authorization": f"{scheme} {key}"})
        assert answer.status_code == 200


async def test_a_key_may_end_at_an_instant(world: World) -> None:
    key = await world.key(lifetime=timedelta(hours=1))
    world.clock.move(hours=1, milliseconds=-1)
    assert (await world.client(key).get("/v1/users")).status_code == 200
    world.clock.move(milliseconds=1)
    assert await refusal(world, f"Bearer {key}") == (401, "authentication_error", "credential_expired")


async def test_a_revoked_key_is_refused_from_the_next_request_on(world: World) -> None:
    issued = await issue(world)
    assert (await world.client(issued.key).get("/v1/users")).status_code == 200
    async with world.tx() as tx:
        await actions.revoke(tx, issued.api_key.id)
    expected = (401, "authentication_error", "credential_revoked")
    assert await refusal(world, f"Bearer {issued.key}") == expected
    assert await world.events("api_key.revoked") == [
        (
            "api_key.revoked",
            {"api_key_id": str(issued.api_key.id), "name": "Test", "scopes": list(Scope)},
        )
    ]
    async with world.tx() as tx:
        with pytest.raises(CredentialRefused):
            await actions.revoke(tx, issued.api_key.id)


async def test_a_suspended_tenants_keys_are_refused(world: World) -> None:
    key = await world.key()
    async with operator(world.url, world.clock) as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    assert await refusal(world, f"Bearer {key}") == (401, "authentication_error", "credential_revoked")
    async with operator(world.url, world.clock) as each:
        await each.set_status(world.tenant.slug, "ACTIVE")
    assert (await world.client(key).get("/v1/users")).status_code == 200


async def test_a_key_may_be_bound_to_networks(world: World) -> None:
    key = await world.key(networks="10.1.0.0/16, 2001:db8::/32")
    for address, status in (
        ("10.1.255.255", 200),
        ("10.2.0.0", 403),
        ("2001:db8::1", 200),
        ("::ffff:10.1.0.1", 200),
        ("2001:db9::1", 403),
        ("127.0.0.1", 403),
    ):
        answer = await world.client(key, address=address).get("/v1/users")
        assert answer.status_code == status, address
        if status == 403:
            error = answer.json()["error"]
            assert (error["type"], error["code"]) == ("authorization_error", "ip_not_allowed")


async def test_the_address_in_a_header_is_the_callers_own_claim(world: World) -> None:
    key = await world.key(networks="10.1.0.0/16")
    answer = await world.client(key).get("/v1/users", headers={"x-forwarded-for": "10.1.0.1"})
    assert answer.json()["error"]["code"] == "ip_not_allowed"


@pytest.mark.parametrize("options", [{"scopes": []}, {"scopes": ["users:fly"]}, {"networks": "10.1.0.0/99"}])
async def test_a_key_that_makes_no_sense_is_not_made(world: World, options: dict[str, Any]) -> None:
    async with world.tx() as tx:
        with pytest.raises(CredentialRefused):
            await actions.create(tx, "Test", **({"scopes": ["users:read"], "prefix": "trl_live_"} | options))


async def test_when_a_key_was_used_is_noted_to_the_minute(world: World) -> None:
    issued = await issue(world)

    async def last_used() -> str | None:
        async with world.tx() as tx:
            used: str | None = await tx.value(
                "SELECT last_used_at FROM api_keys WHERE tenant_id = :tenant AND id = :id",
                id=issued.api_key.id,
            )
        return used

    assert await last_used() is None
    client = world.client(issued.key)
    seen = []
    for _ in range(3):
        await client.get("/v1/users")
        seen.append(await last_used())
        world.clock.move(seconds=40)
    assert seen[0] is not None
    assert seen[0] == seen[1]
    assert seen[2] is not None
    assert seen[2] > seen[0]


def test_every_scope_is_explained() -> None:
    assert set(SCOPES) == set(Scope)


@pytest.mark.parametrize("space", [b"\xa0", b"\xc2\xa0", b"\t", b"\x0b", b"\x85"])
async def test_only_a_space_stands_around_a_key(world: World, space: bytes) -> None:
    key = (await world.key()).encode()
    for sent in (b"Bearer " + space + key, b"Bearer " + key + space, b"Bearer" + space + key):
        answer = await world.client().get("/v1/users", headers=[(b"authorization", sent)])
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "credential_invalid")
