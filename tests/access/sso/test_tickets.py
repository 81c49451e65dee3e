"""Tickets: exchanged for a session once, within a minute, and only in one browser."""

import asyncio
from datetime import timedelta
from uuid import UUID

import httpx2
import pytest

from access.sso.federation import Company, connect, doubled, exchange, request_of, sessions
from conftest import World
from trilha.access.sso import queries
from trilha.access.sso.completion import complete
from trilha.access.sso.jobs import PRUNING
from trilha.access.sso.schema import FederatedIdentity
from trilha.app import all_routes
from trilha.people.users import actions as users

INVALID = (401, "ticket_invalid")


def told(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_fifty_at_once_give_one_session(world: World, company: Company) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    answers = await asyncio.gather(*[exchange(browser, ticket) for _ in range(50)])
    assert sorted(each.status_code for each in answers) == [200, *[401] * 49]
    assert {each.json()["error"]["code"] for each in answers if each.status_code == 401} == {"ticket_invalid"}
    assert await sessions(world) == 1
    (first,) = [each for each in answers if each.status_code == 200]
    browser.cookies.set(
        "__Host-trilha_session", first.json()["session_token"], domain="trilha.test", path="/"
    )
    assert (await browser.get("/api/auth/session")).status_code == 200


async def test_who_comes_after_ends_the_session(world: World, company: Company) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    token = (await exchange(browser, ticket)).json()["session_token"]
    world.clock.move(seconds=6)  # before that, it may be the same request sent twice
    assert told(await exchange(browser, ticket)) == INVALID
    assert await sessions(world) == 0
    bearer = {"authorization": f"Bearer {token}"}
    assert (await world.client().get("/api/auth/session", headers=bearer)).status_code == 401
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant AND action = 'session.ended'"
        )
    assert [row["detail"] for row in rows] == [{"reason": "ticket used twice"}]


async def test_a_thief_who_comes_after_ends_it_too(world: World, company: Company) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    await exchange(browser, ticket)
    assert told(await exchange(company.browser(), ticket)) == INVALID
    assert await sessions(world) == 0


async def test_another_browser_is_refused_and_spoils_nothing(world: World, company: Company) -> None:
    browser, other = company.browser(), company.browser()
    ticket = await company.ticket(browser)
    await company.leave(other)  # with its own cookie
    for thief in (other, company.browser()):
        assert told(await exchange(thief, ticket)) == INVALID
    assert await sessions(world) == 0
    assert (await exchange(browser, ticket)).status_code == 200


@pytest.mark.parametrize(("seconds", "status"), [(59, 200), (60, 401), (61, 401), (3600, 401)])
async def test_a_ticket_lasts_a_minute(world: World, company: Company, seconds: int, status: int) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    world.clock.move(seconds=seconds)
    assert (await exchange(browser, ticket)).status_code == status
    assert await sessions(world) == (status == 200)


async def test_a_ticket_is_read_from_the_body_alone(company: Company) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    in_query = await browser.post(f"/api/sso/exchange?ticket={ticket}", json={"ticket": ticket})
    assert told(in_query) == (400, "unknown_parameter")
    assert (await browser.get(f"/api/sso/exchange?ticket={ticket}")).status_code == 405
    assert (await browser.post("/api/sso/exchange", data={"ticket": ticket})).status_code == 415
    assert (await exchange(browser, ticket)).status_code == 200


@pytest.mark.parametrize("ticket", ["x", "A" * 43, "é" * 43, "A" * 200])
async def test_a_ticket_that_nobody_issued(company: Company, ticket: str) -> None:
    browser = company.browser()
    await company.leave(browser)
    assert told(await exchange(browser, ticket)) == INVALID


@pytest.mark.parametrize(
    "body", [{}, {"ticket": ""}, {"ticket": 1}, {"ticket": "A" * 201}, {"ticket": "\x00"}]
)
async def test_a_body_that_is_none(company: Company, body: object) -> None:
    answer = await company.browser().post("/api/sso/exchange", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "validation_error"


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.test"}],
)
async def test_a_page_of_another_site_cannot_exchange(company: Company, headers: dict[str, str]) -> None:
    browser = company.browser()
    ticket = await company.ticket(browser)
    del browser.headers["sec-fetch-site"]
    answer = await browser.post("/api/sso/exchange", json={"ticket": ticket}, headers=headers)
    assert told(answer) == (403, "cross_site_request")
    assert (await exchange(browser, ticket)).status_code == 200


async def test_suspension_ends_all_that_is_under_way(world: World, company: Company) -> None:
    browser = company.browser()
    signed = await company.sign_in(browser)
    ticket = await company.ticket(browser)
    on_the_way = company.double.code_for(await company.leave(browser))
    async with world.tx() as tx:
        await users.suspend(tx, UUID(signed["user"]["id"]))
    assert (await browser.get("/api/auth/session")).status_code == 401
    assert told(await exchange(browser, ticket)) == INVALID
    location = await company.come_back(browser, **on_the_way)
    assert (await company.refusal(location))["code"] == "account_suspended"
    # The ticket does not work again after they come back either.
    async with world.tx() as tx:
        await users.reactivate(tx, UUID(signed["user"]["id"]))
    assert told(await exchange(browser, ticket)) == INVALID


async def test_a_ticket_of_one_tenant_makes_a_session_of_that_one(
    world: World, stranger: World, company: Company
) -> None:
    async with doubled(world.clock) as other:
        theirs = await connect(stranger, other)
        browser = company.browser()
        mine, their = await company.ticket(browser), await theirs.ticket(browser)
        first = (await exchange(browser, mine)).json()
        second = (await exchange(browser, their)).json()
    assert first["user"]["id"] != second["user"]["id"]
    assert (await browser.get("/api/auth/session")).json()["tenant_slug"] == stranger.tenant.slug


async def test_a_planted_session_is_not_gone_on_with(world: World, company: Company) -> None:
    """Session fixation: whatever token the browser has, the new session has another one."""
    attacker, victim = company.browser(), company.browser()
    planted = (await company.sign_in(attacker))["session_token"]
    victim.cookies.set("__Host-trilha_session", planted, domain="trilha.test", path="/")
    company.double.claims |= {"sub": "s-2", "email": f"bia@{company.domain}"}
    signed = await company.sign_in(victim)
    assert signed["session_token"] != planted
    bearer = {"authorization": f"Bearer {planted}"}
    assert (await world.client().get("/api/auth/session", headers=bearer)).status_code == 401


async def test_the_cookie_of_the_session(company: Company) -> None:
    browser = company.browser()
    answer = await exchange(browser, await company.ticket(browser))
    cookies = [each for name, each in answer.headers.multi_items() if name == "set-cookie"]
    (own,) = [each for each in cookies if each.startswith("__Host-trilha_session=")]
    assert own.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_a_provider_may_end_the_session_sooner(world: World, company: Company) -> None:
    """The end in SAML's SessionNotOnOrAfter."""
    browser = company.browser()
    await company.leave(browser)
    async with world.tx() as tx:
        connection = await queries.get(tx, company.id)
        mark = await tx.value("SELECT browser FROM sso_flows WHERE tenant_id = :tenant")
    identity = FederatedIdentity(
        subject="s-9",
        email=f"eva@{company.domain}",
        email_verified=None,
        name="Eva",
        attributes={},
        session_index="idx",
        session_ends_at=world.clock.now + timedelta(minutes=30),
    )
    location = await complete(
        world.database,
        world.tenant.id,
        connection,
        identity,
        request_of(browser),
        browser=mark,
    )
    assert (await exchange(browser, location.partition("ticket=")[2])).status_code == 200
    world.clock.move(minutes=29)
    assert (await browser.get("/api/auth/session")).status_code == 200
    world.clock.move(minutes=2)
    assert (await browser.get("/api/auth/session")).status_code == 401


async def test_what_is_over_is_deleted(world: World, company: Company) -> None:
    browser = company.browser()
    await company.leave(browser)
    await company.ticket(browser)
    counts = "SELECT (SELECT count(*) FROM sso_flows WHERE tenant_id = :tenant) + count(*) FROM sso_tickets"
    for minutes, left in ((0, 2), (11, 0)):
        world.clock.move(minutes=minutes)
        for job in PRUNING:
            await job.run_in(world.database, world.tenant.id)
            assert (world.tenant.id in await job.due_tenants(world.database)) is False
        async with world.tx() as tx:
            assert await tx.value(f"{counts} WHERE tenant_id = :tenant") == left


def test_no_route_of_the_api_for_machines_takes_one() -> None:
    assert not any("sso" in route.path for route in all_routes())
