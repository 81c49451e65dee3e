"""POST /api/auth/login, and what a session may do."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
import pyotp
import pytest

from conftest import World
from trilha import app as trilha_app
from trilha.app import PERSONAL_DATA
from trilha.core.database import Database
from trilha.core.passwords import hash_password
from trilha.core.web.rate_limits import Limit
from trilha.people.users import actions as users
from trilha.platform.tenants.operator import operator
from trilha.settings import Settings

PASSWORD = "correct horse"


@pytest.fixture
async def browser(world: World) -> httpx2.AsyncClient:
    """A client that sends the origin of its requests, like a browser."""
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    return client


async def log_in(
    world: World, client: httpx2.AsyncClient, user: dict[str, Any], **members: str
) -> httpx2.Response:
    body = {"tenant_slug": world.tenant.slug, "email": user["email"], "password": PASSWORD}
    return await client.post("/api/auth/login", json=body | members)


async def signed_in(world: World, client: httpx2.AsyncClient, **members: Any) -> dict[str, Any]:
    user = await world.user(password=PASSWORD, **members)
    answer = await log_in(world, client, user)
    assert answer.status_code == 200, answer.text
    signed: dict[str, Any] = answer.json()
    return signed


async def state(client: httpx2.AsyncClient, token: str | None = None) -> tuple[int, str | None]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    answer = await client.get("/api/auth/session", headers=headers)
    return answer.status_code, answer.json().get("error", {}).get("code")


async def test_a_login_answers_token_and_cookie(world: World, browser: httpx2.AsyncClient) -> None:
    signed = await signed_in(world, browser)
    assert signed["unfinished"] is None
    assert signed["user"]["last_login_at"] is not None
    assert browser.cookies["trilha_session"] == signed["session_token"]
    shown = (await browser.get("/api/auth/session")).json()
    assert shown["user"]["id"] == signed["user"]["id"]
    assert shown["expires_at"] == signed["expires_at"]
    assert await state(world.client(), signed["session_token"]) == (200, None)
    assert await state(world.client()) == (401, "session_missing")


async def test_the_cookie_is_kept_from_pages_and_from_other_hosts(world: World) -> None:
    client = world.client(scheme="https")
    user = await world.user(password=PASSWORD)
    (cookie, browsers) = (await log_in(world, client, user)).headers.get_list("set-cookie")
    assert cookie.startswith("__Host-trilha_session=trl_session_")
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert browsers.startswith("__Host-trilha_browser=")


@pytest.mark.parametrize("what", ["tenant", "person", "password", "suspended", "inactive tenant"])
async def test_every_login_that_fails_fails_alike(world: World, what: str) -> None:
    user = await world.user(password=PASSWORD)
    right = await log_in(world, world.client(), user, password="wrong horse")
    members = {
        "tenant": {"tenant_slug": "nobody-here"},
        "person": {"email": "nobody@example.com"},
        "password": {"password": "wrong too"},
    }.get(what, {})
    if what == "suspended":
        await world.http.post(f"/v1/users/{user['id']}/suspend")
    if what == "inactive tenant":
        async with operator(world.url, world.clock) as owner:
            await owner.set_status(world.tenant.slug, "SUSPENDED")
    failed = await log_in(world, world.client(), user, **members)
    assert (failed.status_code, failed.json()["error"]["code"]) == (401, "invalid_login")
    for answer in (right, failed):
        assert "set-cookie" not in answer.headers
    told, expected = failed.json()["error"], right.json()["error"]
    assert {**told, "request_id": ""} == {**expected, "request_id": ""}


async def test_a_suspended_person_is_out_at_once_and_stays_out(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user_id = (await signed_in(world, browser))["user"]["id"]
    await world.http.post(f"/v1/users/{user_id}/suspend")
    assert await state(browser) == (401, "session_invalid")
    await world.http.post(f"/v1/users/{user_id}/reactivate")
    assert await state(browser) == (401, "session_invalid")


async def test_an_administrator_who_sets_a_password_signs_the_person_out(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user = (await signed_in(world, browser))["user"]
    async with world.tx() as tx:
        await users.set_password(tx, UUID(user["id"]), await hash_password("a given one"))
    assert await state(browser) == (401, "session_invalid")
    assert (await log_in(world, browser, user)).status_code == 401
    assert (await log_in(world, browser, user, password="a given one")).status_code == 200


async def test_a_person_who_has_left_is_out_at_once_and_stays_out(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user = (await signed_in(world, browser))["user"]
    async with world.tx() as tx:
        await users.deactivate(tx, UUID(user["id"]))
    assert await state(browser) == (401, "session_invalid")
    assert (await log_in(world, browser, user)).status_code == 401
    async with world.tx() as tx:
        await users.activate(tx, UUID(user["id"]))
    assert await state(browser) == (401, "session_invalid")
    assert (await log_in(world, browser, user)).status_code == 200


async def nothing_is_left(world: World) -> None:
    async with world.tx() as tx:
        assert await tx.rows("SELECT id FROM sessions WHERE tenant_id = :tenant") == []
        assert await tx.rows("SELECT id FROM mail_messages WHERE tenant_id = :tenant") == []
        (row,) = await tx.rows("SELECT last_login_at FROM users WHERE tenant_id = :tenant")
    assert row["last_login_at"] is None


async def test_who_is_erased_while_signing_in_leaves_no_session_behind(
    world: World, browser: httpx2.AsyncClient, admin_url: str
) -> None:
    user = await world.user(password=PASSWORD)
    watcher = await asyncpg.connect(admin_url)
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
        login = asyncio.create_task(log_in(world, browser, user))
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))"
        while not await watcher.fetchval(waiting, tx._connection.get_server_pid()):
            assert not login.done()
            await asyncio.sleep(0)
    await watcher.close()
    assert (await login).status_code == 401
    await nothing_is_left(world)


async def test_who_is_erased_after_signing_in_leaves_no_session_behind(
    world: World, browser: httpx2.AsyncClient
) -> None:
    user_id = (await signed_in(world, browser))["user"]["id"]
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user_id))
    assert await state(browser) == (401, "session_invalid")
    await nothing_is_left(world)


async def test_a_session_of_another_tenant_is_not_there(
    world: World, stranger: World, browser: httpx2.AsyncClient
) -> None:
    await signed_in(world, browser)
    theirs = await signed_in(stranger, stranger.client())
    token = {"authorization": f"Bearer {theirs['session_token']}"}
    session_id = (await browser.get("/api/auth/session")).json()["id"]
    answer = await world.client().delete(f"/api/auth/sessions/{session_id}", headers=token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "session_not_found")
    assert await state(browser) == (200, None)


async def test_a_session_ends_when_it_is_idle_and_in_any_case(
    world: World, browser: httpx2.AsyncClient
) -> None:
    await signed_in(world, browser)
    for _ in range(7):
        world.clock.move(hours=1.5)
        assert await state(browser) == (200, None)
    world.clock.move(hours=1.6)  # 12.1 hours in total
    assert await state(browser) == (401, "session_invalid")
    await signed_in(world, browser)
    world.clock.move(hours=2.1)
    assert await state(browser) == (401, "session_invalid")


async def test_logging_out_ends_this_session_alone(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    first = (await log_in(world, browser, user)).json()["session_token"]
    other = (await log_in(world, world.client(), user)).json()["session_token"]
    assert (await browser.post("/api/auth/logout")).status_code == 204
    assert await state(world.client(), first) == (401, "session_invalid")
    assert await state(world.client(), other) == (200, None)


async def test_a_change_that_another_site_sends_is_refused(world: World, browser: httpx2.AsyncClient) -> None:
    token = (await signed_in(world, browser))["session_token"]
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "", "origin": "http://trilha.test"},
    ):
        answer = await browser.post("/api/auth/logout", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_site_request"), headers
    old = world.client()
    old.cookies["trilha_session"] = token
    for origin in ("http://evil.test", "null", "https://trilha.test", ""):
        answer = await old.post("/api/auth/logout", headers={"origin": origin} if origin else {})
        assert answer.status_code == 403, origin
    answer = await old.post("/api/auth/logout", headers={"origin": "http://trilha.test"})
    assert answer.status_code == 204


async def test_a_token_of_another_kind_is_no_session(world: World) -> None:
    key = await world.key()
    assert await state(world.client(), key) == (401, "session_invalid")
    answer = await world.client().get(
        "/v1/users", headers={"authorization": "Bearer trl_session_" + "a" * 43}
    )
    assert answer.status_code == 401


async def test_a_password_that_was_given_must_be_changed_first(
    world: World, browser: httpx2.AsyncClient
) -> None:
    made = await world.http.post("/v1/users", json={"email": "novo@example.com", "name": "Novo"})
    temporary = made.json()["_meta"]["temporary_password"]
    signed = (await log_in(world, browser, made.json()["data"], password=temporary)).json()
    assert signed["unfinished"] == "password_change_required"
    refused = await browser.get("/api/auth/sessions")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "password_change_required")
    same = {"current_password": temporary, "new_password": temporary}
    assert (await browser.post("/api/auth/password", json=same)).json()["error"]["code"] == "same_password"
    wrong = {"current_password": "not this one", "new_password": "a better one"}
    assert (await browser.post("/api/auth/password", json=wrong)).json()["error"]["code"] == "wrong_password"
    change = {"current_password": temporary, "new_password": "a better one"}
    changed = await browser.post("/api/auth/password", json=change)
    assert changed.status_code == 200, changed.text
    assert changed.json()["session_token"] == browser.cookies["trilha_session"] != signed["session_token"]
    assert (await browser.get("/api/auth/sessions")).status_code == 200
    assert await state(world.client(), signed["session_token"]) == (401, "session_invalid")


async def test_a_new_password_ends_the_other_sessions(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    await log_in(world, browser, user)
    other = (await log_in(world, world.client(), user)).json()["session_token"]
    change = {"current_password": PASSWORD, "new_password": "a better one"}
    await browser.post("/api/auth/password", json=change)
    assert await state(world.client(), other) == (401, "session_invalid")
    assert await state(browser) == (200, None)
    assert (await log_in(world, world.client(), user)).status_code == 401
    assert (await log_in(world, world.client(), user, password="a better one")).status_code == 200


async def test_the_sessions_of_a_person(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    phone = world.client(address="203.0.113.7")
    await log_in(world, browser, user)
    phone.headers["user-agent"] = agent
    await log_in(world, phone, user)
    latest, first = sorted(
        (await browser.get("/api/auth/sessions")).json()["sessions"], key=lambda each: each["current"]
    )
    assert (latest["device"], latest["source"]) == ("Firefox, Linux", "203.0.113.7")
    assert first["current"]
    stranger = (await signed_in(world, world.client()))["session_token"]
    theirs = await world.client().delete(
        f"/api/auth/sessions/{latest['id']}", headers={"authorization": f"Bearer {stranger}"}
    )
    assert theirs.status_code == 404
    assert (await browser.delete(f"/api/auth/sessions/{latest['id']}")).status_code == 204
    assert (await state(phone))[0] == 401
    await log_in(world, phone, user)
    assert (await browser.delete("/api/auth/sessions")).status_code == 204
    assert (await state(phone))[0] == 401
    assert (await state(browser))[0] == 200


async def test_a_second_factor(world: World, browser: httpx2.AsyncClient) -> None:
    signed = await signed_in(world, browser)
    made = (await browser.post("/api/auth/authenticator")).json()
    app = pyotp.TOTP(made["secret"])
    assert "secret=" + made["secret"] in made["uri"]

    def code() -> str:
        return app.at(world.clock.now)

    wrong = await browser.post("/api/auth/authenticator/confirm", json={"code": "000000"})
    assert wrong.json()["error"]["code"] == "wrong_code"
    confirmed = await browser.post("/api/auth/authenticator/confirm", json={"code": code()})
    recovery = confirmed.json()["recovery_codes"]
    assert len(set(recovery)) == 10
    assert await state(browser) == (200, None)
    again = await browser.post("/api/auth/authenticator")
    assert again.json()["error"]["code"] == "second_factor_exists"

    second = world.client()
    second.headers["sec-fetch-site"] = "same-origin"
    begun = (await log_in(world, second, signed["user"])).json()
    assert begun["unfinished"] == "second_factor_required"
    for path in ("sessions", "authenticator"):
        method = second.get if path == "sessions" else second.post
        refused = await method(f"/api/auth/{path}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "second_factor_required")
    used = await second.post("/api/auth/second-factor", json={"code": code()})
    assert used.json()["error"]["code"] == "wrong_code"  # it confirmed the app
    world.clock.move(seconds=30)
    passed = await second.post("/api/auth/second-factor", json={"code": f" {code()[:3]} {code()[3:]}"})
    assert passed.status_code == 200, passed.text
    assert passed.json()["session_token"] != begun["session_token"]
    assert (await second.get("/api/auth/sessions")).status_code == 200

    lost = world.client()
    lost.headers["sec-fetch-site"] = "same-origin"
    for expected in (200, 400):
        await log_in(world, lost, signed["user"])
        answer = await lost.post("/api/auth/second-factor", json={"code": recovery[0].lower()})
        assert answer.status_code == expected
    removed = await browser.post("/api/auth/authenticator/remove", json={"password": PASSWORD})
    assert removed.status_code == 204
    assert (await log_in(world, lost, signed["user"])).json()["unfinished"] is None


@pytest.fixture
async def limited(settings: Settings, database: Database, world: World) -> Any:
    return trilha_app.create_app(replace(settings, limit_login=Limit(5, 60)), database, world.clock)


async def test_the_sixth_try_is_refused_by_address_and_by_email(world: World, limited: Any) -> None:
    user = await world.user(password=PASSWORD)
    spellings = [user["email"], user["email"].upper(), f" {user['email']} "]

    async def tried(address: str, email: str) -> int:
        client = world.client(app=limited, address=address)
        client.headers["x-forwarded-for"] = "198.51.100.1"
        return (await log_in(world, client, user, email=email, password="wrong horse")).status_code

    by_email = [await tried(f"203.0.113.{number}", spellings[number % 3]) for number in range(6)]
    assert by_email == [401] * 5 + [429]
    by_address = [await tried("192.0.2.9", f"p{number}@example.com") for number in range(6)]
    assert by_address == [401] * 5 + [429]


async def test_a_known_browser_is_not_locked_out_by_a_stranger(world: World, limited: Any) -> None:
    user = await world.user(password=PASSWORD)
    mine = world.client(app=limited, address="192.0.2.1")
    assert (await log_in(world, mine, user)).status_code == 200
    for number in range(6):
        theirs = world.client(app=limited, address=f"203.0.113.{number}")
        answer = await log_in(world, theirs, user, password="wrong horse")
    assert answer.status_code == 429
    assert (await log_in(world, mine, user)).status_code == 200
    forged = world.client(app=limited, address="192.0.2.2")
    forged.cookies["trilha_browser"] = mine.cookies["trilha_browser"].replace(".", ".0")
    assert (await log_in(world, forged, user)).status_code == 429


async def test_a_reset_link_works_once(world: World, browser: httpx2.AsyncClient) -> None:
    signed = await signed_in(world, browser)
    asked = {"tenant_slug": world.tenant.slug, "email": signed["user"]["email"]}
    for body in (asked, asked | {"email": "nobody@example.com"}, asked | {"tenant_slug": "nobody"}):
        answer = await browser.post("/api/auth/password-reset", json=body)
        assert (answer.status_code, answer.content) == (204, b"")
    async with world.tx() as tx:
        (row,) = await tx.rows(
            """
            SELECT id, content FROM mail_messages
            WHERE tenant_id = :tenant AND kind = 'password_reset'
            """
        )
        content = tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"])
    token = content.partition("/login/reset/")[2].partition('"')[0]
    reset = {"token": token, "new_password": "a better one"}
    assert (await browser.post("/api/auth/password-reset/confirm", json=reset)).status_code == 204
    assert await state(browser) == (401, "session_invalid")
    again = await browser.post("/api/auth/password-reset/confirm", json=reset)
    assert (again.status_code, again.json()["error"]["code"]) == (422, "reset_link_invalid")
    assert (await log_in(world, browser, signed["user"], password="a better one")).status_code == 200


async def test_a_new_browser_is_told_by_mail(world: World, browser: httpx2.AsyncClient) -> None:
    user = await world.user(password=PASSWORD)

    async def told() -> int:
        async with world.tx() as tx:
            count: int = await tx.value(
                "SELECT count(*) FROM mail_messages WHERE tenant_id = :tenant AND kind = 'new_sign_in'"
            )
        return count

    await log_in(world, browser, user)
    assert await told() == 1
    await log_in(world, browser, user)
    assert await told() == 1
    await log_in(world, world.client(), user)
    assert await told() == 2
