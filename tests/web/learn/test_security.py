"""/learn/security: sessions, password, two-step verification."""

import re

import httpx2
import pyotp

from conftest import World
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from web.learn.signing_in import PASSWORD, learner, send, signed_in, token_in

SECURITY = "/learn/security"
AUTHENTICATOR = "/learn/security/authenticator"


def secret_in(page: str) -> str:
    found = re.search(r'id="key" value="([A-Z2-7 ]+)"', page)
    assert found
    return found[1].replace(" ", "")


def code_of(world: World, secret: str) -> str:
    return pyotp.TOTP(secret).at(world.clock.now)


def codes_in(page: str) -> list[str]:
    return re.findall(r"\b[2-9A-Z]{5}-[2-9A-Z]{5}\b", page)


async def turned_on(world: World, client: httpx2.AsyncClient) -> tuple[str, list[str]]:
    """Turns it on. Returns the secret and the recovery codes."""
    await send(client, AUTHENTICATOR, "")
    secret = secret_in((await client.get(AUTHENTICATOR)).text)
    page = await send(client, AUTHENTICATOR, f"{AUTHENTICATOR}/confirm", code=code_of(world, secret))
    assert page.status_code == 200, page.text
    return secret, codes_in(page.text)


async def test_sessions_are_shown_and_ended(world: World) -> None:
    user, client = await learner(world)
    client.headers["user-agent"] = "Mozilla/5.0 (Windows NT 10.0) Firefox/133.0"
    phone = world.client(address="203.0.113.7")
    phone.headers |= {"sec-fetch-site": "same-origin", "user-agent": "Mozilla/5.0 (Android 14) Chrome/131.0"}
    form = {"tenant_slug": world.tenant.slug, "email": user["email"], "password": PASSWORD}
    await phone.post("/login", data=form)
    other = await signed_in(world, user["email"])
    page = (await client.get(SECURITY)).text
    assert page.count("This session") == 1
    assert "Chrome, Android" in page
    assert "203.0.113.7" in page
    ends = re.findall(rf'action="({SECURITY}/sessions/[0-9a-f-]+/end)"', page)
    assert len(ends) == 2
    ended = await client.post(ends[0], data={"csrf_token": token_in(page)})
    assert ended.headers["location"] == SECURITY
    assert [(await each.get("/learn")).status_code for each in (client, phone, other)].count(303) == 1
    await send(client, SECURITY, f"{SECURITY}/sessions/end-others")
    assert [(await each.get("/learn")).status_code for each in (client, phone, other)] == [200, 303, 303]


async def test_nobody_elses_session_is_ended(world: World, stranger: World) -> None:
    _, client = await learner(world)
    for owner in (world, stranger):
        user, theirs = await learner(owner)
        async with owner.tx() as tx:
            sql = "SELECT id FROM sessions WHERE tenant_id = :tenant AND user_id = :user"
            id = await tx.value(sql, user=user["id"])
        assert (await send(client, SECURITY, f"{SECURITY}/sessions/{id}/end")).status_code == 404
        assert (await theirs.get("/learn")).status_code == 200


async def test_another_password(world: World) -> None:
    user, client = await learner(world)
    other = await signed_in(world, user["email"])
    path = f"{SECURITY}/password"
    wrong = await send(client, path, "", current_password="nope", new_password="a better one")
    assert "The current password is incorrect. Try again." in wrong.text
    assert "a better one" not in wrong.text
    short = await send(client, path, "", current_password=PASSWORD, new_password="short")
    assert "This password is too short." in short.text
    common = await send(client, path, "", current_password=PASSWORD, new_password="Senha2026")
    assert common.status_code == 422
    assert "Many people use this password, so it is easy to guess. Choose another one." in common.text
    name = await send(client, path, "", current_password=PASSWORD, new_password=f"{world.tenant.slug}!1")
    assert "Names and e-mail addresses are easy to guess. Choose another password." in name.text
    changed = await send(client, path, "", current_password=PASSWORD, new_password="a better one")
    assert changed.headers["location"] == SECURITY
    assert "Your password was changed" in (await client.get(SECURITY)).text
    assert (await other.get("/learn")).status_code == 303
    await signed_in(world, user["email"], "a better one")


async def test_a_second_factor_from_end_to_end(world: World) -> None:
    user, client = await learner(world)
    assert "<svg" in (await client.get(AUTHENTICATOR)).text
    await send(client, AUTHENTICATOR, "")
    begun = (await client.get(AUTHENTICATOR)).text
    assert 'class="qr"' in begun
    assert " style=" not in begun
    secret = secret_in(begun)
    wrong = await send(client, AUTHENTICATOR, f"{AUTHENTICATOR}/confirm", code="000000")
    assert wrong.status_code == 422
    assert secret_in(wrong.text) == secret  # the scanned secret stays valid
    page = await send(client, AUTHENTICATOR, f"{AUTHENTICATOR}/confirm", code=code_of(world, secret))
    codes = codes_in(page.text)
    assert len(codes) == 10
    assert page.headers["cache-control"] == "no-store"
    # The session continues with a new token, and so do the forms of this page.
    theme = {"csrf_token": token_in(page.text), "theme": "dark", "next": "/learn"}
    assert (await client.post("/learn/preferences", data=theme)).status_code == 303
    assert not codes_in((await client.get(AUTHENTICATOR, follow_redirects=True)).text)
    assert "10 unused recovery codes" in (await client.get(SECURITY)).text
    again = world.client()
    again.headers |= {"sec-fetch-site": "same-origin"}
    form = {"tenant_slug": world.tenant.slug, "email": user["email"], "password": PASSWORD}
    signed = await again.post("/login", data=form)
    assert signed.headers["location"] == "/login/code"
    # Setting up another app does not skip the pending check.
    for path in (AUTHENTICATOR, SECURITY, "/learn", f"{SECURITY}/recovery-codes"):
        assert (await again.get(path)).headers["location"] == f"/login/code?next={path}"
    assert (await send(again, "/login/code", "", code=codes[0])).headers["location"] == "/learn"


async def test_turning_it_on_signs_out_everywhere_else(world: World) -> None:
    user, client = await learner(world)
    by_password_alone = await signed_in(world, user["email"], PASSWORD)
    await turned_on(world, client)
    assert (await client.get("/learn")).status_code == 200
    assert (await by_password_alone.get("/learn")).status_code == 303
    assert (await client.get(SECURITY)).text.count("This session") == 1


async def test_new_codes_and_turning_it_off_take_the_password(world: World) -> None:
    _, client = await learner(world)
    for path in (f"{SECURITY}/recovery-codes", f"{AUTHENTICATOR}/remove"):
        assert (await client.get(path)).headers["location"] == SECURITY  # there is none
    _, first = await turned_on(world, client)
    for path in (f"{SECURITY}/recovery-codes", f"{AUTHENTICATOR}/remove"):
        refused = await send(client, path, "", password="nope")
        assert refused.status_code == 422
        assert "The current password is incorrect. Try again." in refused.text
    fresh = codes_in((await send(client, f"{SECURITY}/recovery-codes", "", password=PASSWORD)).text)
    assert len(fresh) == 10
    assert not set(fresh) & set(first)
    off = await send(client, f"{AUTHENTICATOR}/remove", "", password=PASSWORD)
    assert off.headers["location"] == SECURITY
    assert "Two-step verification was turned off." in (await client.get(SECURITY)).text


async def test_who_has_to_set_one_up_comes_here_and_nowhere_else(world: World) -> None:
    hashed = await hash_password(PASSWORD, world.tenant.id)
    async with world.tx() as tx:
        raw = {"email": "chefe@example.com", "name": "Chefe"}
        await users.create(tx, convert(NewUser, raw, tx.today), hashed, role="admin")
        await tx.execute(
            """INSERT INTO tenant_settings (tenant_id, second_factor_required, updated_at)
            VALUES (:tenant, true, :now)"""
        )
    client = await signed_in(world, "chefe@example.com")
    for path in ("/learn", "/admin", SECURITY):
        assert (await client.get(path)).headers["location"] == AUTHENTICATOR
    page = (await client.get(AUTHENTICATOR)).text
    assert "requires administrators to use two-step verification" in page
    assert (
        'href="/learn/profile"' not in page.partition("<main")[0].partition("<nav")[2].partition("</nav>")[0]
    )
    _, codes = await turned_on(world, client)
    assert len(codes) == 10
    assert (await client.get("/admin")).status_code == 200
