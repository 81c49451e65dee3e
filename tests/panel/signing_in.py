"""People who are signed in to the panel, as browsers are."""

import re
from typing import Any
from uuid import uuid4

import httpx2

from conftest import World
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.users import actions as users
from trilha.users.schema import NewUser, Role, User

PASSWORD = "correct horse"


async def made(world: World, role: Role = "learner", **members: Any) -> User:
    """A person who signs in with PASSWORD."""
    raw = {"email": f"{uuid4().hex}@example.com", "name": "Marina Duarte"} | members
    hashed = await hash_password(PASSWORD)
    async with world.tx() as tx:
        return await users.create(tx, convert(NewUser, raw, tx.today), hashed, role=role)


async def signed_in(world: World, role: Role = "admin", **members: Any) -> httpx2.AsyncClient:
    """The browser of somebody new with this role."""
    return await browser_of(world, await made(world, role, **members))


async def browser_of(world: World, user: User) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en"}
    client.cookies.set("trilha_locale", "en")
    form = {"tenant_slug": world.tenant.slug, "email": user.email, "password": PASSWORD}
    answer = await client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    token = re.search(r'name="csrf-token" content="([0-9a-f]+)"', (await client.get("/learn")).text)
    assert token
    client.headers["x-csrf-token"] = token[1]
    return client


async def send(client: httpx2.AsyncClient, path: str, **fields: Any) -> httpx2.Response:
    """A form as browsers post it; without scripts it is the form that bears the token."""
    return await client.post(path, data={"csrf_token": client.headers["x-csrf-token"], **fields})
