"""Measures the most expensive requests of a person with a browser, and their effect on others.

This is part of `python -m bench worst`. An administrator or a learner of one tenant sends each request alone,
and then several at a time while a person of another tenant reads.
"""

import asyncio
import io
import itertools
import json
import re
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

import asyncpg
import msgspec
import psutil
from asn1crypto.pkcs12 import Pfx
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from PIL import Image

from bench import classroom, traffic
from bench.browser import Sent, send
from bench.classroom import Classroom, Launch
from bench.company import ADMIN, SLUG, TENANT, Company, row_id
from bench.deployment import Deployment
from bench.learner_load import Bodies
from bench.load import percentile
from bench.results import Row, at_most
from bench.scale import Scale
from trilha.core.secrets import load_keyring
from trilha.training.courses.rules import MAX_MODULES

ALONE_MS, READER_MS, MEMORY_MIB = 1_000.0, 250.0, 1536.0
ALONE, AT_A_TIME = 3, 4
READER = "trl_session_bench_reader"
OTHER_TENANT, OTHER_PERSON, PACKAGE = UUID(int=2), UUID(int=3), UUID(int=4)
# A person may open 60 modules and send 24 MiB per minute.
_PUPILS, _STATE_BYTES = 60, 1_600_000
_BOUNDARY = "bench-costly"
_TOKEN = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')


class Form(NamedTuple):
    """With `files`, even an empty list, it is sent as multipart/form-data."""

    what: str
    address: str
    fields: Mapping[str, str]
    files: Mapping[str, bytes] | None = None


class Work(NamedTuple):
    """`send` sends one request, different each time."""

    what: str
    send: Callable[[], Sent]


class Cost(NamedTuple):
    """The milliseconds of one request alone, and the p99 of the reader beside several of them."""

    what: str
    alone: float
    reader: float
    memory: float
    failed: int


def run(company: Company, deployment: Deployment, scale: Scale) -> list[Row]:
    asyncio.run(_prepare(company))
    room, launches, pairs = asyncio.run(_open(company, scale.bulk))
    works = [_work_of(deployment, form) for form in forms()]
    works += _works(company, deployment, room, launches, pairs, scale.bulk)
    costs = [_measure(deployment, work, scale) for work in works]
    slowest = max(costs, key=lambda each: each.alone)
    slowing = max(costs, key=lambda each: each.reader)
    what = f"{len(costs)} costly forms and requests"
    beside = f"{what}, {AT_A_TIME} at a time: p99 of another tenant's page"
    return [
        at_most(f"{what}, each alone: the slowest", slowest.alone, ALONE_MS, "ms", slowest.what),
        at_most(beside, slowing.reader, READER_MS, "ms", slowing.what),
        at_most(f"{what}: memory of the server", max(each.memory for each in costs), MEMORY_MIB, "MiB"),
        at_most(f"{what}: failed", sum(each.failed for each in costs), 0, "requests"),
    ]


async def _open(company: Company, bulk: int) -> tuple[Classroom, list[Launch], list[tuple[UUID, UUID]]]:
    async with classroom.opened(company, 2 * _PUPILS) as room:
        pairs = list(await traffic.free_pairs(company, 30 * bulk))
        return room, await room.launch(range(_PUPILS)), pairs


def _measure(deployment: Deployment, work: Work, scale: Scale) -> Cost:
    alone = [work.send() for _ in range(ALONE)]
    statuses, reading = Counter(each.status for each in alone), True

    def send_on() -> None:
        while reading:
            statuses[work.send().status] += 1

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        senders = [pool.submit(send_on) for _ in range(AT_A_TIME)]
        times = _read(deployment, scale.reads)
        while statuses.total() < scale.samples // 5:
            times += _read(deployment, 10)
        memory = _memory(deployment)
        reading = False
        for sender in senders:
            sender.result()
    slowest = max(each.ms for each in alone)
    reader = percentile(sorted(times), 0.99)
    failed = sum(count for status, count in statuses.items() if status >= 500 and status != 503)
    cost = Cost(work.what, slowest, reader, memory, failed)
    print(f"  {slowest:.0f} ms alone, reader p99 {reader:.0f} ms  {work.what}  {dict(statuses)}", flush=True)
    return cost


def _works(
    company: Company,
    deployment: Deployment,
    room: Classroom,
    launches: Sequence[Launch],
    pairs: Sequence[tuple[UUID, UUID]],
    bulk: int,
) -> list[Work]:
    """Returns requests that several learners send in turn, because the limits of one person would soon stop
    them.
    """
    numbers, bodies = itertools.count(), Bodies(_STATE_BYTES)
    half = _PUPILS // 2

    def commit() -> Sent:
        number = next(numbers)
        learner = launches[number % half].learner
        _, _, body = bodies.build(b"", number, number + 1).partition(b"\r\n\r\n")
        headers = {"host": learner.host, "content-type": "application/json"}
        return send(deployment.port, "POST", f"{learner.path}commit", body, headers)

    def hold() -> Sent:
        number = next(numbers)
        place = half + number % half
        origin = f"https://{room.host}"
        query = urlencode({"launch": launches[place].id, "kind": "commit", "origin": origin})
        _, _, body = bodies.build(b"", number, number + 1).partition(b"\r\n\r\n")
        headers = _cookie(room.pupils[place].token)
        return send(deployment.port, "POST", f"/learn/held?{query}", body, headers)

    def launch() -> Sent:
        pupil = room.pupils[_PUPILS + next(numbers) % _PUPILS]
        path = f"/learn/enrollments/{pupil.enrollment_id}/modules/{room.module_id}/launches"
        return send(deployment.port, "POST", path, b"", _cookie(pupil.token))

    def enroll() -> Sent:
        first = next(numbers) * bulk % len(pairs)
        ends = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 2))
        items = [
            {"user_id": user, "course_id": course, "expires_at": ends}
            for user, course in pairs[first : first + bulk]
        ]
        body = msgspec.json.encode({"enrollments": items})
        return send(deployment.port, "POST", "/v1/enrollments/bulk", body, _key(company, next(numbers)))

    def preview() -> Sent:
        fields = {"design": "classic", "orientation": "landscape", "title": f"Preview {next(numbers)}"}
        path = f"/admin/certificates/templates/preview.webp?{urlencode(fields | {'body': 'a ' * 200})}"
        return send(deployment.port, "GET", path, None, _cookie(ADMIN.token))

    def export() -> Sent:
        path = "/v1/analytics/exports?type=csv"
        return send(deployment.port, "GET", path, None, _key(company, next(numbers)))

    return [
        Work("A commit of 1.6 MB", commit),
        Work("A held commit of 1.6 MB", hold),
        Work("A launch", launch),
        Work(f"{bulk:,} enrollments that expire soon", enroll),
        Work("A preview of a certificate", preview),
        Work("An export of 50,000 rows", export),
    ]


def _key(company: Company, number: int) -> dict[str, str]:
    address = f"198.19.{number // 256 % 256}.{number % 256}"
    key = {"authorization": f"Bearer {company.key}", "content-type": "application/json"}
    return key | {"x-forwarded-for": address}


def _cookie(token: str) -> dict[str, str]:
    return {"cookie": f"__Host-trilha_session={token}", "sec-fetch-site": "same-origin"}


def forms() -> list[Form]:
    table = "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + "a\n" * 5000
    course = f"/admin/courses/{row_id('course', 0)}"
    article = {"title": "A", "duration_minutes": "1"}
    keys = {"name": "K", "scopes": "users:read", "method": "keys"}
    rounds = {"password": "secret"}
    return [
        Form("rounds of a PKCS #12 file", "/admin/settings/signature", rounds, {"identity": _identity()}),
        Form("a JPEG of many scans", "/admin/settings/logo", {}, {"logo": _jpeg()}),
        Form("a table", f"{course}/modules/new/article", article | {"body": table}),
        Form("images in images", f"{course}/modules/text", {"body": "![" * 190_000}),
        Form("brackets", f"{course}/modules/text", {"body": "[" * 390_000}),
        Form("private keys", "/admin/oauth-clients/new", keys | {"public_keys": _private_keys()}),
        Form(
            "as many parts as there may be", f"/admin/packages/{PACKAGE}/add", {"title": "P", "minutes": "9"}
        ),
        Form("at signs", "/admin/enrollments/many/emails", {"emails": "<" + "@" * 490_000}, {}),
        Form("addresses", "/admin/enrollments/many/emails", {"emails": "a@b.co," * 70_000}, {}),
    ]


def _identity() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    made = pkcs12.serialize_key_and_certificates(None, key, None, None, BestAvailableEncryption(b"secret"))
    pfx = Pfx.load(made)
    pfx["mac_data"]["iterations"] = 60_000_000
    return bytes(pfx.dump())


def _jpeg() -> bytes:
    made = io.BytesIO()
    Image.new("L", (4000, 4000)).save(made, "JPEG", progressive=True)
    raw = made.getvalue()
    scan = raw[raw.rindex(b"\xff\xda") : -2]
    return raw[:-2] + scan * ((1000 * 1024 - len(raw)) // len(scan)) + raw[-2:]


def _private_keys() -> str:
    """Builds private keys without their factors, which importing has to find."""
    p, q = 2**4253 - 1, 2**4423 - 1
    numbers = {"n": p * q, "e": 65537, "d": pow(65537, -1, (p - 1) * (q - 1))}
    key = {
        name: urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8)).decode().rstrip("=")
        for name, number in numbers.items()
    }
    return json.dumps({"keys": [key | {"kty": "RSA"}] * 15})


def _work_of(deployment: Deployment, form: Form) -> Work:
    """Encodes the form once, because this may cost the client more than the server."""
    page = send(deployment.port, "GET", "/admin", None, _cookie(ADMIN.token)).content.decode()
    token = _TOKEN.search(page)
    assert token, page[:500]
    fields = {"csrf_token": token[1]} | dict(form.fields)
    if form.files is None:
        body, media_type = urlencode(fields).encode(), "application/x-www-form-urlencoded"
    else:
        body, media_type = _multipart(fields, form.files), f"multipart/form-data; boundary={_BOUNDARY}"
    headers = _cookie(ADMIN.token) | {"content-type": media_type}
    return Work(
        f"{form.what} in {form.address.rpartition('/')[2]}",
        lambda: send(deployment.port, "POST", form.address, body, headers),
    )


def _multipart(fields: Mapping[str, str], files: Mapping[str, bytes]) -> bytes:
    parts = [(f'name="{name}"', value.encode()) for name, value in fields.items()]
    parts += [(f'name="{name}"; filename="{name}"', content) for name, content in files.items()]
    written = [
        f"--{_BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"
        for head, content in parts
    ]
    return b"".join(written) + f"--{_BOUNDARY}--\r\n".encode()


async def _prepare(company: Company) -> None:
    """Creates a reader of another tenant, and a package with the maximum number of parts."""
    keyring = load_keyring(company.folder / "master.key")
    owner = await asyncpg.connect(company.url, server_settings={"timezone": "UTC"})
    items = [
        {"identifier": f"p{n}", "title": f"P {n}", "launch": {"path": "index.html"}}
        for n in range(MAX_MODULES)
    ]
    manifest = {"version": "1.2", "edition": "1.2", "title": "P", "items": items}
    await owner.execute(
        """
        INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, $2, 'Other', now())
        ON CONFLICT DO NOTHING
        """,
        *(OTHER_TENANT, f"{SLUG}-other"),
    )
    await owner.execute(
        """
        INSERT INTO users (tenant_id, id, email, name, role, created_at, updated_at)
        VALUES ($1, $2, 'reader@example.com', 'Rui Lima', 'admin', now(), now()) ON CONFLICT DO NOTHING
        """,
        *(OTHER_TENANT, OTHER_PERSON),
    )
    await owner.execute(
        """
        INSERT INTO packages (tenant_id, id, sha256, file_name, size, state, title, manifest, files,
                              actor_kind, actor, source, created_at, finished_at)
        VALUES ($1, $2, repeat('0', 64), 'p.zip', 1, 'READY', 'P', $3, '{}', '', '', '', now(), now())
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, PACKAGE, json.dumps(manifest)),
    )
    await owner.execute("DELETE FROM sessions WHERE tenant_id = $1", OTHER_TENANT)
    await owner.execute(
        """
        INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                              last_seen_at, idle_ends_at, expires_at, created_at)
        VALUES ($1, $2, $3, 0, 'none', 'Bench', '127.0.0.1', now(), now() + interval '1 day',
                now() + interval '1 day', now())
        """,
        *(OTHER_TENANT, OTHER_PERSON, keyring.fingerprint(READER)),
    )
    await owner.close()


def _read(deployment: Deployment, count: int) -> list[float]:
    """Returns the milliseconds of this many reads by the other tenant."""
    return [send(deployment.port, "GET", "/admin/people", None, _cookie(READER)).ms for _ in range(count)]


def _memory(deployment: Deployment) -> float:
    """Returns the MiB of the serving processes and their children. Shared memory counts for each of them."""
    return sum(_rss(each) for each in deployment.root.children(recursive=True)) / (1 << 20)


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
