"""Learners' pages, requested like a browser without scripts."""

import re
from typing import Any

import httpx2

from conftest import World

PASSWORD = "correct horse"


async def signed_in(world: World, email: str, password: str = PASSWORD) -> httpx2.AsyncClient:
    """Returns a signed-in browser in English."""
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin"}
    client.cookies.set("trilha_locale", "en")
    form = {"tenant_slug": world.tenant.slug, "email": email, "password": password}
    answer = await client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    return client


async def learner(world: World, **members: Any) -> tuple[dict[str, Any], httpx2.AsyncClient]:
    user = await world.user(**members)
    return user, await signed_in(world, user["email"])


def token_in(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


async def send(client: httpx2.AsyncClient, page: str, path: str, **fields: str) -> httpx2.Response:
    """Submits the form of a page, by default to the page's own address."""
    token = token_in((await client.get(page)).text)
    return await client.post(path or page, data={"csrf_token": token, **fields})
