"""Shared helpers for units, groups, courses and enrollments: browsers of each role, and their forms."""

import base64
import json
import re
from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.users.schema import Role
from trilha.training.courses import actions as courses
from web.panel.signing_in import signed_in


async def browsing(world: World, role: Role = "admin") -> httpx2.AsyncClient:
    """Returns the browser of a new, signed-in person, in English."""
    client = await signed_in(world, role)
    client.cookies.set("trilha_locale", "en", domain="trilha.test", path="/")
    return client


async def id_of(world: World, role: Role) -> UUID:
    """Returns the id of the last person who got this role."""
    async with world.tx() as tx:
        found: UUID = await tx.value(
            """
            SELECT id FROM users WHERE tenant_id = :tenant AND role = :role
            ORDER BY created_at DESC, id LIMIT 1
            """,
            role=role,
        )
    return found


async def send(
    client: httpx2.AsyncClient, address: str, /, files: Any = None, **fields: Any
) -> httpx2.Response:
    page = (await client.get("/admin")).text
    token = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert token, page
    return await client.post(address, data={"csrf_token": token[1]} | fields, files=files)


async def act(client: httpx2.AsyncClient, address: str, **fields: Any) -> httpx2.Response:
    """Asks about a bulk action, and confirms what the question shows."""
    asked = await send(client, address, **fields)
    return await send(client, address, **fields, **read_confirmation(asked.text))


def read_confirmation(page: str) -> dict[str, str]:
    """Returns the fields that bind the answer to what a question shows."""
    return dict(re.findall(r'name="(step|token|digest|count)" value="([^"]+)"', page))


def flash(answer: httpx2.Response) -> str:
    """Returns the notice on the page that a form redirects to."""
    assert answer.status_code == 303, answer.text
    raw = re.search(r"trilha_flash=([^;]+)", answer.headers["set-cookie"])
    assert raw
    text: str = json.loads(base64.urlsafe_b64decode(raw[1]))[1]
    return text


def rows(page: str) -> list[str]:
    """Returns the names in the rows of a list."""
    lists = (
        "".join(re.findall(r'<table class="table">.*?</table>', page, re.DOTALL)) or page
    )  # without charts
    heads = re.findall(r'scope="row"[^>]*>(.*?)</th>', lists, re.DOTALL)
    return [re.sub(r"<span.*?</span>|<[^>]+>", "", head, flags=re.DOTALL).strip() for head in heads]


async def unit(world: World, name: str, parent: UUID | None = None, code: str | None = None) -> UUID:
    async with world.tx() as tx:
        new = NewBusinessUnit(name=Name(name), parent_id=parent, code=None if code is None else code)  # type: ignore[arg-type]
        return (await units.create(tx, new)).id


async def manage(world: World, unit_id: UUID, user_id: UUID) -> None:
    async with world.tx() as tx:
        await units.set_managers(tx, unit_id, [user_id])


async def teach(world: World, course_id: UUID, user_id: UUID) -> None:
    async with world.tx() as tx:
        await courses.set_teachers(tx, course_id, [user_id])


async def actions_on_record(world: World) -> list[str]:
    async with world.tx() as tx:
        found = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant ORDER BY created_at, id"
        )
    return [each["action"] for each in found]
