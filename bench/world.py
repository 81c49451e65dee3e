"""The databases the contestants work on: one server in a temporary folder, one database per size.

Every row follows from its number, so each run measures the same data.
"""

import asyncio
import os
import random
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import md5
from pathlib import Path
from types import MappingProxyType
from uuid import UUID

import asyncpg

from trilha.api_keys import actions as api_keys
from trilha.core.clock import system_clock
from trilha.core.credentials import Scope
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import load_keyring

TENANT = UUID(int=1)
COURSES = 200
SEED = Path(__file__).with_name("seed.sql")


@dataclass(frozen=True)
class Size:
    """Enrollments are spread evenly: `enrolled` people have the same number each."""

    name: str
    enrollments: int
    users: int
    enrolled: int

    @property
    def each(self) -> int:
        return self.enrollments // self.enrolled


SMALL = Size("10k", enrollments=10_000, users=2_000, enrolled=2_000)
LARGE = Size("1M", enrollments=1_000_000, users=1_000_000, enrolled=200_000)


@dataclass(frozen=True)
class World:
    """One seeded database, and the key that opens its tenant."""

    size: Size
    url: str
    folder: Path
    key: str

    def environment(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")},
            "TRILHA_DATA_DIR": str(self.folder),
            "TRILHA_DATABASE_URL": self.url,
            "TRILHA_LIMIT_V1": "1000000000/15m",
            "TRILHA_LIMIT_TOKEN": "1000000000/15m",
            "TRILHA_LIMIT_SCIM": "1000000000/15m",
            "TRILHA_LIMIT_VERIFY": "1000000000/15m",
            "TRILHA_LOG_FORMAT": "json",
        }

    async def sweep(self, since: datetime) -> None:
        """Takes back what was enrolled since, so that every round meets the same number of rows."""
        connection = await asyncpg.connect(self.url)
        try:
            # Nothing depends on what was enrolled a moment ago: no look into each table that might.
            await connection.execute("SET session_replication_role = replica")
            # An older checkout has them in a table of that name.
            enrollments = await connection.fetchval(
                "SELECT COALESCE(to_regclass('all_enrollments'), to_regclass('enrollments'))::text"
            )
            for table in (enrollments, "events"):
                await connection.execute(
                    f"DELETE FROM {table} WHERE tenant_id = $1 AND created_at >= $2", TENANT, since
                )
                await connection.execute(f"VACUUM {table}")
        finally:
            await connection.close()


@contextmanager
def server(
    kept: Path | None = None, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[Path, str]]:
    """A folder, which goes away unless it is `kept`, and the embedded server in it, with these settings of
    PostgreSQL's changed."""
    with nullcontext(str(kept)) if kept else tempfile.TemporaryDirectory(prefix="trilha-bench-") as name:
        folder = Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)  # as root, PostgreSQL's own user has to pass through
        postgres = EmbeddedPostgres(folder)
        postgres.start()
        if settings:
            asyncio.run(_change(postgres.url, settings))
            postgres.stop()
            postgres.start()
        try:
            yield folder, postgres.url
        finally:
            postgres.stop()


async def _change(url: str, settings: Mapping[str, str]) -> None:
    owner = await asyncpg.connect(url)
    for name, value in settings.items():
        await owner.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    await owner.close()


def make_world(folder: Path, url: str, size: Size) -> World:
    return asyncio.run(_make(folder, url, size))


async def _make(folder: Path, url: str, size: Size) -> World:
    url = await create_database(url, size.name)
    await migrate(url, load_keyring(folder / "master.key"))
    await seed(url, size, SEED.read_text())
    return World(size, url, folder, await _make_key(folder, url))


async def open_empty(folder: Path, url: str) -> Database:
    """A database with nothing but the tenant, opened as the server opens it. Its key is in `folder`."""
    keyring = load_keyring(folder / "master.key")
    await migrate(url, keyring)
    owner = await asyncpg.connect(url)
    await owner.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'bench', 'Bench', now())", TENANT
    )
    await owner.close()
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    return database


async def create_database(url: str, name: str) -> str:
    """The address of a new one on this server."""
    owner = await asyncpg.connect(url)
    await owner.execute(f'CREATE DATABASE "{name}"')
    await owner.close()
    return url.replace("/postgres?", f"/{name}?")


async def seed(url: str, size: Size, statements: str) -> None:
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    await owner.execute(
        statements.format(
            tenant=TENANT,
            courses=COURSES,
            users=size.users,
            enrolled=size.enrolled,
            enrollments=size.enrollments,
        )
    )
    await owner.execute("VACUUM ANALYZE")
    await owner.execute("CHECKPOINT")
    await owner.close()


async def _make_key(folder: Path, url: str) -> str:
    keyring = load_keyring(folder / "master.key")
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    async with database.transaction(TENANT) as tx:
        issued = await api_keys.create(tx, "bench", list(Scope), prefix="trl_live_")
    await database.close()
    return issued.key


def user_id(number: int) -> UUID:
    return id_of("user", number)


def course_id(number: int) -> UUID:
    return id_of("course", number)


def certificate_codes(size: Size, count: int) -> list[str]:
    """Of enrollments that the seed has completed."""
    completed = (3, 4, 7)  # the places of COMPLETED among its statuses
    numbers = random.Random(1).sample(range(size.enrollments), 10 * count)
    chosen = [n for n in numbers if (n * 7 + n // 10) % 10 in completed]
    return [md5(f"certificate {n}".encode()).hexdigest()[:16].upper() for n in chosen[:count]]


def id_of(*name: object) -> UUID:
    """Of what the seeds call so: `id_of("user", 7)`."""
    return UUID(md5(" ".join(map(str, name)).encode()).hexdigest())


def free_pair(size: Size, number: int) -> tuple[UUID, UUID]:
    """A user and a course that the seed has not brought together; every number another."""
    user = number * 7919 % size.enrolled
    place = size.each + number // size.enrolled % (COURSES - size.each)
    return user_id(user), course_id((user * 31 + place * 37) % COURSES)


def moment(share: float) -> str:
    """When this share of the enrollments had been made."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    return (start + timedelta(days=600) * share).strftime("%Y-%m-%dT%H:%M:%S.000Z")
