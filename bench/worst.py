"""Measures the slowest single request of any credential: `python -m bench worst`.

Every route of the API is called with queries and bodies at their limits. Each is sent alone several times,
and the fastest one counts, so that the machine's other work does not. `costly` measures what people can send
from pages.
"""

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from bench import costly, traffic
from bench.browser import send
from bench.company import Company, row_id
from bench.deployment import Deployment
from bench.results import Section, at_most
from bench.scale import Scale
from trilha.access.oauth import api as oauth
from trilha.app import all_routes
from trilha.core.web.routes import NoQuery, Route

REPEATS, MORE_REPEATS = 3, 15
BULK_MS, MS = 1_000.0, 250.0
PROBLEM_KB = 64.0
HEAD_BYTES = 48 * 1024
_SHOWN = 10
_chance = random.Random(8)


class Try(NamedTuple):
    """One request; `what` says what is extreme about it."""

    route: str
    what: str
    method: str
    path: str
    body: bytes | None = None
    media_type: str = "application/json"
    headers: dict[str, str] = {}


class Cost(NamedTuple):
    ms: float
    status: int
    answer_bytes: int
    tried: Try

    @property
    def is_bulk(self) -> bool:
        return self.tried.route.endswith("/bulk")

    def __str__(self) -> str:
        return f"{self.ms:.0f} ms  {self.status}  {self.tried.route}: {self.tried.what}"


def run(company: Company, deployment: Deployment, scale: Scale) -> Section:
    pairs = asyncio.run(traffic.free_pairs(company, 1_200))
    tried = list(tries([(str(user), str(course)) for user, course in pairs]))
    # The last ones are in bulk.
    chosen = (*tried[:: scale.share], tried[-1])
    costs = sorted((_cost(company, deployment, each) for each in chosen), reverse=True)
    print("The slowest requests:")
    for cost in costs[:_SHOWN]:
        print(f"  {cost}")
    single = next(each for each in costs if not each.is_bulk)
    bulk = next(each for each in costs if each.is_bulk)
    largest = max((each for each in costs if each.status >= 400), key=lambda each: each.answer_bytes)
    failed = [each for each in costs if each.status >= 500]
    what = f"{len(costs):,} calls of the API with queries and bodies at their limits"
    rows = [
        at_most(f"{what}: the slowest", single.ms, MS, "ms", f"{single.tried.route}: {single.tried.what}"),
        at_most(
            f"{what}: the slowest in bulk", bulk.ms, BULK_MS, "ms", f"{bulk.tried.route}: {bulk.tried.what}"
        ),
        at_most(f"{what}: the largest refusal", largest.answer_bytes / 1024, PROBLEM_KB, "KB"),
        at_most(f"{what}: failed", len(failed), 0, "requests", ", ".join(map(str, failed[:3]))),
    ]
    return Section("The worst that one client can do", [*rows, *costly.run(company, deployment, scale)])


def _cost(company: Company, deployment: Deployment, tried: Try) -> Cost:
    costs = [_send(company, deployment, tried) for _ in range(REPEATS)]
    if min(costs).ms > MS:
        costs += [_send(company, deployment, tried) for _ in range(MORE_REPEATS)]
    # A repeated request may be refused, which is cheaper.
    return max(
        min(each for each in costs if each.status == status) for status in {each.status for each in costs}
    )


def _send(company: Company, deployment: Deployment, tried: Try) -> Cost:
    headers = {
        "authorization": f"Bearer {company.key}",
        "content-type": tried.media_type,
        "x-forwarded-for": traffic.client(_chance),
    }
    sent = send(deployment.port, tried.method, tried.path, tried.body, headers | tried.headers)
    return Cost(sent.ms, sent.status, len(sent.content), tried)


def tries(pairs: list[tuple[str, str]]) -> Iterator[Try]:
    ids = _ids()
    for prefix, routes in (("/v1", all_routes()), ("/oauth", oauth.routes.all)):
        for route in routes:
            if route.media_type is not None:
                continue  # a file of unlimited length: see bench/exports.py
            path = prefix + route.path.format_map(ids)
            name = f"{route.method} {prefix}{route.path}"
            yield Try(name, "usual", route.method, path, b"{}" if route.data else None)
            yield from _heads(name, route, path)
            if route.data is not None:
                yield from _bodies(name, route, path)
            if route.form is not None and route.data is None:
                yield from _forms(name, route, path)
    yield from _bulks(pairs)


def _ids() -> dict[str, Any]:
    """Returns existing ids, by the parameter they are for."""
    nobody = dict.fromkeys(
        ("certificate_id", "code", "delivery_id", "export_id", "replay_id"), row_id("user", 0)
    )
    found = {each: row_id(each, 0) for each in ("user", "course", "enrollment", "webhook")}
    return nobody | {f"{name}_id": id for name, id in found.items()}


def _heads(name: str, route: Route, path: str) -> Iterator[Try]:
    """Builds queries and headers of the maximum length."""
    queries = {
        "unknown parameters": "&".join(f"p{n}=1" for n in range(100)),
        "too many parameters": "&".join(f"p{n}" for n in range(HEAD_BYTES // 7)),
        "escapes": "p=" + "%20" * (HEAD_BYTES // 3),
    }
    if route.query is not NoQuery:
        for each in msgspec.structs.fields(route.query):
            for kind, value in _texts(HEAD_BYTES).items():
                queries[f"{each.encode_name} of {kind}"] = (
                    f"{each.encode_name}={quote(value, safe=',')[:HEAD_BYTES]}"
                )
        if "limit" in route.query.__struct_fields__:
            queries["limit=100"] = "limit=100"
    for what, query in queries.items():
        yield Try(name, f"query: {what}", route.method, f"{path}?{query}")
    for header in ("authorization", "idempotency-key", "cookie"):
        sent = {header: "Bearer " + "a.b" * (HEAD_BYTES // 3)}
        yield Try(name, f"long {header}", route.method, path, headers=sent)


def _texts(size: int) -> dict[str, str]:
    return {
        "letters": "a" * size,
        "commas": "," * size,
        "items": "id," * (size // 3),
        "spaces": " " * (size // 3),
        "digits": "9" * size,
        "dots": "a." * (size // 2),
        "marks": "@-" * (size // 2),
    }


def _bodies(name: str, route: Route, path: str) -> Iterator[Try]:
    size = route.max_body - 64
    assert route.data is not None
    filled = {
        "spaces": b" " * size,
        "brackets": b"[" * size,
        "objects in objects": b'{"a":' * (size // 5),
        "a long number": b"9" * size,
        "unknown members": b"{%s}" % b",".join(b'"m%d":0' % n for n in range(size // 11)),
        "one member again and again": b"{%s}" % b",".join([b'"email":0'] * (size // 10)),
    }
    for field in msgspec.structs.fields(route.data):
        member = field.encode_name.encode()
        values = {f"text of {kind}": f'"{text}"'.encode() for kind, text in _texts(size - 200).items()}
        values["escaped text"] = b'"%s"' % (rb"\u0041" * ((size - 200) // 6))
        values["text with NUL"] = b'"%s"' % (rb"\u0000" * ((size - 200) // 6))
        values["a long number"] = b"9" * (size - 200)
        for kind, item in (("0", b"0"), ("{}", b"{}"), ("[]", b"[]"), ('""', b'""'), ("null", b"null")):
            values[f"a list of {kind}"] = b"[%s]" % b",".join([item] * ((size - 200) // (len(item) + 1)))
        values["a list of half-known objects"] = b"[%s]" % b",".join([b'{"user_id":0,"x":0}'] * (size // 24))
        for what, value in values.items():
            filled[f"{field.encode_name}: {what}"] = b'{"%s":%s}' % (member, value)
            # With a NUL in it, the body goes through the slower parser.
            filled[f"{field.encode_name}: {what}, and a NUL"] = rb'{"%s":%s,"x":"\u0000"}' % (member, value)
    for what, body in filled.items():
        yield Try(name, f"body: {what}", route.method, path, body[: route.max_body])
    for what, extreme in _valid(name):
        yield Try(name, f"valid: {what}", route.method, path, json.dumps(extreme).encode())
    key = {"idempotency-key": "worst"}
    yield Try(name, "a body kept under a key", route.method, path, filled["unknown members"], headers=key)


def _valid(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if name == "POST /v1/users":
        yield "a long password", {"email": "w@example.com", "name": "W", "password": "p" * 500_000}
        yield "a password", {"email": "v@example.com", "name": "W", "password": "correct horse"}


def _forms(name: str, route: Route, path: str) -> Iterator[Try]:
    size = route.max_body - 200
    basic = {"authorization": "Basic " + "a" * HEAD_BYTES}
    filled = {
        "many fields": "&".join(f"f{n}=1" for n in range(size // 9)),
        "escapes": "token=" + "%41" * (size // 3),
        "a token of dots": "token=" + "." * size,
        "an assertion of brackets": _assertion("[" * size),
        "an assertion of dots": _assertion("a." * (size // 2)),
        "an assertion of letters": _assertion("eyJhbGciOiJSUzI1NiJ9." + "e30" * (size // 4)),
    }
    for what, body in filled.items():
        for with_basic in ({}, basic):
            yield Try(
                name,
                f"form: {what}{', a long name' if with_basic else ''}",
                route.method,
                path,
                body.encode()[: route.max_body],
                "application/x-www-form-urlencoded",
                {"authorization": ""} | with_basic,
            )


def _assertion(text: str) -> str:
    kind = quote("urn:ietf:params:oauth:client-assertion-type:jwt-bearer", safe="")
    return f"grant_type=client_credentials&client_assertion_type={kind}&client_assertion={text[:60_000]}"


def _bulks(pairs: list[tuple[str, str]]) -> Iterator[Try]:
    """Builds bodies with a thousand items: new ones, the same one, unknown ones, and invalid ones."""
    path = "/v1/enrollments/bulk"
    new: list[dict[str, object]] = [{"user_id": user, "course_id": course} for user, course in pairs]
    many = {
        "1000 new": new[:1000],
        "1000 times one": [new[1100]] * 1000,
        "1000 unknown": [{"user_id": each["course_id"], "course_id": each["user_id"]} for each in new[:1000]],
        "1000 wrong": [{"user_id": "x" * 900, "course_id": n} for n in range(1000)],
        "1000 in the past": [each | {"expires_at": "2001-01-01T00:00:00Z"} for each in new[:1000]],
    }
    for what, items in many.items():
        body = json.dumps({"enrollments": items}).encode()
        yield Try(f"POST {path}", what, "POST", path, body)
        key = {"idempotency-key": f"{what} {pairs[0]}"}
        yield Try(f"POST {path}", f"{what}, under a key", "POST", path, body, headers=key)
