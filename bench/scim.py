"""SCIM: a list beside its floor, look-ups in a small tenant and in a large one, and changes.

`python -m bench scim`.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import quote

import asyncpg
import msgspec

from bench.contestants import Contestant, running
from bench.routes import get
from bench.table import Entry, Report, take_turns
from bench.world import TENANT, Size, World, make_world, server, user_id
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.scim.tokens import actions

FEW = Size("scim-1k", enrollments=1_000, users=1_000, enrolled=1_000)
MANY = Size("scim-1M", enrollments=1_000, users=1_000_000, enrolled=1_000)
OF_FLOOR = 0.4
GROWTH = 1.3
PATCHES = 250  # a second
LINK = """
    INSERT INTO scim_users (tenant_id, user_id, user_name, user_name_key, external_id, document, seen_name,
                            seen_email, created_at, updated_at)
    SELECT tenant_id, id, email, email, 'ext-' || employee_number,
           jsonb_build_object('displayName', name,
               'name', jsonb_build_object('givenName', 'Ana', 'familyName', 'de Souza'),
               'emails', jsonb_build_array(
                   jsonb_build_object('value', email, 'type', 'work', 'primary', true))),
           name, email, created_at, updated_at
    FROM users WHERE tenant_id = $1
"""


def main(rounds: int, seconds: float) -> int:
    """How many bounds are missed."""
    report = Report()
    with server() as (folder, url):
        print("Seeding 1,000 and 1,000,000 people", flush=True)
        few, many = (make_world(folder, url, size) for size in (FEW, MANY))
        tokens = {world.size: asyncio.run(_provider(world)) for world in (few, many)}
        with running([("floor", few), ("ours", few), ("ours", many)]) as (floor, ours, grown):
            page = [get("/scim/v2/Users?count=100", tokens[FEW])]
            of_floor, of_ours = take_turns([Entry(each, page) for each in (floor, ours)], rounds, seconds)
            report.add("GET /Users, 100", of_ours, "floor", of_floor, at_least=OF_FLOOR)
            for name, form in (("userName", "pessoa.{}@example.com"), ("externalId", "ext-{}")):
                entries = [
                    Entry(each, _look_ups(each, name, form, tokens[each.world.size]))
                    for each in (grown, ours)
                ]
                of_grown, of_ours = take_turns(entries, rounds, seconds)
                report.add(f"{name} eq, 1M", of_grown, "1k", of_ours, at_most=GROWTH)
            (changed,) = take_turns([Entry(ours, _patches(tokens[FEW]), connections=16)], rounds, seconds)
            report.add_rate("PATCH /Users/{id}", changed, at_least=PATCHES)
    return report.show()


def _look_ups(contestant: Contestant, name: str, form: str, token: str) -> list[bytes]:
    step = contestant.world.size.users // 200
    filters = [f'{name} eq "{form.format(number * step)}"' for number in range(200)]
    return [get(f"/scim/v2/Users?filter={quote(text)}", token) for text in filters]


def _patches(token: str) -> Sequence[bytes]:
    """Each changes something, however often they are repeated."""
    return [_patch(number, title, token) for title in ("Motorista", "Analista") for number in range(500)]


def _patch(number: int, title: str, token: str) -> bytes:
    operation = {"op": "replace", "path": "title", "value": title}
    body = msgspec.json.encode(
        {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [operation]}
    )
    head = (
        f"PATCH /scim/v2/Users/{user_id(number)} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n"
        f"content-type: application/scim+json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _provider(world: World) -> str:
    """Links everybody; the token of the tenant."""
    owner = await asyncpg.connect(world.url)
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(LINK, TENANT)
    await owner.execute("VACUUM ANALYZE scim_users")
    await owner.execute("CHECKPOINT")
    await owner.close()
    keyring = load_keyring(world.folder / "master.key")
    database = Database(serving_urls(world.url, keyring), system_clock, keyring)
    await database.open()
    async with database.transaction(TENANT) as tx:
        issued = await actions.create(tx, "bench")
    await database.close()
    return issued.token
