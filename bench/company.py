"""A tenant of the size that the product is made for, with those who look at it already signed in.

Every row follows from its number (`company.sql`, `company_learning.sql`). In a folder that is kept, it is
seeded once, and brought up to date with the migrations each time.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from uuid import UUID

import asyncpg

from bench.world import TENANT, Size, World, create_database
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring, load_keyring
from trilha.enrollments.jobs import MERGE_COUNTERS
from trilha.reports.jobs import COUNT_UNITS

SEEDS = [Path(__file__).with_name(name) for name in ("company.sql", "company_learning.sql")]
SIZES = {
    "people": 100_000,
    "enrollments": 1_000_000,
    "events": 1_000_000,
    "audited": 1_000_000,
    "deliveries": 300_000,
    "courses": 2_000,
    "units": 500,
    "groups": 500,
    "paths": 300,
    "sessions": 50_000,
}
NAME = "company"
CPF = "529.982.247-25"
PERSON = 5395  # is in a unit that the manager has, and in the course that the instructor teaches
LEARNER = 7  # has a place in every course
RESET_TOKEN = "bench-reset"


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at pages. `role` as permissions know it. Who is not `thorough` tries no two filters
    at a time."""

    name: str
    role: str
    user: int
    second_factor: str = "none"
    thorough: bool = True

    @property
    def token(self) -> str:
        return f"trl_session_bench_{self.name.replace(' ', '_')}"


ADMIN = Viewer("admin", "admin", 0)
GESTOR = Viewer("gestor", "gestor", 1)
INSTRUTOR = Viewer("instrutor", "instrutor", 2)
LEARNING = Viewer("learner", "learner", LEARNER)
# Of one unit, and of ten small courses: whom they see is rare among all.
OF_ONE_UNIT = Viewer("gestor of 200", "gestor", 100, thorough=False)
OF_SMALL_COURSES = Viewer("instrutor of few", "instrutor", 450, thorough=False)
HALF_WAY = Viewer("half signed in", "learner", 8, second_factor="due")
NEW_HERE = Viewer("new here", "learner", 3)
WITH_TWO_FACTORS = Viewer("with two factors", "learner", 9, second_factor="passed")
NOBODY = Viewer("nobody", "learner", -1)  # has no session
VIEWERS = (ADMIN, GESTOR, INSTRUTOR, LEARNING, OF_ONE_UNIT, OF_SMALL_COURSES)
OTHERS = (HALF_WAY, NEW_HERE, WITH_TWO_FACTORS)


@contextmanager
def company(kept: Path | None) -> Iterator[World]:
    """Its database, in `kept` or in a folder that goes away."""
    with nullcontext(str(kept)) if kept else tempfile.TemporaryDirectory(prefix="trilha-bench-") as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711)  # as root, PostgreSQL's own user has to pass through
        postgres = EmbeddedPostgres(folder)
        postgres.start()
        try:
            size = Size(NAME, SIZES["enrollments"], SIZES["people"], SIZES["people"])
            yield World(size, asyncio.run(_make(folder, postgres.url)), folder, "")
        finally:
            postgres.stop()


async def _make(folder: Path, url: str) -> str:
    """The address of the database, which is made and seeded unless it is there."""
    address = url.replace("/postgres?", f"/{NAME}?")
    keyring = load_keyring(folder / "master.key")
    if not await _has_database(url):
        await create_database(url, NAME)
    await migrate(address, keyring)
    if not await _is_seeded(address):
        await _seed(address, folder)
    await _work(address, keyring)
    await _begin(address)
    await _sign_in(address, keyring)
    return address


async def _has_database(url: str) -> bool:
    owner = await asyncpg.connect(url)
    found: bool = await owner.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", NAME)
    await owner.close()
    return found


async def _is_seeded(url: str) -> bool:
    owner = await asyncpg.connect(url)
    found: bool = await owner.fetchval("SELECT EXISTS (SELECT FROM tenants)")
    await owner.close()
    return found


async def _seed(url: str, folder: Path) -> None:
    file = folder / "people.csv"
    rows = (f"Pessoa {n};p{n}@companhia.example\n" for n in range(10_000))
    file.write_text("nome;e-mail\n" + "".join(rows), "utf-8")
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    for seed in SEEDS:
        await owner.execute(seed.read_text("utf-8").format(tenant=TENANT, file=file, known=PERSON, **SIZES))
    await owner.execute("VACUUM ANALYZE")
    await owner.execute("CHECKPOINT")
    await owner.close()


async def _work(url: str, keyring: Keyring) -> None:
    """What the worker does now and then."""
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    await COUNT_UNITS.run_in(database, TENANT)
    merged = 0
    for job in MERGE_COUNTERS:
        while rows := await job.run_in(database, TENANT):
            merged += rows
    await database.close()
    if merged:  # month by month, each would have gone into the place of one before
        owner = await asyncpg.connect(url)
        await owner.execute("VACUUM (FULL, ANALYZE) course_completions")
        await owner.close()


async def _begin(url: str) -> None:
    """What is under way, and never ends without a worker: a file, and the assigning of a path."""
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    await owner.execute(
        """
        INSERT INTO exports (tenant_id, id, type, wanted, status, progress, user_id, created_at)
        SELECT $1, $2, 'xlsx', '{}', 'RUNNING', 40, $3, now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("export", 60), row_id("user", ADMIN.user)),
    )
    await owner.execute(
        """
        INSERT INTO learning_path_rollouts (tenant_id, id, path_id, kind, people, total, done,
                                            actor_kind, actor, source, created_at)
        SELECT $1, $2, $3, 'PEOPLE', '{}', 1000, 400, 'operator', 'bench', 'bench', now()
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("rollout", 0), row_id("path", 7)),
    )
    await owner.close()


async def _sign_in(url: str, keyring: Keyring) -> None:
    """Sessions of all who look, a link to set a password, the CPF that is searched for, and the secrets that
    providers know."""
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    async with owner.transaction():
        for viewer in (*VIEWERS, *OTHERS):
            fingerprint = keyring.fingerprint(viewer.token)
            await owner.execute("DELETE FROM sessions WHERE fingerprint = $1", fingerprint)
            await owner.execute(
                """
                INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                                      last_seen_at, idle_ends_at, expires_at, created_at)
                VALUES ($1, $2, $3, 0, $4, 'Bench', '127.0.0.1', now(), now() + interval '1 day',
                        now() + interval '1 day', now())
                """,
                *(TENANT, row_id("user", viewer.user), fingerprint, viewer.second_factor),
            )
        second = row_id("user", WITH_TWO_FACTORS.user)
        await owner.execute(
            """
            INSERT INTO authenticators (tenant_id, user_id, secret, confirmed_at, created_at)
            VALUES ($1, $2, $3, now(), now()) ON CONFLICT DO NOTHING
            """,
            *(TENANT, second, b"bench"),
        )
        await owner.execute("DELETE FROM password_resets")
        await owner.execute(
            """
            INSERT INTO password_resets (tenant_id, user_id, purpose, email, fingerprint, expires_at, created_at)
            SELECT tenant_id, id, 'reset', email, $3, now() + interval '1 day', now() FROM users
            WHERE tenant_id = $1 AND id = $2
            """,
            *(TENANT, row_id("user", PERSON), keyring.fingerprint(RESET_TOKEN)),
        )
        digits = "".join(each for each in CPF if each.isdigit())
        await owner.execute(
            "UPDATE users SET cpf_fingerprint = $3 WHERE tenant_id = $1 AND id = $2",
            *(TENANT, row_id("user", PERSON), keyring.mac(b"cpf", TENANT.bytes, digits.encode())),
        )
        for connection_id in [row_id("sso connection", n) for n in range(5)]:
            await owner.execute(
                "UPDATE sso_oidc SET secret = $3 WHERE tenant_id = $1 AND connection_id = $2",
                *(TENANT, connection_id, keyring.seal("bench", TENANT, "sso-oidc", connection_id)),
            )
    await owner.close()


def row_id(kind: str, number: int | str) -> UUID:
    """The id that the seed gives."""
    return UUID(md5(f"{kind} {number}".encode()).hexdigest())
