"""What a person with a browser can send that is a great deal of work to read, and what others notice of it.

Part of `python -m bench worst`. An administrator of one tenant sends each body alone, and then several at a
time while somebody of another tenant reads; the requests of `costly_work` are sent alike. Bounds: `SECONDS`
for the slowest of the requests sent alone, for the reader at the 99th percentile `TIMES` what it takes
undisturbed, and `MEMORY_MIB` for the server with its processes.
"""

import asyncio
import http.client
import io
import json
import re
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from statistics import quantiles
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

import asyncpg
import psutil
from asn1crypto.pkcs12 import Pfx
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from PIL import Image

from bench import costly_work
from bench.contestants import Contestant
from bench.costly_work import Work
from bench.world import TENANT, course_id, user_id
from trilha.core.secrets import load_keyring
from trilha.courses.rules import MAX_MODULES

SECONDS, TIMES, MEMORY_MIB = 1.0, 3.0, 1536
ALONE, AT_A_TIME, READS = 3, 4, 150
ADMIN, READER = "trl_session_bench_costly_admin", "trl_session_bench_reader"
OTHER_TENANT, OTHER_PERSON, PACKAGE = UUID(int=2), UUID(int=3), UUID(int=4)
_BOUNDARY = "bench-costly"
_TOKEN = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')


class Form(NamedTuple):
    """With `files`, even none, it is sent as multipart/form-data."""

    what: str
    address: str
    fields: Mapping[str, str]
    files: Mapping[str, bytes] | None = None


class Sent(NamedTuple):
    """A form as it is sent, written once: that may cost the client more than reading costs the server."""

    address: str
    body: bytes
    kind: str


def main(ours: Contestant) -> int:
    """How many kinds of work miss a bound."""
    asyncio.run(_prepare(ours))
    server = psutil.Process(_pid(ours.port))
    undisturbed = _p99(_read(ours, READS))
    print(f"Another tenant's reader, undisturbed: {undisturbed:.1f} ms at the 99th percentile")
    works = [_work_of(ours, form) for form in forms()] + costly_work.works(ours, ADMIN)
    return sum(_is_missed(ours, work, undisturbed, server) for work in works)


def _work_of(ours: Contestant, form: Form) -> Work:
    sent = _written(ours, form)
    return Work(f"POST {form.address}: {form.what}", lambda: _send(ours, sent))


def _is_missed(ours: Contestant, work: Work, undisturbed: float, server: psutil.Process) -> bool:
    alone = [work.send() for _ in range(ALONE)]
    statuses = Counter[int]()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        reading = True

        def send_on() -> None:
            while reading:
                statuses[work.send()[1]] += 1

        senders = [pool.submit(send_on) for _ in range(AT_A_TIME)]
        taken = _read(ours, READS)
        while statuses.total() < work.requests:
            taken += _read(ours, 10)
        disturbed = _p99(taken)
        memory = _memory(server)
        reading = False
        for sender in senders:
            sender.result()
    slowest, status = max(alone)
    times = disturbed / undisturbed
    failed = max(status, *statuses) >= 500
    missed = slowest > SECONDS or times > TIMES or memory > MEMORY_MIB or failed
    print(
        f"{slowest * 1000:8.1f} ms  {status}  reader {disturbed:6.1f} ms, {times:5.1f}x  {memory:5.0f} MiB  "
        f"{work.what}, several at a time: {dict(statuses)}  {'MISSED' if missed else ''}",
        flush=True,
    )
    return missed


def forms() -> list[Form]:
    table = "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + "a\n" * 5000
    course = f"/admin/courses/{course_id(0)}"
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
    """Without their factors, which are looked for where they are imported."""
    p, q = 2**4253 - 1, 2**4423 - 1
    numbers = {"n": p * q, "e": 65537, "d": pow(65537, -1, (p - 1) * (q - 1))}
    key = {
        name: urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8)).decode().rstrip("=")
        for name, number in numbers.items()
    }
    return json.dumps({"keys": [key | {"kty": "RSA"}] * 15})


async def _prepare(ours: Contestant) -> None:
    """Two people who are signed in, one of another tenant, and a package of as many parts as may be."""
    keyring = load_keyring(ours.world.folder / "master.key")
    owner = await asyncpg.connect(ours.world.url, server_settings={"timezone": "UTC"})
    launch = {"path": "index.html"}
    items = [{"identifier": f"p{n}", "title": f"P {n}", "launch": launch} for n in range(MAX_MODULES)]
    manifest = {"version": "1.2", "edition": "1.2", "title": "P", "items": items}
    await owner.execute(
        "UPDATE users SET role = 'admin' WHERE tenant_id = $1 AND id = $2", TENANT, user_id(0)
    )
    await owner.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'other', 'Other', now())", OTHER_TENANT
    )
    await owner.execute(
        """
        INSERT INTO users (tenant_id, id, email, name, role, created_at, updated_at)
        VALUES ($1, $2, 'reader@example.com', 'Rui Lima', 'admin', now(), now())
        """,
        *(OTHER_TENANT, OTHER_PERSON),
    )
    await owner.execute(
        """
        INSERT INTO packages (tenant_id, id, sha256, file_name, size, state, title, manifest, files,
                              actor_kind, actor, source, created_at, finished_at)
        VALUES ($1, $2, repeat('0', 64), 'p.zip', 1, 'READY', 'P', $3, '{}', '', '', '', now(), now())
        """,
        *(TENANT, PACKAGE, json.dumps(manifest)),
    )
    for tenant, person, token in ((TENANT, user_id(0), ADMIN), (OTHER_TENANT, OTHER_PERSON, READER)):
        await owner.execute(
            """
            INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                                  last_seen_at, idle_ends_at, expires_at, created_at)
            VALUES ($1, $2, $3, 0, 'none', 'Bench', '127.0.0.1', now(), now() + interval '1 day',
                    now() + interval '1 day', now())
            """,
            *(tenant, person, keyring.fingerprint(token)),
        )
    await owner.close()


def _send(ours: Contestant, sent: Sent) -> tuple[float, int]:
    """Seconds and the status."""
    seconds, status, _ = _fetch(ours, ADMIN, "POST", *sent)
    return seconds, status


def _written(ours: Contestant, form: Form) -> Sent:
    _, _, page = _fetch(ours, ADMIN, "GET", "/admin")
    found = _TOKEN.search(page.decode())
    assert found, page[:500]
    fields = {"csrf_token": found[1]} | dict(form.fields)
    if form.files is None:
        return Sent(form.address, urlencode(fields).encode(), "application/x-www-form-urlencoded")
    return Sent(form.address, _multipart(fields, form.files), f"multipart/form-data; boundary={_BOUNDARY}")


def _multipart(fields: Mapping[str, str], files: Mapping[str, bytes]) -> bytes:
    parts = [(f'name="{name}"', value.encode()) for name, value in fields.items()]
    parts += [(f'name="{name}"; filename="{name}"', content) for name, content in files.items()]
    written = [
        f"--{_BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"
        for head, content in parts
    ]
    return b"".join(written) + f"--{_BOUNDARY}--\r\n".encode()


def _fetch(
    ours: Contestant, token: str, method: str, address: str, body: bytes | None = None, kind: str = ""
) -> tuple[float, int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=120)
    headers = {"cookie": f"trilha_session={token}", "sec-fetch-site": "same-origin"}
    started = time.perf_counter()
    connection.request(method, address, body, headers | ({"content-type": kind} if kind else {}))
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return time.perf_counter() - started, answer.status, content


def _read(ours: Contestant, count: int) -> list[float]:
    """What each read of the other tenant takes, in milliseconds."""
    return [_fetch(ours, READER, "GET", "/admin/people")[0] * 1000 for _ in range(count)]


def _p99(taken: list[float]) -> float:
    return quantiles(taken, n=100, method="inclusive")[-1]


def _pid(port: int) -> int:
    for each in psutil.net_connections("tcp"):
        if each.status == psutil.CONN_LISTEN and port in each.laddr and each.pid:
            return int(each.pid)
    raise RuntimeError("nobody listens there")


def _memory(server: psutil.Process) -> float:
    """Of the processes that serve and those that work for them, in MiB; what they share counts once each."""
    found = 0
    for each in [server, *server.children(recursive=True)]:
        try:
            found += each.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return found / (1 << 20)
