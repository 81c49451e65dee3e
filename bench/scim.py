"""Measures SCIM in the large company: a page of people, look-ups, and changes: `python -m bench scim`."""

import asyncio
import random
from statistics import median
from urllib.parse import quote

import msgspec

from bench import traffic
from bench.browser import Browser
from bench.company import TENANT, Company, opened_database, row_id
from bench.deployment import Deployment
from bench.load import Outcome, Plan, Stream, percentile, run_process
from bench.results import Row, Section, at_most, failures
from bench.scale import Scale
from trilha.access.scim.tokens import actions

LIST_MS, LOOKUP_MS = 50.0, 10.0  # p50
PATCH_MS = 1_000.0  # p99
PATCHES_PER_SECOND = 250.0
_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    async with opened_database(company) as database, database.transaction(TENANT) as tx:
        authorization = f"Bearer {(await actions.create(tx, 'bench')).token}"
    rows = await asyncio.to_thread(_measure_reads, company, deployment, scale, authorization)
    chance = random.Random(7)
    requests = [
        _patch(company, chance, authorization)
        for _ in range(int(PATCHES_PER_SECOND * scale.scim_seconds * 1.2))
    ]
    stream = Stream("PATCH", PATCHES_PER_SECOND, requests)
    plan = Plan(port=deployment.port, seconds=scale.scim_seconds, streams=[stream])
    outcome = await asyncio.to_thread(run_process, "bench.load", plan, Outcome)
    times = outcome.tallies["PATCH"].times
    what = f"PATCH /Users/{{id}}, {PATCHES_PER_SECOND:g} a second"
    p50, p95, p99 = (percentile(times, share) for share in (0.5, 0.95, 0.99))
    rows.append(at_most(f"{what}: p99", p99, PATCH_MS, "ms", f"p50 {p50:.0f}, p95 {p95:.0f}"))
    return Section("SCIM", [*rows, *failures(what, outcome.tallies)])


def _measure_reads(company: Company, deployment: Deployment, scale: Scale, authorization: str) -> list[Row]:
    chance, browser = random.Random(7), Browser(deployment.port)

    def fetch(path: str) -> float:
        headers = {"authorization": authorization, "x-forwarded-for": traffic.client(chance)}
        fetched = browser.fetch(path, headers=headers)
        if fetched.status != 200:
            raise RuntimeError(f"{path}: {fetched.status} {fetched.text[:300]}")
        return fetched.ms

    def find(form: str) -> str:
        return f"/scim/v2/Users?filter={quote(form.format(chance.randrange(700, company.size.people)))}"

    times = scale.samples
    return [
        at_most(
            "GET /Users, 100 of them: p50",
            median(fetch("/scim/v2/Users?count=100") for _ in range(times)),
            LIST_MS,
            "ms",
        ),
        *(
            at_most(
                f"GET /Users by {name}: p50", median(fetch(find(form)) for _ in range(times)), LOOKUP_MS, "ms"
            )
            for name, form in (
                ("userName", 'userName eq "pessoa.{}@companhia.example"'),
                ("externalId", 'externalId eq "x-M{:06}"'),
            )
        ),
    ]


def _patch(company: Company, chance: random.Random, authorization: str) -> bytes:
    """Builds a PATCH that gives a random person a new job title."""
    operation = {"op": "replace", "path": "title", "value": f"Cargo {chance.random():.9f}"}
    body = msgspec.json.encode({"schemas": [_SCHEMA], "Operations": [operation]})
    person = row_id("user", chance.randrange(600, company.size.people))
    headers = f"authorization: {authorization}\r\n"
    return traffic.request(
        "PATCH", f"/scim/v2/Users/{person}", headers, traffic.client(chance), body, "application/scim+json"
    )
