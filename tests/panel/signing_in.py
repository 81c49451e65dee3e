"""Browsers of people who are signed in."""

import re
from uuid import uuid4

import httpx2

from conftest import World
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.users import actions as users
from trilha.users.schema import NewUser, Role

PASSWORD = "correct horse"


async def signed_in(world: World, role: Role = "admin") -> httpx2.AsyncClient:
    """A browser without scripts, in English, of somebody new with this role."""
    email = f"{uuid4().hex}@example.com"
    async with world.tx() as tx:
        new = convert(NewUser, {"email": email, "name": role.title()}, tx.today)
        await users.create(tx, new, await hash_password(PASSWORD), role=role)
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en"}
    client.cookies.set("trilha_locale", "en", domain="trilha.test")
    form = {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD}
    answer = await client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    return client


def token_in(page: str) -> str:
    """What each form brings along."""
    found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert found, page
    return found[1]
