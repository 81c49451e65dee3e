"""Requests as the proxy passes them on: API calls of integrations, and pages of signed-in people."""

import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID

import asyncpg
import msgspec

from bench.company import ADMIN, GESTOR, INSTRUTOR, LEARNER, LEARNING, OWN, TENANT, Company, Viewer, row_id
from bench.deployment import FORWARDED, HOST

# Out of a hundred calls of an integration.
SINGLE_READS, LISTS, WRITES = 70, 20, 10
_LISTS = (
    "/v1/users?limit=20",
    "/v1/users?q=maria&limit=20",
    "/v1/users?department=Log%C3%ADstica&limit=20",
    "/v1/enrollments?limit=20",
    "/v1/enrollments?status=completed&limit=20",
    "/v1/courses?limit=20",
    "/v1/certificates?limit=20",
)
_PAGES = (
    (ADMIN, "/admin"),
    (ADMIN, "/admin/people"),
    (ADMIN, "/admin/enrollments"),
    (GESTOR, "/admin"),
    (GESTOR, "/admin/people"),
    (INSTRUTOR, "/admin/courses"),
    (LEARNING, "/learn"),
    (LEARNING, "/learn/certificates"),
    (LEARNING, f"/learn/enrollments/{row_id('enrollment', OWN + 5)}"),
)
# Each request has the address of one of this many clients, so that the limits of one address do not matter.
_CLIENTS = 60_000


def client(chance: random.Random) -> str:
    number = chance.randrange(_CLIENTS)
    return f"198.{18 + number // 65536}.{number // 256 % 256}.{number % 256}"


def request(
    method: str,
    path: str,
    headers: str,
    address: str,
    body: bytes | None = None,
    media: str = "application/json",
) -> bytes:
    """Returns a request as the proxy sends it. `headers` are lines that end with a line break."""
    head = f"{method} {path} HTTP/1.1\r\nhost: {HOST}\r\n{FORWARDED.format(address)}{headers}"
    if body is None:
        return f"{head}\r\n".encode()
    return f"{head}content-type: {media}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def page(viewer: Viewer, path: str, address: str) -> bytes:
    return request("GET", path, cookie(viewer.token), address)


def cookie(token: str) -> str:
    """Returns the headers of a browser with this session."""
    return (
        f"cookie: __Host-trilha_session={token}\r\naccept-encoding: gzip\r\nsec-fetch-site: same-origin\r\n"
    )


def key(company: Company) -> str:
    return f"authorization: Bearer {company.key}\r\n"


def pages(chance: random.Random, count: int) -> list[bytes]:
    """Returns this many pages that people of every role open."""
    return [page(*chance.choice(_PAGES), client(chance)) for _ in range(count)]


async def mixed_calls(company: Company, chance: random.Random, count: int) -> list[bytes]:
    """Returns this many calls of integrations, each from another client."""
    requests = [
        *await single_reads(company, chance, count * SINGLE_READS // 100),
        *await lists(company, chance, count * LISTS // 100),
        *await writes(company, chance, count * WRITES // 100),
    ]
    chance.shuffle(requests)
    return requests


async def single_reads(company: Company, chance: random.Random, count: int) -> list[bytes]:
    limit = {
        "user": company.size.people,
        "enrollment": company.size.enrollments,
        "course": company.size.courses,
    }
    requests = []
    for _ in range(count):
        kind = chance.choice(list(limit))
        number = chance.randrange(limit[kind])
        if kind == "enrollment" and number % company.size.people == LEARNER:
            number += 1  # the enrollments have other numbers
        requests.append(request("GET", f"/v1/{kind}s/{row_id(kind, number)}", key(company), client(chance)))
    return requests


async def lists(company: Company, chance: random.Random, count: int) -> list[bytes]:
    return [request("GET", chance.choice(_LISTS), key(company), client(chance)) for _ in range(count)]


async def writes(company: Company, chance: random.Random, count: int) -> list[bytes]:
    """Returns alternately an enrollment of one person in one course, and a change of one person."""
    requests = []
    for user, course in await free_pairs(company, (count + 1) // 2):
        requests.append(enrollment(company, user, course, client(chance)))
        requests.append(change(company, chance.randrange(600, company.size.people), client(chance)))
    return requests[:count]


CALLS: Mapping[str, Callable[[Company, random.Random, int], Awaitable[list[bytes]]]] = {
    "single reads": single_reads,
    "lists": lists,
    "writes": writes,
}


def enrollment(company: Company, user: UUID, course: UUID, address: str) -> bytes:
    body = msgspec.json.encode({"user_id": user, "course_id": course})
    return request("POST", "/v1/enrollments", key(company), address, body)


def change(company: Company, number: int, address: str) -> bytes:
    """Builds a request that gives this person another job title, so that there is something to write."""
    body = msgspec.json.encode({"job_title": f"Cargo {time.time_ns() // 1000 % 10**9}"})
    return request("PATCH", f"/v1/users/{row_id('user', number)}", key(company), address, body)


async def free_pairs(company: Company, count: int) -> Sequence[tuple[UUID, UUID]]:
    """Returns active people and courses that they are not enrolled in."""
    owner = await asyncpg.connect(company.url)
    pairs: list[tuple[UUID, UUID]] = []
    for number in range(3, 10):  # these courses have only one learner
        rows = await owner.fetch(
            """
            SELECT u.id FROM users u WHERE u.tenant_id = $1 AND u.status = 'ACTIVE' AND u.role = 'learner'
              AND NOT EXISTS (SELECT FROM enrollments e
                              WHERE e.tenant_id = $1 AND e.user_id = u.id AND e.course_id = $2)
            LIMIT $3
            """,
            *(TENANT, row_id("course", number), count - len(pairs)),
        )
        pairs += [(row["id"], row_id("course", number)) for row in rows]
    await owner.close()
    if len(pairs) < count:
        raise RuntimeError("Everybody is enrolled everywhere: seed the company again.")
    return pairs
