"""Access tokens: issuing and asking about one beside their floors, and a call with one beside one with a key.

`python -m bench oauth`.
"""

import asyncio
import base64
import json
from urllib.request import Request, urlopen

from bench.contestants import Contestant, running
from bench.routes import get
from bench.table import Entry, Report, take_turns
from bench.world import SMALL, TENANT, World, make_world, server
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.oauth import actions
from trilha.oauth.rules import client_name

GRANT = "grant_type=client_credentials&scope=users:read"
OF_FLOOR = 0.5
OF_A_KEY = 1.25


def main(rounds: int, seconds: float) -> int:
    """How many bounds are missed."""
    report = Report()
    with server() as (folder, url):
        world = make_world(folder, url, SMALL)
        basic = asyncio.run(_client(world))
        with running([("floor", world), ("ours", world)]) as (floor, ours):
            issue = [post_form("/oauth/token", basic, GRANT)]
            entries = [Entry(each, issue) for each in (floor, ours)]
            of_floor, of_ours = take_turns(entries, rounds, seconds)
            report.add("POST /oauth/token", of_ours, "floor", of_floor, at_least=OF_FLOOR)

            tokens = [_token(each, basic) for each in (floor, ours)]
            asks = [[post_form("/oauth/introspect", basic, f"token={token}")] for token in tokens]
            entries = [Entry(each, ask) for each, ask in zip((floor, ours), asks, strict=True)]
            of_floor, of_ours = take_turns(entries, rounds, seconds)
            report.add("POST /oauth/introspect", of_ours, "floor", of_floor, at_least=OF_FLOOR)

            entries = [Entry(ours, [get("/v1/users", each)]) for each in (world.key, tokens[1])]
            of_key, of_token = take_turns(entries, rounds, seconds)
            report.add("GET /users with a token", of_token, "with a key", of_key, at_most=OF_A_KEY)
    return report.show()


async def _client(world: World) -> str:
    """The Authorization header of a new client."""
    keyring = load_keyring(world.folder / "master.key")
    database = Database(serving_urls(world.url, keyring), system_clock, keyring)
    await database.open()
    async with database.transaction(TENANT) as tx:
        made = await actions.create(tx, "bench", ["users:read"])
    await database.close()
    joined = f"{client_name(made.client.id)}:{made.secret}"
    return "Basic " + base64.b64encode(joined.encode()).decode()


def _token(contestant: Contestant, basic: str) -> str:
    url = f"http://127.0.0.1:{contestant.port}/oauth/token"
    headers = {"authorization": basic, "content-type": "application/x-www-form-urlencoded"}
    with urlopen(Request(url, GRANT.encode(), headers)) as answer:
        return str(json.load(answer)["access_token"])


def post_form(path: str, basic: str, form: str) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nhost: bench\r\nauthorization: {basic}\r\n"
        f"content-type: application/x-www-form-urlencoded\r\ncontent-length: {len(form)}\r\n\r\n"
    )
    return (head + form).encode()
