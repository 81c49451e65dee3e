"""Ten wrong codes in an hour lock the second factor, so that a person with the password cannot
try them all.
"""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pyotp
import pytest

from access.sessions.mailed import mailed
from conftest import World
from trilha.access.sessions import queries
from trilha.people.users.schema import User
from web.panel.signing_in import PASSWORD, browser_of, made, send, signed_in


async def with_second_factor(world: World) -> tuple[User, pyotp.TOTP, list[str]]:
    """Creates a person with an authenticator app. Returns their recovery codes too."""
    user = await made(world)
    browser = await browser_of(world, user)
    app = pyotp.TOTP((await browser.post("/api/auth/authenticator")).json()["secret"])
    code = {"code": app.at(world.clock.now)}
    confirmed = await browser.post("/api/auth/authenticator/confirm", json=code)
    world.clock.move(minutes=1)
    return user, app, confirmed.json()["recovery_codes"]


async def entered(world: World, user: User) -> httpx2.AsyncClient:
    """Returns a browser in which the password was entered, and no code."""
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en"}
    client.cookies.set("trilha_locale", "en", domain="trilha.test", path="/")
    login = {"tenant_slug": world.tenant.slug, "email": user.email, "password": PASSWORD}
    answer = await client.post("/api/auth/login", json=login)
    assert answer.json()["unfinished"] == "second_factor_required"
    return client


async def attempt(client: httpx2.AsyncClient, code: str) -> tuple[int, Any]:
    answer = await client.post("/api/auth/second-factor", json={"code": code})
    return answer.status_code, answer.json().get("error", {}).get("code")


def wrong(app: pyotp.TOTP, world: World) -> str:
    near = {app.at(world.clock.now + timedelta(seconds=30 * step)) for step in (-1, 0, 1)}
    return next(code for code in ("000000", "111111", "222222", "333333") if code not in near)


LOCKED = (422, "second_factor_locked")


async def test_the_right_code_opens_nothing_after_ten_wrong_ones(world: World) -> None:
    user, app, recovery = await with_second_factor(world)
    for number in range(10):  # each from a separate session, and with recovery codes too
        client = await entered(world, user)
        code = wrong(app, world) if number % 2 else "AAAAA-BBBBB"
        assert await attempt(client, code) == (LOCKED if number == 9 else (400, "wrong_code"))
    for code in (app.at(world.clock.now), recovery[0]):
        assert await attempt(await entered(world, user), code) == LOCKED
    assert len(await mailed(world, "second_factor_locked")) == 1
    world.clock.move(minutes=59)
    assert await attempt(await entered(world, user), app.at(world.clock.now)) == LOCKED
    world.clock.move(minutes=2)
    client = await entered(world, user)
    assert await attempt(client, app.at(world.clock.now)) == (200, None)
    assert (await client.get("/api/auth/sessions")).status_code == 200


async def test_parallel_guesses_do_not_pass_the_lock(world: World) -> None:
    user, app, _ = await with_second_factor(world)
    clients = [await entered(world, user) for _ in range(30)]
    guesses = [wrong(app, world)] * 29 + [app.at(world.clock.now)]
    answers = await asyncio.gather(
        *(attempt(client, code) for client, code in zip(clients[:29], guesses[:29], strict=True))
    )
    assert answers.count((400, "wrong_code")) == 9
    assert answers.count(LOCKED) == 20
    assert await attempt(clients[29], guesses[29]) == LOCKED
    assert len(await mailed(world, "second_factor_locked")) == 1


async def test_no_other_way_leads_around_the_lock(world: World) -> None:
    """Another password, another authenticator, or removing the first one does not help."""
    user, app, recovery = await with_second_factor(world)
    client = await entered(world, user)
    for _ in range(10):
        await attempt(client, wrong(app, world))
    for path, body in (
        ("authenticator", {}),
        ("authenticator/confirm", {"code": app.at(world.clock.now)}),
        ("authenticator/remove", {"password": PASSWORD}),
        ("recovery-codes", {"password": PASSWORD}),
        ("password", {"current_password": PASSWORD, "new_password": "another one"}),
    ):
        assert (await client.post(f"/api/auth/{path}", json=body)).status_code == 403, path
    address = {"tenant_slug": world.tenant.slug, "email": user.email}
    await client.post("/api/auth/password-reset", json=address)
    (message,) = await mailed(world, "password_reset")
    chosen = {"token": message["link"].rpartition("/")[2], "new_password": PASSWORD + " 2"}
    assert (await client.post("/api/auth/password-reset/confirm", json=chosen)).status_code in (200, 204)
    assert (await client.get("/api/auth/session")).status_code == 401
    again = world.client()
    login = address | {"password": PASSWORD + " 2"}
    assert (await again.post("/api/auth/login", json=login)).json()["unfinished"] == "second_factor_required"
    again.headers["sec-fetch-site"] = "same-origin"
    for code in (app.at(world.clock.now), recovery[0]):
        assert await attempt(again, code) == LOCKED


async def test_wrong_codes_of_another_hour_do_not_count(world: World) -> None:
    user, app, _ = await with_second_factor(world)
    for _ in range(3):
        for _ in range(5):
            assert await attempt(await entered(world, user), wrong(app, world)) == (400, "wrong_code")
        world.clock.move(minutes=61)
    assert await attempt(await entered(world, user), app.at(world.clock.now)) == (200, None)


async def test_the_page_says_how_it_is_opened_and_an_administrator_opens_it(world: World) -> None:
    user, app, _ = await with_second_factor(world)
    client = await entered(world, user)
    for _ in range(10):
        page = await send(client, "/login/code", on="/login/code", code=wrong(app, world))
    assert page.status_code == 422
    assert "Try again in an hour" in page.text
    assert "administrator" in page.text
    admin = await signed_in(world)
    assert "Locked after wrong codes" in (await admin.get(f"/admin/people/{user.id}")).text
    assert (await send(admin, f"/admin/people/{user.id}/unlock-second-factor")).status_code == 303
    assert await attempt(client, app.at(world.clock.now)) == (200, None)
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant AND target_id = :id", id=user.id
        )
    assert {"user.second_factor_locked", "user.second_factor_unlocked"} <= {row["action"] for row in rows}


@pytest.mark.parametrize("role", ["learner", "gestor", "instrutor"])
async def test_nobody_else_unlocks_it(world: World, role: Any) -> None:
    user, _, _ = await with_second_factor(world)
    other = await signed_in(world, role)
    answer = await send(other, f"/admin/people/{user.id}/unlock-second-factor")
    assert answer.status_code in (403, 404)
    async with world.tx() as tx:
        assert (await queries.get_account(tx, UUID(str(user.id)))).has_authenticator
