"""Calls that return the error codes of e-mail domains. Only pages and commands do."""

from collections.abc import Mapping
from uuid import uuid4

import asyncpg
import httpx2

from access.sso.federation import request_of
from conftest import World
from contract.quiz_calls import Act, Call, acting
from trilha.access.sso.domains import actions, rules
from trilha.core.database import Tx
from trilha.web.login.providers import lead_to_provider


async def _twice_the_same(tx: Tx) -> None:
    for _ in range(2):
        await actions.claim(tx, "acme.test")


async def _claim_one_too_many(tx: Tx) -> None:
    for n in range(rules.MAX_DOMAINS + 1):
        await actions.claim(tx, f"acme{n}.test")


async def _take_anothers(world: World) -> httpx2.Response:
    domain = f"{uuid4().hex}.test"
    owner = await asyncpg.connect(world.url)
    async with owner.transaction():
        # The owner of a server elsewhere is no superuser, and is held by row-level security as well.
        await owner.execute("ALTER TABLE domain_owners NO FORCE ROW LEVEL SECURITY")
        await owner.execute("INSERT INTO domain_owners (domain, owner) VALUES ($1, $2)", domain, uuid4())
        await owner.execute("ALTER TABLE domain_owners FORCE ROW LEVEL SECURITY")
    await owner.close()

    async def take(tx: Tx) -> None:
        await actions.assume_verified(tx, (await actions.claim(tx, domain)).id)

    return await acting(take)(world)


async def _lead_where_nobody_is(world: World) -> httpx2.Response:
    async def lead(_: Tx) -> None:
        await lead_to_provider(world.database, request_of(world.client()), "ana@nobody.test", "")

    return await acting(lead)(world)


_ACTS: Mapping[str, Act] = {
    "invalid_domain": lambda tx: actions.claim(tx, "acme"),
    "consumer_domain": lambda tx: actions.claim(tx, "gmail.com"),
    "public_suffix": lambda tx: actions.claim(tx, "com.br"),
    "domain_not_found": lambda tx: actions.remove(tx, uuid4()),
    "domain_claimed": _twice_the_same,
    "too_many_domains": _claim_one_too_many,
}
DOMAIN_CALLS: Mapping[str, Call] = {code: acting(act) for code, act in _ACTS.items()} | {
    "domain_taken": _take_anothers,
    "no_provider": _lead_where_nobody_is,
}
