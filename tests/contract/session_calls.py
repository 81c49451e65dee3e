"""Calls that return the error codes of sessions, by code."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pyotp
import pytest
from msgspec import structs

from access.sessions.soft_passkey import SoftPasskey, encode
from conftest import NO_LIMIT, World
from contract.quiz_calls import acting
from trilha import app as trilha_app
from trilha.access.permissions.roles import Permission, may
from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.passkeys import actions as passkeys
from trilha.access.sessions.passkeys import queries as passkey_queries
from trilha.access.sessions.passkeys import signing
from trilha.access.sessions.passkeys.challenges import bind_session, new_challenge
from trilha.access.sessions.passkeys.rules import MAX_PASSKEYS
from trilha.core.database import Tx
from trilha.core.web.routes import Envelope, Routes
from trilha.feature import Feature
from trilha.settings import Settings

_HOST = "https://learn.example.com"
Call = Callable[[World], Awaitable[httpx2.Response]]
PASSWORD = "correct horse"
SESSION_CALLS: dict[str, Call] = {}
"""By requests to /api."""
PASSKEY_CALLS: dict[str, Call] = {}
"""By actions of pages: /api has no passkeys."""


def calls(code: str, codes: dict[str, Call] = SESSION_CALLS) -> Callable[[Call], Call]:
    def add(call: Call) -> Call:
        assert code not in codes
        codes[code] = call
        return call

    return add


class Person:
    """A person who has just signed in with a password, in a browser."""

    def __init__(self, world: World, http: httpx2.AsyncClient, email: str) -> None:
        self._world = world
        self.http = http
        self.email = email

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self.http.post(f"/api/auth/{path}", json=body or None)

    async def log_in(self, password: str = PASSWORD) -> httpx2.Response:
        slug = self._world.tenant.slug
        return await self.post("login", tenant_slug=slug, email=self.email, password=password)

    async def begin_second_factor(self) -> pyotp.TOTP:
        return pyotp.TOTP((await self.post("authenticator")).json()["secret"])

    async def confirm(self, app: pyotp.TOTP) -> httpx2.Response:
        return await self.post("authenticator/confirm", code=app.at(self._world.clock.now))


async def person(world: World, password: str = PASSWORD, **members: Any) -> Person:
    http = world.client()
    http.headers["sec-fetch-site"] = "same-origin"
    user = await world.user(**{"password": PASSWORD} | members)
    made = Person(world, http, user["email"])
    assert (await made.log_in(password)).status_code == 200
    return made


@calls("session_missing")
async def _(world: World) -> httpx2.Response:
    return await world.client().get("/api/auth/session")


@calls("session_invalid")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    world.clock.move(hours=3)
    return await one.http.get("/api/auth/session")


@calls("session_not_found")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).http.delete(f"/api/auth/sessions/{uuid4()}")


@calls("invalid_login")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).log_in("wrong horse")


@calls("wrong_password")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).post(
        "password", current_password="wrong horse", new_password="a better one"
    )


@calls("same_password")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).post("password", current_password=PASSWORD, new_password=PASSWORD)


@calls("password_below_minimum")
async def _(world: World) -> httpx2.Response:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, password_minimum, updated_at) VALUES (:tenant, 20, :now)
            """
        )
    return await (await person(world)).post(
        "password", current_password=PASSWORD, new_password="a better one"
    )


@calls("password_common")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).post("password", current_password=PASSWORD, new_password="12345678")


@calls("password_is_name")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    return await one.post("password", current_password=PASSWORD, new_password=one.email)


@calls("reset_link_invalid")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).post(
        "password-reset/confirm", token="trl_session_x", new_password="a better one"
    )


@calls("password_change_required")
async def _(world: World) -> httpx2.Response:
    email = f"{uuid4().hex}@example.com"
    made = await world.http.post("/v1/users", json={"email": email, "name": "Novo"})
    http = world.client()
    one = Person(world, http, email)
    http.headers["sec-fetch-site"] = "same-origin"
    assert (await one.log_in(made.json()["_meta"]["temporary_password"])).status_code == 200
    return await http.get("/api/auth/sessions")


@calls("cross_site_request")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    one.http.headers["sec-fetch-site"] = "cross-site"
    return await one.post("logout")


@calls("second_factor_not_begun")
async def _(world: World) -> httpx2.Response:
    return await (await person(world)).post("authenticator/confirm", code="123456")


@calls("wrong_code")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    await one.begin_second_factor()
    return await one.post("authenticator/confirm", code="no code")


@calls("second_factor_exists")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    assert (await one.confirm(await one.begin_second_factor())).status_code == 200
    return await one.post("authenticator")


@calls("second_factor_required")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    await one.confirm(await one.begin_second_factor())
    assert (await one.log_in()).json()["unfinished"] == "second_factor_required"
    return await one.http.get("/api/auth/sessions")


@calls("second_factor_locked")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    await one.confirm(await one.begin_second_factor())
    await one.log_in()
    for _ in range(10):
        answer = await one.post("second-factor", code="no code")
    return answer


@calls("second_factor_setup_required")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, second_factor_required, updated_at)
            VALUES (:tenant, true, :now)
            """
        )
        await tx.execute("UPDATE users SET role = 'admin' WHERE tenant_id = :tenant")
    return await one.http.get("/api/auth/sessions")


@calls("signed_in_by_link")
async def _(world: World) -> httpx2.Response:
    one = await person(world)
    async with world.tx() as tx:
        await tx.execute("UPDATE sessions SET by_link = true WHERE tenant_id = :tenant")
    return await one.http.get("/api/auth/sessions")


@calls("passkeys_unavailable", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await acting(lambda tx: signing.begin(tx, _viewer_of(world), bytes(32), "http://127.0.0.1"))(world)


@calls("no_passkey", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await acting(lambda tx: signing.begin(tx, _viewer_of(world), bytes(32), _HOST))(world)


@calls("passkey_refused", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await acting(lambda tx: passkeys.register(tx, _viewer_of(world), "Phone", "{}", _HOST))(world)


@calls("passkey_not_found", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await acting(lambda tx: passkeys.get(tx, _viewer_of(world), uuid4()))(world)


@calls("recent_sign_in_required", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    """Of a session that has ended meanwhile."""
    return await acting(lambda tx: passkeys.begin_registration(tx, _viewer_of(world), _HOST))(world)


async def _register(world: World, passkey: SoftPasskey, viewer: Viewer) -> None:
    async with world.tx() as tx:
        challenge = new_challenge()
        await passkey_queries.put_challenge(
            tx, challenge, "REGISTRATION", bind_session(viewer), viewer.user_id
        )
        options = {"challenge": encode(challenge), "user": {"id": encode(bytes(32))}}
        await passkeys.register(tx, viewer, "Phone", passkey.register(options), _HOST)


async def _told_about(world: World, keys: Sequence[SoftPasskey]) -> httpx2.Response:
    user = await world.user()
    viewer = structs.replace(_viewer_of(world), user_id=UUID(user["id"]), email=user["email"])
    for each in keys[:-1]:
        await _register(world, each, viewer)

    async def register(tx: Tx) -> None:
        await _register(world, keys[-1], viewer)

    return await acting(register)(world)


@calls("passkey_exists", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await _told_about(world, [SoftPasskey(_HOST)] * 2)


@calls("too_many_passkeys", PASSKEY_CALLS)
async def _(world: World) -> httpx2.Response:
    return await _told_about(world, [SoftPasskey(_HOST) for _ in range(MAX_PASSKEYS + 1)])


def _viewer_of(world: World) -> Viewer:
    """Returns the viewer of a session that does not exist."""
    return Viewer(
        user_id=uuid4(),
        session_id=uuid4(),
        email="ana@example.com",
        name="Ana",
        role="learner",
        own_locale=None,
        must_change_password=False,
        second_factor="none",
        tenant_slug=world.tenant.slug,
        tenant_name="Test",
        tenant_locale="en",
        environment="production",
        time_zone="UTC",
        brand_colour=None,
        logo_name=None,
        password_minimum=8,
    )


@calls("not_permitted")
async def _(world: World) -> httpx2.Response:
    """No route of /api requires a role yet. Pages check roles in the same way."""
    routes = Routes("Reserved", "What administrators alone may see.")

    @routes.get("/reserved", access=may(Permission.SETTINGS_WRITE))
    async def reserved(tx: Tx) -> Envelope[int]:
        """Answers."""
        return Envelope(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trilha_app, "FEATURES", (*trilha_app.FEATURES, Feature(name="test", api=[routes])))
        app = trilha_app.create_app(
            Settings(limit_login=NO_LIMIT, limit_v1=NO_LIMIT), world.database, world.clock
        )
    one = await person(world, role="gestor")
    token = one.http.cookies["trilha_session"]
    return await world.client(token, app=app).get("/api/reserved")
