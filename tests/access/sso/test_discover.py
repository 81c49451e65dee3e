"""GET /api/sso/discover: the same answer for everyone without a provider, and its two limits."""

import asyncio
import time
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from contract.test_limits import Limited
from trilha.access.sso import queries
from trilha.access.sso.domains import actions
from trilha.core.web.rate_limits import Limit
from trilha.platform.tenants.operator import operator

NONE = {"sso": False, "provider": None, "init_url": None}


async def connected(
    world: World, domain: str, *, kind: str = "OIDC", verified: bool = True, **more: Any
) -> UUID:
    """Creates a connection of the domain, whether or not the domain is verified."""
    async with world.tx() as tx:
        claimed = await actions.claim(tx, domain)
        if verified:
            await actions.assume_verified(tx, claimed.id)
        values = {"kind": kind, "name": "Keycloak", "enabled": True} | more
        return (await queries.insert(tx, values, [claimed.domain])).id


async def discover(world: World, domain: str, **options: Any) -> httpx2.Response:
    return await world.client(**options).get("/api/sso/discover", params={"domain": domain})


def new_domain() -> str:
    return f"{uuid4().hex}.test"


@pytest.mark.parametrize("kind", ["OIDC", "SAML"])
async def test_a_domain_leads_to_the_provider_of_its_company(world: World, kind: str) -> None:
    domain = f"ação-{new_domain()}"
    connection_id = await connected(world, domain, kind=kind)
    for spelled in (domain, domain.upper(), f" {domain}. ", domain.encode("idna").decode()):
        answer = await discover(world, spelled)
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "sso": True,
            "provider": kind,
            "init_url": f"http://127.0.0.1:8000/api/sso/{kind.lower()}/start"
            f"?tenant_slug={world.tenant.slug}&connection={connection_id}",
        }


async def test_of_several_connections_the_oldest_is_meant(world: World) -> None:
    domain = new_domain()
    first = await connected(world, domain)
    world.clock.move(minutes=1)
    async with world.tx() as tx:
        second = await queries.insert(tx, {"kind": "SAML", "name": "ADFS", "enabled": True}, [domain])
    assert str(first) in (await discover(world, domain)).json()["init_url"]
    async with world.tx() as tx:
        await queries.update(tx, first, {"enabled": False})
    assert str(second.id) in (await discover(world, domain)).json()["init_url"]


@pytest.mark.parametrize(
    "domain", ["nobody.test", "", "acme", "a b", "ana@acme.test", "\x01", "127.0.0.1", "é" * 300, "' OR 1=1"]
)
async def test_all_others_get_one_answer(world: World, domain: str) -> None:
    answer = await discover(world, domain)
    assert (answer.status_code, answer.json()) == (200, NONE)
    assert answer.headers["cache-control"] == "no-store"


async def test_what_is_not_verified_or_not_enabled_gets_it_too(world: World) -> None:
    pending, off, gone = new_domain(), new_domain(), new_domain()
    await connected(world, pending, verified=False)
    await connected(world, off, enabled=False)
    await connected(world, gone)
    assert (await discover(world, gone)).json()["sso"]
    async with operator(world.url, world.clock) as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    for domain in (pending, off, gone):
        assert (await discover(world, domain)).json() == NONE


async def test_a_connection_vouches_for_no_domain_of_another_company(world: World, stranger: World) -> None:
    domain = new_domain()
    await connected(world, domain, enabled=False)
    await connected(stranger, domain, verified=False)
    assert (await discover(world, domain)).json() == NONE


async def test_what_it_takes_is_told(world: World) -> None:
    client = world.client()
    missing = await client.get("/api/sso/discover")
    assert (missing.status_code, missing.json()["error"]["code"]) == (400, "required")
    other = await client.get("/api/sso/discover?domain=a.test&email=a")
    assert (other.status_code, other.json()["error"]["code"]) == (400, "unknown_parameter")


async def test_an_unknown_domain_takes_as_long_as_a_known_one(world: World) -> None:
    known = new_domain()
    await connected(world, known)
    taken: dict[str, list[float]] = {known: [], "nobody.test": [], "a b": []}
    for turn in range(65):
        for domain, times in taken.items():
            began = time.perf_counter()
            await discover(world, domain)
            if turn >= 5:
                times.append(time.perf_counter() - began)
    medians = [median(times) for times in taken.values()]
    assert max(medians) - min(medians) < 0.005


class Discovering(Limited):
    """An application with its own limits on discovery."""

    async def get(self, domain: str, address: str) -> httpx2.Response:
        return await self.client(None, address).get("/api/sso/discover", params={"domain": domain})


async def test_an_address_asks_so_often_for_a_domain_and_so_often_at_all(world: World) -> None:
    limited = Discovering(world, limit_discover_ip=Limit(7, 60), limit_discover_domain=Limit(3, 60))
    here, there = "198.51.100.1", "198.51.100.2"
    spelled = ("a.test", "A.test", "a.test.", "a.TEST")
    answers = [await limited.get(each, here) for each in spelled]
    assert [each.status_code for each in answers] == [200, 200, 200, 429]
    assert [each.headers["ratelimit-remaining"] for each in answers] == ["2", "1", "0", "0"]
    refused = answers[-1]
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert refused.headers["x-ratelimit-limit"] == refused.headers["ratelimit-limit"] == "3"
    assert int(refused.headers["retry-after"]) >= 1
    assert (await limited.get("a.test", there)).status_code == 200
    others = [(await limited.get(f"b{n}.test", here)).status_code for n in range(4)]
    assert others == [200, 200, 200, 429]
    world.clock.move(seconds=61)
    assert (await limited.get("a.test", here)).status_code == 200


async def test_both_are_exact_however_many_ask_at_once(world: World) -> None:
    limited = Discovering(world, limit_discover_ip=Limit(30, 60), limit_discover_domain=Limit(20, 60))
    answers = await asyncio.gather(
        *(limited.get(("a.test", "b.test")[n % 2], "198.51.100.7") for n in range(100))
    )
    assert sum(each.status_code == 200 for each in answers) == 30
    alone = await asyncio.gather(*(limited.get("a.test", "198.51.100.8") for n in range(50)))
    assert sum(each.status_code == 200 for each in alone) == 20
