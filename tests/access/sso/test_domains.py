"""E-mail domains: who may add which, how a tenant proves a domain, and what happens when the
proof is gone.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from name_server import SILENT, Zone, name_server
from trilha.access.sso.domains import actions, queries, rules
from trilha.access.sso.domains.actions import Verification
from trilha.access.sso.domains.jobs import CheckDomains
from trilha.access.sso.domains.schema import EmailDomain
from trilha.core.credentials import SYSTEM
from trilha.core.errors import ApiError, NotFound
from trilha.core.outbound.dns import NameServer, TxtRecords, parse_name_servers
from trilha.core.types import InvalidValue
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from web.panel.signing_in import made


@pytest.fixture
async def zone() -> AsyncIterator[Zone]:
    async with name_server() as zone:
        yield zone


def verification(zone: Zone, seconds: float = 2) -> Verification:
    return Verification(TxtRecords((zone.server,), seconds=seconds), "https://learn.test/admin/sso/domains")


def new_domain() -> str:
    return f"{uuid4().hex}.acme.test"


async def claim(world: World, domain: str) -> EmailDomain:
    async with world.tx() as tx:
        return await actions.claim(tx, domain)


async def verify(world: World, zone: Zone, domain: EmailDomain, **options: Any) -> EmailDomain:
    asked = verification(zone, **options)
    return await asked.verify(world.database, world.tenant.id, SYSTEM, domain.id)


async def verified(world: World, zone: Zone) -> EmailDomain:
    domain = await claim(world, new_domain())
    zone.texts[domain.record_name] = [domain.record_value]
    return await verify(world, zone, domain)


async def is_verified(world: World, domain: EmailDomain) -> bool:
    async with world.tx() as tx:
        return await queries.is_verified(tx, domain.domain)


async def owner(world: World, domain: EmailDomain) -> Any:
    async with world.database.unscoped() as asked:
        return await asked.value(
            "SELECT owner FROM domain_owners WHERE domain = :domain", domain=domain.domain
        )


async def actions_on_record(world: World) -> list[str]:
    async with world.tx() as tx:
        return sorted(each.action for each in (await audit.list_page(tx, AuditQuery(action="sso."))).data)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Acme.Test", "acme.test"),
        (" acme.test. ", "acme.test"),
        ("São-Paulo.exemplo.com.br", "xn--so-paulo-rza.exemplo.com.br"),
        ("xn--so-paulo-rza.exemplo.com.br", "xn--so-paulo-rza.exemplo.com.br"),
        ("mail.acme.co.uk", "mail.acme.co.uk"),
        ("someone.github.io", "someone.github.io"),
    ],
)
def test_a_domain_has_one_form(typed: str, stored: str) -> None:
    domain = rules.normalise(typed)
    rules.check_claimable(domain)
    assert domain == stored


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *(
            (each, "invalid_domain")
            for each in ("", "acme", "a b.test", "acme..test", "ana@acme.test", "-a.test")
        ),
        *((each, "invalid_domain") for each in ("127.0.0.1", "*.acme.test", "https://acme.test", "x" * 300)),
        *((each, "invalid_domain") for each in ("_dmarc.acme.test", "a\x00b.test", ".acme.test", "-a.test")),
        *((each, "consumer_domain") for each in ("GMAIL.com", "hotmail.com.br", "uol.com.br", "proton.me")),
        *((each, "public_suffix") for each in ("com.br", "co.uk", "github.io", "blogspot.com", "sp.gov.br")),
    ],
)
def test_what_is_no_companys_is_refused(typed: str, code: str) -> None:
    with pytest.raises(InvalidValue, match=code):
        rules.check_claimable(rules.normalise(typed))


async def test_a_claim_names_a_record_and_is_on_record(world: World) -> None:
    domain = await claim(world, "Ação.acme.test")
    assert domain.domain == "xn--ao-siap.acme.test"
    assert domain.record_name == "_trilha-challenge.xn--ao-siap.acme.test"
    assert domain.record_value.startswith("trilha-domain-verification=")
    assert (domain.state, await is_verified(world, domain), await owner(world, domain)) == (
        "pending",
        False,
        None,
    )
    assert await actions_on_record(world) == ["sso.domain_claimed"]


async def test_a_domain_is_claimed_once_by_a_tenant_and_by_others_too(world: World, stranger: World) -> None:
    name = new_domain()
    mine, theirs = await claim(world, name), await claim(stranger, name)
    assert mine.token != theirs.token
    with pytest.raises(ApiError, match="domain_claimed"):
        await claim(world, name.upper())


async def test_a_tenant_claims_so_many(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_DOMAINS", 1)
    await claim(world, new_domain())
    with pytest.raises(ApiError, match="too_many_domains"):
        await claim(world, new_domain())


async def test_its_record_verifies_a_domain(world: World, zone: Zone) -> None:
    domain = await claim(world, new_domain())
    assert (await verify(world, zone, domain)).finding == "no_record"
    zone.texts[domain.record_name] = ["v=spf1 -all", "trilha-domain-verification=another"]
    assert (await verify(world, zone, domain)).finding == "other_record"
    assert not await is_verified(world, domain)
    zone.texts[domain.record_name] = ["v=spf1 -all", domain.record_value]
    found = await verify(world, zone, domain)
    assert (found.finding, found.state, found.verified_by) == ("found", "verified", "dns")
    assert await is_verified(world, domain)
    assert await owner(world, domain) == world.tenant.id
    assert await actions_on_record(world) == ["sso.domain_claimed", "sso.domain_verified"]


@pytest.mark.parametrize("at", ["{domain}", "sub._trilha-challenge.{domain}", "_trilha-challenge.acme.test"])
async def test_a_record_elsewhere_says_nothing(world: World, zone: Zone, at: str) -> None:
    domain = await claim(world, new_domain())
    zone.texts[at.format(domain=domain.domain)] = [domain.record_value]
    assert (await verify(world, zone, domain)).finding == "no_record"


async def test_a_record_verifies_one_domain_of_one_tenant(world: World, stranger: World, zone: Zone) -> None:
    mine = await verified(world, zone)
    sub = await claim(world, f"sub.{mine.domain}")
    assert not await is_verified(world, sub)
    theirs = await claim(stranger, mine.domain)
    assert (await verify(stranger, zone, theirs)).finding == "other_record"
    # The company has created both records, and the domain stays with the tenant that verified it first.
    zone.texts[mine.record_name] = [mine.record_value, theirs.record_value]
    found = await verify(stranger, zone, theirs)
    assert (found.finding, found.verified_at) == ("taken", None)
    assert (await is_verified(stranger, theirs), await owner(world, mine)) == (False, world.tenant.id)
    async with world.tx() as tx:
        await actions.remove(tx, mine.id)
    assert await owner(world, mine) is None
    assert (await verify(stranger, zone, theirs)).state == "verified"


async def test_of_many_that_verify_it_at_once_one_has_it(world: World, stranger: World, zone: Zone) -> None:
    name = new_domain()
    claims = [(each, await claim(each, name)) for each in (world, stranger)]
    zone.texts[claims[0][1].record_name] = [domain.record_value for _, domain in claims]
    looked = await asyncio.gather(*(verify(each, zone, domain) for each, domain in claims for _ in range(4)))
    assert {each.finding for each in looked} == {"found", "taken"}
    assert sorted([await is_verified(each, domain) for each, domain in claims]) == [False, True]


async def test_another_tenants_domain_is_none(world: World, stranger: World, zone: Zone) -> None:
    theirs = await claim(stranger, new_domain())
    with pytest.raises(NotFound):
        await verify(world, zone, theirs)
    async with world.tx() as tx:
        with pytest.raises(NotFound):
            await actions.remove(tx, theirs.id)
        with pytest.raises(NotFound):
            await actions.assume_verified(tx, theirs.id)


async def test_a_tenant_takes_no_domain_in_anothers_name(world: World, stranger: World, zone: Zone) -> None:
    mine = await verified(world, zone)
    async with stranger.tx() as tx:
        assert not await queries.take(tx, mine.domain)
        await queries.give_up(tx, mine.domain)
    assert await owner(world, mine) == world.tenant.id


async def test_the_operators_word_needs_no_record(world: World, stranger: World) -> None:
    domain = await claim(world, new_domain())
    theirs = await claim(stranger, domain.domain)
    async with world.tx() as tx:
        assumed = await actions.assume_verified(tx, domain.id)
        assert (await actions.assume_verified(tx, domain.id)).verified_at == assumed.verified_at
    assert (assumed.state, assumed.verified_by) == ("verified", "operator")
    assert await owner(world, domain) == world.tenant.id
    async with stranger.tx() as tx:
        with pytest.raises(ApiError, match="domain_taken"):
            await actions.assume_verified(tx, theirs.id)
    assert await actions_on_record(world) == ["sso.domain_claimed", "sso.domain_verified"]


@pytest.mark.parametrize("answer", [SILENT, "SERVFAIL"])
async def test_no_answer_is_soon_told_and_changes_nothing(world: World, zone: Zone, answer: Any) -> None:
    domain = await verified(world, zone)
    zone.texts[domain.record_name] = answer
    began = time.monotonic()
    looked = await verify(world, zone, domain, seconds=0.3)
    assert time.monotonic() - began < 3
    assert (looked.finding, looked.state, looked.missing_since) == ("no_answer", "verified", None)


async def check(world: World, zone: Zone) -> int:
    return await CheckDomains(verification(zone)).run_in(world.database, world.tenant.id)


async def letters(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT kind FROM mail_messages WHERE tenant_id = :tenant AND kind LIKE 'domain%'
            ORDER BY created_at
            """
        )
    return [row["kind"] for row in rows]


async def test_a_verified_domain_is_looked_up_once_a_day(world: World, zone: Zone) -> None:
    await claim(world, new_domain())
    domain = await verified(world, zone)
    zone.asked.clear()
    assert await check(world, zone) == 0
    world.clock.move(hours=25)
    assert await check(world, zone) == 1
    assert await check(world, zone) == 0
    assert zone.asked == [domain.record_name]


async def test_a_record_that_is_gone_is_told_and_ends_the_verification(world: World, zone: Zone) -> None:
    for role in ("admin", "admin", "gestor"):
        await made(world, role)
    domain = await verified(world, zone)
    del zone.texts[domain.record_name]
    seen = []
    for day in range(1, 33):
        world.clock.move(hours=25)
        await check(world, zone)
        seen.append((day, len(await letters(world)), await is_verified(world, domain)))
    assert [(day, count, live) for day, count, live in seen if day in (1, 3, 4, 5, 29, 30, 31)] == [
        (1, 0, True),
        (3, 0, True),
        (4, 2, True),
        (5, 2, True),
        (29, 2, True),
        (30, 4, False),
        (31, 4, False),
    ]
    assert await letters(world) == ["domain_record_missing"] * 2 + ["domain_verification_ended"] * 2
    assert await owner(world, domain) is None
    assert await actions_on_record(world) == [
        "sso.domain_claimed",
        "sso.domain_record_missing",
        "sso.domain_verification_ended",
        "sso.domain_verified",
    ]


async def test_a_record_that_comes_back_is_forgiven(world: World, zone: Zone) -> None:
    domain = await verified(world, zone)
    records = zone.texts.pop(domain.record_name)
    for _ in range(20):
        world.clock.move(hours=25)
        await check(world, zone)
    zone.texts[domain.record_name] = records
    world.clock.move(hours=25)
    await check(world, zone)
    async with world.tx() as tx:
        again = await queries.get(tx, domain.id)
    assert (again.state, again.missing_since, again.alerted_at) == ("verified", None, None)


async def test_silence_ends_nothing_however_long(world: World, zone: Zone) -> None:
    domain = await verified(world, zone)
    zone.texts[domain.record_name] = "SERVFAIL"
    for _ in range(3):
        world.clock.move(days=20)
        assert await check(world, zone) == 1
    assert await is_verified(world, domain)
    assert await letters(world) == []


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        ("192.0.2.53", [NameServer("192.0.2.53")]),
        ("127.0.0.1:5353, ::1", [NameServer("127.0.0.1", 5353), NameServer("::1")]),
        ("[2001:db8::53]:54,[::1]", [NameServer("2001:db8::53", 54), NameServer("::1")]),
    ],
)
def test_name_servers_are_read(text: str, servers: list[NameServer]) -> None:
    assert list(parse_name_servers(text)) == servers


@pytest.mark.parametrize("text", ["dns.example", "1.2.3.4:0", "1.2.3.4:99999", "[::1", "1.2.3.4:x"])
def test_what_names_no_server_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_name_servers(text)
