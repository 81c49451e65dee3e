"""Measures the API in the large company: `python -m bench api`.

First a mixed load of 300 calls per second: 70 % single reads, 20 % lists, 10 % writes. Then a single client,
one call after another.
"""

import asyncio
import base64
import random
from collections.abc import Callable, Iterator
from statistics import median

import msgspec

from bench import traffic
from bench.browser import Browser, Fetched
from bench.company import TENANT, Company, opened_database, row_id
from bench.deployment import Deployment
from bench.load import Outcome, Plan, Stream, percentile, run_process
from bench.results import Row, Section, at_most, failures
from bench.scale import Scale
from trilha.access.oauth import actions as oauth
from trilha.access.oauth.rules import client_name

P95_MS, P99_MS = 25.0, 100.0
# A client may ask for ten tokens a minute.
_CLIENTS, _TOKENS_PER_CLIENT = 12, 8
_GRANT = b"grant_type=client_credentials&scope=users:read"
_FORM = "application/x-www-form-urlencoded"


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    rows = await _measure_load(company, deployment, scale.calls_per_second, scale.calls_seconds)
    rows += await _measure_alone(company, deployment, scale)
    size = company.size
    title = f"API, {size.people:,} people and {size.enrollments:,} enrollments in the tenant"
    return Section(title, rows)


async def _measure_load(
    company: Company, deployment: Deployment, per_second: float, seconds: float
) -> list[Row]:
    chance = random.Random(4)
    await _run(company, deployment, chance, per_second / 10, 4.0)  # warm-up
    outcome, processors = await _run(company, deployment, chance, per_second, seconds)
    times = sorted(time for tally in outcome.tallies.values() for time in tally.times)
    p50, p95, p99 = (percentile(times, share) for share in (0.5, 0.95, 0.99))
    what = f"{per_second:g} calls/s for {seconds:g} s"
    rows = [
        at_most(f"{what}: p95", p95, P95_MS, "ms", f"p50 {p50:.1f} of {len(times):,}"),
        at_most(f"{what}: p99", p99, P99_MS, "ms"),
    ]
    for name, tally in outcome.tallies.items():
        percentiles = ", ".join(f"{percentile(tally.times, share):.1f}" for share in (0.5, 0.95, 0.99))
        rows.append(Row(f"{what}: p50, p95, p99 of {name}", f"{percentiles} ms"))
    return [*rows, *failures(what, outcome.tallies), Row(f"{what}: processors", processors)]


async def _run(
    company: Company, deployment: Deployment, chance: random.Random, per_second: float, seconds: float
) -> tuple[Outcome, str]:
    shares = {
        "single reads": traffic.SINGLE_READS,
        "lists": traffic.LISTS,
        "writes": traffic.WRITES,
    }
    streams = []
    for name, share in shares.items():
        rate = per_second * share / 100
        # No call is sent twice, because a person is enrolled in a course once.
        requests = await traffic.CALLS[name](company, chance, int(rate * seconds * 1.3) + 20)
        streams.append(Stream(name, rate, requests))
    plan = Plan(port=deployment.port, seconds=seconds, streams=streams)
    before = deployment.measure_processors()
    outcome = await asyncio.to_thread(run_process, "bench.load", plan, Outcome)
    return outcome, deployment.measure_processors().describe_since(before, outcome.processor)


async def _measure_alone(company: Company, deployment: Deployment, scale: Scale) -> list[Row]:
    samples, bulk, bulks = scale.samples, scale.bulk, scale.bulks
    client = _Client(company, deployment)
    pairs = iter(await traffic.free_pairs(company, samples + bulks * bulk))
    basics = await _make_oauth_clients(company)
    tokens: list[tuple[str, str]] = []

    def enroll(_: int) -> Fetched:
        user, course = next(pairs)
        return client.send("POST", "/v1/enrollments", {"user_id": user, "course_id": course})

    def enroll_many(_: int) -> Fetched:
        items = [{"user_id": user, "course_id": course} for user, course in _take(pairs, bulk)]
        return client.send("POST", "/v1/enrollments/bulk", {"enrollments": items})

    def ask_for_token(number: int) -> Fetched:
        basic = basics[number % _CLIENTS]
        fetched = client.send_form("/oauth/token", basic, _GRANT)
        tokens.append((basic, msgspec.json.decode(fetched.text)["access_token"]))
        return fetched

    def introspect(number: int) -> Fetched:
        basic, token = tokens[number % len(tokens)]
        return client.send_form("/oauth/introspect", basic, f"token={token}".encode())

    calls: dict[str, tuple[int, Callable[[int], Fetched]]] = {
        "read one user": (samples, lambda n: client.send("GET", f"/v1/users/{row_id('user', 700 + n)}")),
        "list 20 enrollments": (samples, lambda _: client.send("GET", "/v1/enrollments?limit=20")),
        "enroll one person": (samples, enroll),
        f"enroll {bulk:,} people in one call": (bulks, enroll_many),
        f"change {bulk:,} people in one call": (
            bulks,
            lambda n: client.send("PUT", "/v1/users/bulk", _people(company, n * bulk, bulk)),
        ),
        "ask for a token": (_CLIENTS * _TOKENS_PER_CLIENT, ask_for_token),
        "introspect a token": (samples, introspect),
    }
    return [
        Row(f"One client alone: {name}, p50", f"{median(call(n).ms for n in range(times)):.1f} ms")
        for name, (times, call) in calls.items()
    ]


class _Client:
    """An API client that uses another address for each call, so that the rate limit of one client does not
    matter.
    """

    def __init__(self, company: Company, deployment: Deployment) -> None:
        self.browser = Browser(deployment.port)
        self.key = company.key
        self.chance = random.Random(5)

    def send(self, method: str, path: str, body: object = None) -> Fetched:
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return self._send(method, path, None if body is None else msgspec.json.encode(body), headers)

    def send_form(self, path: str, basic: str, form: bytes) -> Fetched:
        return self._send("POST", path, form, {"authorization": basic, "content-type": _FORM})

    def _send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Fetched:
        headers["x-forwarded-for"] = traffic.client(self.chance)
        fetched = self.browser.fetch(path, "", method, body, headers)
        if fetched.status >= 400:
            raise RuntimeError(f"{method} {path}: {fetched.status} {fetched.text[:300]}")
        return fetched


def _take(pairs: Iterator[tuple[object, object]], count: int) -> Iterator[tuple[object, object]]:
    return (next(pairs) for _ in range(count))


def _people(company: Company, first: int, count: int) -> dict[str, object]:
    """Returns this many people with a new job title."""
    numbers = [600 + (first + n) % (company.size.people - 600) for n in range(count)]
    title = f"Cargo {random.random():.9f}"
    return {"users": [{"employee_number": f"M{number:06}", "job_title": title} for number in numbers]}


async def _make_oauth_clients(company: Company) -> list[str]:
    """Makes clients and returns their Authorization headers."""
    headers = []
    async with opened_database(company) as database, database.transaction(TENANT) as tx:
        for number in range(_CLIENTS):
            made = await oauth.create(tx, f"bench {number}", ["users:read"])
            joined = f"{client_name(made.client.id)}:{made.secret}"
            headers.append("Basic " + base64.b64encode(joined.encode()).decode())
    return headers
