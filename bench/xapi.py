"""Measures the learning record store: single statements, batches and lists: `python -m bench xapi`.

The statements are as large as those of real packages, with a result, a context and extensions.
"""

import asyncio
import base64
import random
from statistics import median
from typing import Any
from urllib.parse import quote
from uuid import UUID

import msgspec

from bench import traffic
from bench.browser import Browser
from bench.company import TENANT, Company, opened_database
from bench.deployment import Deployment
from bench.load import Outcome, Plan, Stream, percentile, run_process
from bench.results import Row, Section, at_most, failures
from bench.scale import Scale
from trilha.access.xapi_keys import actions

SINGLES_PER_SECOND, BATCHES_PER_SECOND, BATCH = 500.0, 50.0, 100
# p99 of the writes, p95 of the lists
WRITE_MS, LIST_MS = 1_000.0, 20.0
_LEARNERS, _ACTIVITIES = 2_000, 300
_VERBS = ("launched", "initialized", "experienced", "answered", "progressed", "completed", "passed")
_VERSION = "x-experience-api-version: 2.0.0\r\n"


async def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    async with opened_database(company) as database, database.transaction(TENANT) as tx:
        key = await actions.create(tx, "bench", list(actions.SCOPES))
    basic = base64.b64encode(f"{key.xapi_key.key}:{key.secret}".encode()).decode()
    authorization = f"Basic {basic}"
    chance = random.Random(7)
    rows: list[Row] = []
    for name, per_second, size in (
        (f"POST /statements, {SINGLES_PER_SECOND:g} a second", SINGLES_PER_SECOND, 1),
        (f"the same, {BATCHES_PER_SECOND:g} batches of {BATCH} a second", BATCHES_PER_SECOND, BATCH),
    ):
        requests = [_post(chance, authorization, size) for _ in range(50 if size > 1 else 500)]
        plan = Plan(
            port=deployment.port, seconds=scale.xapi_seconds, streams=[Stream(name, per_second, requests)]
        )
        outcome = await asyncio.to_thread(run_process, "bench.load", plan, Outcome)
        times = outcome.tallies[name].times
        p50, p95, p99 = (percentile(times, share) for share in (0.5, 0.95, 0.99))
        rows.append(at_most(f"{name}: p99", p99, WRITE_MS, "ms", f"p50 {p50:.0f}, p95 {p95:.0f}"))
        rows += failures(name, outcome.tallies)
    rows += await asyncio.to_thread(_measure_lists, deployment, scale, authorization)
    return Section("Experience API", rows)


def _measure_lists(deployment: Deployment, scale: Scale, authorization: str) -> list[Row]:
    chance, browser = random.Random(7), Browser(deployment.port)

    def fetch(query: str) -> float:
        headers = {
            "authorization": authorization,
            "x-experience-api-version": "2.0.0",
            "x-forwarded-for": traffic.client(chance),
        }
        fetched = browser.fetch(f"/xapi/statements?{query}", headers=headers)
        if fetched.status != 200:
            raise RuntimeError(f"{query}: {fetched.status} {fetched.text[:300]}")
        return fetched.ms

    def by_agent() -> str:
        agent = msgspec.json.encode(_agent(chance)).decode()
        return f"agent={quote(agent)}&verb={quote(_verb(chance))}"

    times = sorted(fetch(by_agent()) for _ in range(scale.samples))
    newest = median(fetch("limit=100") for _ in range(scale.samples))
    return [
        at_most("GET /statements by agent and verb: p95", percentile(times, 0.95), LIST_MS, "ms"),
        at_most("GET /statements, the newest 100: p50", newest, LIST_MS, "ms"),
    ]


def _post(chance: random.Random, authorization: str, count: int) -> bytes:
    statements = [_build_statement(chance) for _ in range(count)]
    body = msgspec.json.encode(statements if count > 1 else statements[0])
    headers = f"authorization: {authorization}\r\n{_VERSION}"
    return traffic.request("POST", "/xapi/statements", headers, traffic.client(chance), body)


def _agent(chance: random.Random) -> dict[str, Any]:
    name = str(UUID(int=chance.randrange(_LEARNERS)))
    return {"objectType": "Agent", "account": {"homePage": "https://learn.example.com", "name": name}}


def _verb(chance: random.Random) -> str:
    return f"http://adlnet.gov/expapi/verbs/{chance.choice(_VERBS)}"


def _build_statement(chance: random.Random) -> dict[str, Any]:
    """Builds a statement without an id, so that the same request stores a new one each time."""
    course = f"https://learn.example.com/courses/{chance.randrange(_ACTIVITIES)}"
    return {
        "actor": _agent(chance) | {"name": "Maria Aparecida dos Santos"},
        "verb": {"id": _verb(chance), "display": {"en-US": "answered", "pt-BR": "respondeu"}},
        "object": {
            "objectType": "Activity",
            "id": f"{course}/questions/{chance.randrange(20)}",
            "definition": {
                "type": "http://adlnet.gov/expapi/activities/cmi.interaction",
                "name": {"pt-BR": "Qual é a distância mínima entre o trabalhador e a rede?"},
                "interactionType": "choice",
                "correctResponsesPattern": ["b"],
                "choices": [
                    {"id": each, "description": {"pt-BR": f"Alternativa {each}"}} for each in ("a", "b", "c")
                ],
            },
        },
        "result": {
            "score": {"scaled": 0.85, "raw": 85, "min": 0, "max": 100},
            "success": True,
            "response": "b",
            "duration": "PT12.34S",
        },
        "context": {
            "registration": str(UUID(int=chance.getrandbits(128))),
            "language": "pt-BR",
            "platform": "Simulator",
            "contextActivities": {
                "parent": [{"objectType": "Activity", "id": course}],
                "category": [
                    {"objectType": "Activity", "id": "https://w3id.org/xapi/cmi5/context/categories/cmi5"}
                ],
            },
            "extensions": {
                "https://w3id.org/xapi/cmi5/context/extensions/sessionid": f"{chance.random():.12f}"
            },
        },
    }
