"""What learners, administrators and integrations can ask for that costs much, and what others notice of it.

Part of `python -m bench worst`, measured and judged as the forms of `costly_forms` are. Learners take turns,
as one alone is soon held back by the limits of what a person may send.
"""

import asyncio
import http.client
import itertools
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import asyncpg
import msgspec

from bench.contestants import Contestant
from bench.learning import commits
from bench.learning.world import Launch, School
from bench.world import TENANT, World, free_pair
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import open_file_store
from trilha.core.secrets import load_keyring

ITEMS, STATE_BYTES = 1000, 1_600_000
# A person opens 60 modules a minute, and sends 24 MiB.
LEARNERS = 60
Send = Callable[[], tuple[float, int]]


class Work(NamedTuple):
    """`send` sends one request, each time another, and returns its seconds and its status. Several at a time
    send at least so many `requests`."""

    what: str
    send: Send
    requests: int = 20


class Learners(NamedTuple):
    """People with a session each, and the launches of some of them. `origin` is of their content."""

    school: School
    launches: list[Launch]
    origin: str


def works(ours: Contestant, admin: str) -> list[Work]:
    """Every kind of work. `admin` is the session of an administrator."""
    learners = asyncio.run(_make_learners(ours))
    return [
        Work("POST /l/{token}/commit: 1.6 MB", _commits(ours, learners)),
        Work("POST /learn/held: a commit of 1.6 MB", _held(ours, learners)),
        Work("POST /learn/.../launches", _openings(ours, learners), 600),
        Work(f"POST /v1/enrollments/bulk: {ITEMS:,} that expire soon", _bulks(ours)),
        Work("GET certificate template preview", _previews(ours, admin)),
        Work("GET /v1/analytics/exports", _exports(ours)),
    ]


def _commits(ours: Contestant, learners: Learners) -> Send:
    numbers = itertools.count()

    def send() -> tuple[float, int]:
        number = next(numbers)
        place = number % (LEARNERS // 2)
        learner = learners.launches[place].learner
        body = commits.body(number + 1, STATE_BYTES, place)
        headers = {"host": f"{learner.host}:{ours.port}", "content-type": "application/json"}
        return _request(ours, "POST", f"{learner.path}commit", headers, body)

    return send


def _held(ours: Contestant, learners: Learners) -> Send:
    numbers = itertools.count()

    def send() -> tuple[float, int]:
        number = next(numbers)
        place = LEARNERS // 2 + number % (LEARNERS // 2)
        asked = {"launch": str(learners.launches[place].id), "kind": "commit", "origin": learners.origin}
        body = commits.body(number + 1, STATE_BYTES, place)
        return _request(ours, "POST", f"/learn/held?{urlencode(asked)}", _cookie(_token(place)), body)

    return send


def _openings(ours: Contestant, learners: Learners) -> Send:
    places = itertools.cycle(range(LEARNERS, 2 * LEARNERS))

    def send() -> tuple[float, int]:
        place = next(places)
        return _request(ours, "POST", _opening(learners.school, place), _cookie(_token(place)))

    return send


def _bulks(ours: Contestant) -> Send:
    # Those before are of bench.worst.
    numbers = itertools.count(10 * ITEMS, ITEMS)

    def send() -> tuple[float, int]:
        ends = (datetime.now(UTC) + timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        start = next(numbers)
        pairs = [free_pair(ours.world.size, number) for number in range(start, start + ITEMS)]
        items = [{"user_id": user, "course_id": course, "expires_at": ends} for user, course in pairs]
        body = msgspec.json.encode({"enrollments": items})
        headers = _key(ours.world) | {"content-type": "application/json"}
        return _request(ours, "POST", "/v1/enrollments/bulk", headers, body)

    return send


def _previews(ours: Contestant, admin: str) -> Send:
    numbers = itertools.count()

    def send() -> tuple[float, int]:
        fields = {"design": "classic", "orientation": "landscape", "title": f"Preview {next(numbers)}"}
        path = f"/admin/certificates/templates/preview.webp?{urlencode(fields | {'body': 'a ' * 200})}"
        return _request(ours, "GET", path, _cookie(admin))

    return send


def _exports(ours: Contestant) -> Send:
    return lambda: _request(ours, "GET", "/v1/analytics/exports?type=csv", _key(ours.world))


def _request(
    ours: Contestant, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[float, int]:
    connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=120)
    started = time.perf_counter()
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return time.perf_counter() - started, answer.status


def _key(world: World) -> dict[str, str]:
    return {"authorization": f"Bearer {world.key}"}


def _cookie(token: str) -> dict[str, str]:
    return {"cookie": f"trilha_session={token}", "sec-fetch-site": "same-origin"}


def _token(place: int) -> str:
    return f"trl_session_bench_learner_{place}"


def _opening(school: School, place: int) -> str:
    return f"/learn/enrollments/{school.places[place][1]}/modules/{school.module_id}/launches"


async def _make_learners(ours: Contestant) -> Learners:
    """Of a course of a package. The first `LEARNERS` of them have opened it; another tells where it is."""
    world = ours.world
    keyring = load_keyring(world.folder / "master.key")
    database = Database(serving_urls(world.url, keyring), system_clock, keyring)
    await database.open()
    school = School(world, database, open_file_store(None, world.folder / "files"))
    await school.found(world.folder, 2 * LEARNERS)
    await _sign_in(world, {_token(place): user for place, (user, _) in enumerate(school.places)})
    launches = [await school.launch(place) for place in range(LEARNERS)]
    await database.close()
    return Learners(school, launches, await asyncio.to_thread(_origin, ours, school))


async def _sign_in(world: World, people: Mapping[str, UUID]) -> None:
    keyring = load_keyring(world.folder / "master.key")
    owner = await asyncpg.connect(world.url)
    await owner.executemany(
        """
        INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                              last_seen_at, idle_ends_at, expires_at, created_at)
        VALUES ($1, $2, $3, 0, 'none', 'Bench', '127.0.0.1', now(), now() + interval '1 day',
                now() + interval '1 day', now())
        """,
        [(TENANT, user, keyring.fingerprint(token)) for token, user in people.items()],
    )
    await owner.close()


def _origin(ours: Contestant, school: School) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=120)
    place = 2 * LEARNERS
    connection.request("POST", _opening(school, place), headers=_cookie(_token(place)))
    answer = connection.getresponse()
    content = answer.read()
    assert answer.status == 200, content
    address = urlsplit(msgspec.json.decode(content)["address"])
    connection.close()
    return f"{address.scheme}://{address.netloc}"
