"""People of a tenant who signed in with the pages, like a browser without scripts."""

import re
from typing import Any
from uuid import UUID, uuid4

import httpx2

from conftest import World
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser, Role, User

PASSWORD = "correct horse"


async def made(world: World, role: Role = "learner", **members: Any) -> User:
    """Creates a person who signs in with PASSWORD."""
    raw = {"email": f"{uuid4().hex}@example.com", "name": "Marina Duarte"} | members
    hashed = await hash_password(PASSWORD)
    async with world.tx() as tx:
        return await users.create(tx, convert(NewUser, raw, tx.today), hashed, role=role)


async def signed_in(
    world: World, role: Role = "admin", *, locale: str = "en", **members: Any
) -> httpx2.AsyncClient:
    """Returns the browser of a new person with this role."""
    return await browser_of(world, await made(world, role, **members), locale)


async def browser_of(world: World, user: User, locale: str = "en") -> httpx2.AsyncClient:
    """Returns the person's browser. Their id is at `client.headers["x-user-id"]`."""
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en", "x-user-id": str(user.id)}
    client.cookies.set("trilha_locale", locale, domain="trilha.test", path="/")
    form = {"tenant_slug": world.tenant.slug, "email": user.email, "password": PASSWORD}
    answer = await client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    client.headers["x-csrf-token"] = token_in((await client.get("/learn")).text)  # like a script sends it
    return client


def user_id(client: httpx2.AsyncClient) -> UUID:
    return UUID(client.headers["x-user-id"])


def token_in(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert found, page
    return found[1]


async def open_notification(client: httpx2.AsyncClient, sentence: str) -> str:
    """Opens the newest notification that contains the sentence. Returns the address it leads to."""
    page = (await client.get("/learn/notifications")).text
    found = re.search(rf'name="reminder" value="([0-9a-f-]+)">[^<]*{re.escape(sentence)}', page)
    assert found, page
    answer = await send(client, "/learn/notifications/read", reminder=found[1])
    return str(answer.headers["location"])


async def send(
    client: httpx2.AsyncClient, address: str, /, on: str = "/learn", **fields: Any
) -> httpx2.Response:
    """Submits a form with the token of the page `on`."""
    token = token_in((await client.get(on)).text)
    files = {name: value for name, value in fields.items() if isinstance(value, tuple)}
    data = {name: value for name, value in fields.items() if not isinstance(value, tuple)}
    return await client.post(address, data={"csrf_token": token} | data, files=files or None)
