"""Another checkout of this repository beside this one, in turn, round by round: `python -m bench paired
--before PATH`."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from urllib.request import Request, urlopen

from bench.load import Result
from bench.oauth import GRANT, post_form
from bench.routes import ROUTES
from bench.table import Entry, Report, take_turns
from bench.versions import Version, execute, happen, running
from bench.webhook_setup import ReceiverProcess, maintain, receiver, until, value
from bench.world import server

HERE = Path(__file__).parents[1]
NOT_SLOWER = 0.97
OF_P50 = 0.7
NAMES = (
    "GET /users",
    "GET /users/{id}",
    "GET /courses/{id}/stats",
    "GET /enrollments",
    "POST /enrollments",
    "POST /enrollments/bulk, 1,000",
)
# As many endpoints as a tenant may have.
RECEIVERS = 100
DELIVERIES = 20_000


def main(before: Path, rounds: int, seconds: float, only: str) -> int:
    """How many bounds are missed."""
    print(f"Seeding {before} and {HERE}", flush=True)
    with ExitStack() as stack:
        folder, url = stack.enter_context(server())
        versions = [
            stack.enter_context(running(checkout, folder, url, name))
            for checkout, name in ((before, "before"), (HERE, "after"))
        ]
        return Paired(versions, rounds, seconds, only).run(stack.enter_context(receiver()))


class Paired:
    """`versions` are the one before and the one after."""

    def __init__(self, versions: Sequence[Version], rounds: int, seconds: float, only: str) -> None:
        self.versions = versions
        self.rounds = rounds
        self.seconds = seconds
        self.only = only
        self.report = Report()

    def run(self, receiver: ReceiverProcess) -> int:
        """How many bounds are missed."""
        for name, entries, is_alone in chain(self._routes(), self._tokens()):
            if self.only in name:
                print(name, flush=True)
                for version in self.versions:
                    asyncio.run(_settle(version))
                before, after = take_turns(entries, self.rounds, self.seconds)
                self.report.add(name, after, "before", before, at_least=NOT_SLOWER)
                if is_alone:
                    self.report.add_p50(name, after, "before", before, at_most=OF_P50)
        if self.only in "webhook deliveries":
            self._deliveries(receiver)
        return self.report.show()

    def _routes(self) -> Iterator[tuple[str, list[Entry], bool]]:
        for route in ROUTES:
            if route.name in NAMES:
                entries = [
                    Entry(each, route.requests(each.world), route.bodies is not None, route.connections)
                    for each in (version.contestant for version in self.versions)
                ]
                yield route.name, entries, False

    def _tokens(self) -> Iterator[tuple[str, list[Entry], bool]]:
        for path in ("/oauth/token", "/oauth/introspect"):
            for connections in (24, 1):
                entries = [
                    Entry(each.contestant, [_request(each, path)], connections=connections)
                    for each in self.versions
                ]
                yield f"POST {path}, {connections} at a time", entries, connections == 1

    def _deliveries(self, receiver: ReceiverProcess) -> None:
        results: list[list[Result]] = [[] for _ in self.versions]
        for version in self.versions:
            _subscribe(version, receiver)
        for number in range(self.rounds):
            turn = list(zip(self.versions, results, strict=True))
            for version, kept in turn[:: -1 if number % 2 else 1]:
                print(f"webhook deliveries, round {number + 1}", flush=True)
                kept.append(asyncio.run(_deliver(version)))
        before, after = results
        self.report.add("webhook deliveries", after, "before", before, at_least=NOT_SLOWER)


def _request(version: Version, path: str) -> bytes:
    if path == "/oauth/token":
        return post_form(path, version.basic, GRANT)
    url = f"http://127.0.0.1:{version.contestant.port}/oauth/token"
    headers = {"authorization": version.basic, "content-type": "application/x-www-form-urlencoded"}
    with urlopen(Request(url, GRANT.encode(), headers)) as answer:
        return post_form(path, version.basic, f"token={json.load(answer)['access_token']}")


def _subscribe(version: Version, receiver: ReceiverProcess) -> None:
    url = f"http://127.0.0.1:{version.contestant.port}/v1/webhooks"
    headers = {
        "authorization": f"Bearer {version.contestant.world.key}",
        "content-type": "application/json",
    }
    for number in range(RECEIVERS):
        new = {"url": f"http://127.0.0.1:{receiver.port}/{number}", "events": ["user.updated"]}
        urlopen(Request(url, json.dumps(new).encode(), headers)).close()


async def _settle(version: Version) -> None:
    """Does now what the database would do in the background, in the middle of what is measured next."""
    await execute(version.contestant.world, "VACUUM ANALYZE")
    await execute(version.contestant.world, "CHECKPOINT")


async def _deliver(version: Version) -> Result:
    """Relayed and sent by a worker of its own. The first and the last tenth are left out: it is starting, or
    running out of work."""
    world = version.contestant.world
    await execute(world, "TRUNCATE events, webhook_deliveries")
    await happen(world, DELIVERIES // RECEIVERS)
    await maintain(world)

    async def delivered() -> int:
        return int(await value(world, "SELECT count(delivered_at) FROM webhook_deliveries"))

    with version.worker():
        arrived = await until(delivered, at_least=DELIVERIES)
    took = await value(
        world,
        """
        SELECT extract(epoch FROM percentile_disc(0.9) WITHIN GROUP (ORDER BY delivered_at)
                                  - percentile_disc(0.1) WITHIN GROUP (ORDER BY delivered_at))
        FROM webhook_deliveries
        """,
    )
    waited = await value(
        world,
        """
        SELECT extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY d.delivered_at - e.created_at))
        FROM webhook_deliveries d JOIN events e ON (e.tenant_id, e.id) = (d.tenant_id, d.event_id)
        """,
    )
    await execute(world, "TRUNCATE events, webhook_deliveries")
    return Result(arrived * 0.8 / float(took), float(waited) * 1000, DELIVERIES, DELIVERIES - arrived)
