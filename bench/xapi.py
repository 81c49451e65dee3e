"""Measures the learning record store: single statements, batches and lists: `python -m bench xapi`.

The lists are measured at ten thousand statements, and again at ten million.
"""

import asyncio
import base64
import random
import time
from statistics import median
from urllib.parse import quote

import msgspec

from bench import traffic
from bench.browser import Browser
from bench.company import TENANT, Company, opened_database
from bench.deployment import Deployment
from bench.load import Outcome, Plan, Stream, percentile, run_process
from bench.results import Row, Section, at_most, failures
from bench.scale import Scale
from bench.statements import VERBS, Signer, build_agent, build_post, build_verb, count_agents, fill
from trilha.access.xapi_keys import actions

SINGLES_PER_SECOND, BATCHES_PER_SECOND, BATCH = 500.0, 50.0, 100
# p99 of the writes, p95 of the lists
WRITE_MS, LIST_MS = 1_000.0, 20.0
MOST_TIMES = 1.5
_FEW_STATEMENTS = 10_000
_RETRIES = 20


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    async with opened_database(company) as database, database.transaction(TENANT) as tx:
        key = await actions.create(tx, "bench", list(actions.SCOPES))
    basic = base64.b64encode(f"{key.xapi_key.key}:{key.secret}".encode()).decode()
    authorization = f"Basic {basic}"
    await fill(company.url, 0, _FEW_STATEMENTS)
    few = await asyncio.to_thread(_time_lists, deployment, scale.samples, authorization, _FEW_STATEMENTS)
    rows = await _measure_writes(deployment, scale.xapi_seconds, authorization)
    await fill(company.url, _FEW_STATEMENTS, scale.statements)
    await asyncio.to_thread(deployment.settle, scale.settle_seconds)
    many = await asyncio.to_thread(_time_lists, deployment, scale.samples, authorization, scale.statements)
    p95, ratio = percentile(sorted(many), 0.95), median(many) / median(few)
    lists = f"GET /statements by agent and verb, at {scale.statements:,} statements"
    medians = f"{median(few):.1f} and {median(many):.1f} ms"
    rows += [
        at_most(f"{lists}: p95", p95, LIST_MS, "ms", f"p50 {median(many):.1f}"),
        at_most(f"{lists} beside {_FEW_STATEMENTS:,}: median", ratio, MOST_TIMES, "times", medians),
    ]
    return Section("Experience API", rows)


async def _measure_writes(deployment: Deployment, seconds: float, authorization: str) -> list[Row]:
    chance, signer = random.Random(7), Signer()
    rows: list[Row] = []
    batches = f"{BATCHES_PER_SECOND:g} batches of {BATCH} a second"
    for name, per_second, size, signed in (
        (f"POST /statements, {SINGLES_PER_SECOND:g} a second", SINGLES_PER_SECOND, 1, False),
        (f"POST /statements, {batches}", BATCHES_PER_SECOND, BATCH, False),
        (f"POST /statements, {batches}, one statement in ten signed", BATCHES_PER_SECOND, BATCH, True),
    ):
        count = 50 if size > 1 else 500
        requests = [build_post(chance, authorization, size, signer if signed else None) for _ in range(count)]
        plan = Plan(port=deployment.port, seconds=seconds, streams=[Stream(name, per_second, requests)])
        outcome = await asyncio.to_thread(run_process, "bench.load", plan, Outcome)
        times = outcome.tallies[name].times
        p50, p95, p99 = (percentile(times, share) for share in (0.5, 0.95, 0.99))
        rows.append(at_most(f"{name}: p99", p99, WRITE_MS, "ms", f"p50 {p50:.0f}, p95 {p95:.0f}"))
        rows += failures(name, outcome.tallies)
    return rows


def _time_lists(deployment: Deployment, samples: int, authorization: str, statements: int) -> list[float]:
    """Returns the milliseconds of lists of an agent and a verb, each a page of 100 or a little less."""
    chance, browser = random.Random(7), Browser(deployment.port)
    times = []
    for _ in range(samples):
        agent = msgspec.json.encode(build_agent(chance.randrange(count_agents(statements)))).decode()
        query = f"agent={quote(agent)}&verb={quote(build_verb(chance.choice(VERBS)))}"
        headers = {
            "authorization": authorization,
            "x-experience-api-version": "2.0.0",
            "x-forwarded-for": traffic.client(chance),
        }
        fetched = browser.fetch(f"/xapi/statements?{query}", headers=headers)
        for _ in range(_RETRIES):
            if fetched.status != 503:
                break
            # The server may still be working through the writes.
            time.sleep(1)
            fetched = browser.fetch(f"/xapi/statements?{query}", headers=headers)
        if fetched.status != 200 or '"statements":[]' in fetched.text:
            raise RuntimeError(f"{query}: {fetched.status} {fetched.text[:300]}")
        times.append(fetched.ms)
    return times
