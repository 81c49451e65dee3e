"""A tenant of the size that the product is made for, with signed-in viewers.

Every row is derived from its number (`company.sql`, `company_learning.sql`). A kept folder is seeded once,
and migrated each time.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from hashlib import md5
from pathlib import Path
from uuid import UUID

import asyncpg

from trilha.access.api_keys import actions as api_keys
from trilha.core.clock import system_clock
from trilha.core.credentials import Scope
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring, load_keyring
from trilha.training.enrollments.jobs import MERGE_COUNTERS
from trilha.training.reports.jobs import COUNT_UNITS

TENANT = UUID(int=1)
SLUG = "bench"
SEEDS = [Path(__file__).with_name(name) for name in ("company.sql", "company_learning.sql")]


@dataclass(frozen=True, kw_only=True)
class Size:
    """The number of rows of each kind in the company."""

    name: str
    people: int
    enrollments: int
    deliveries: int
    units: int
    groups: int
    paths: int
    sessions: int
    courses: int = 2_000

    @property
    def counts(self) -> dict[str, int]:
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "name"}
        return counts | {"events": self.enrollments, "audited": self.enrollments}


LARGE = Size(
    name="large",
    people=100_000,
    enrollments=1_000_000,
    deliveries=300_000,
    units=500,
    groups=500,
    paths=300,
    sessions=50_000,
)
# A hundredth of it, seeded in seconds.
SMALL = Size(
    name="small",
    people=1_000,
    enrollments=10_000,
    deliveries=3_000,
    units=60,
    groups=60,
    paths=30,
    sessions=500,
)
CPF = "529.982.247-25"
PERSON = 795  # a person in a unit of the manager, and in the instructor's course
LEARNER = 7  # is enrolled in every course: the enrollments from number OWN on
OWN = 10_000_000
LINK_TOKEN = "bench-link"  # the tokens of the links to set a password and to confirm an address


@dataclass(frozen=True)
class Viewer:
    """A person who opens pages, with their role. Without `thorough`, no two filters are combined."""

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
# Of one unit, and of ten small courses: the people within their reach are rare among all.
OF_ONE_UNIT = Viewer("gestor of 200", "gestor", 100, thorough=False)
OF_SMALL_COURSES = Viewer("instrutor of few", "instrutor", 450, thorough=False)
HALF_WAY = Viewer("half signed in", "learner", 8, second_factor="due")
NEW_HERE = Viewer("new here", "learner", 3)
WITH_TWO_FACTORS = Viewer("with two factors", "learner", 9, second_factor="passed")
NOBODY = Viewer("nobody", "learner", -1)  # has no session
VIEWERS = (ADMIN, GESTOR, INSTRUTOR, LEARNING, OF_ONE_UNIT, OF_SMALL_COURSES)
OTHERS = (HALF_WAY, NEW_HERE, WITH_TWO_FACTORS)


@dataclass(frozen=True)
class Company:
    """Its data folder, its database as the owner, and an API key with every scope."""

    size: Size
    folder: Path
    url: str
    key: str


@contextmanager
def company(size: Size, kept: Path | None = None) -> Iterator[Company]:
    """Opens the company in the folder `kept`, or in a temporary one, with its database running."""
    with (
        nullcontext(str(kept / size.name))
        if kept
        else tempfile.TemporaryDirectory(prefix="trilha-bench-") as name
    ):
        folder = Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)  # as root, PostgreSQL's own user needs access
        postgres = EmbeddedPostgres(folder)
        postgres.start()
        try:
            key = asyncio.run(_make(folder, postgres.url, size))
            yield Company(size, folder, postgres.url, key)
        finally:
            postgres.stop()


async def _make(folder: Path, url: str, size: Size) -> str:
    """Migrates the schema, seeds the company if it is missing, and returns an API key."""
    keyring = load_keyring(folder / "master.key")
    await migrate(url, keyring)
    if not await _is_seeded(url):
        await _seed(url, folder, size)
    await _work(url, keyring)
    await _begin(url)
    await _insert_viewed_rows(url, keyring)
    return await _make_key(url, keyring)


async def _make_key(url: str, keyring: Keyring) -> str:
    async with _opened(url, keyring) as database, database.transaction(TENANT) as tx:
        return (await api_keys.create(tx, "bench", list(Scope), prefix="trl_live_")).key


@asynccontextmanager
async def _opened(url: str, keyring: Keyring) -> AsyncIterator[Database]:
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


def opened_database(company: Company) -> AbstractAsyncContextManager[Database]:
    """Opens the company's database as the server does."""
    return _opened(company.url, load_keyring(company.folder / "master.key"))


@asynccontextmanager
async def blank_database(company: Company, name: str) -> AsyncIterator[tuple[str, Database]]:
    """Creates another database beside the company's, with an empty tenant. Yields its address, too."""
    owner = await asyncpg.connect(company.url)
    await owner.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    await owner.execute(f'CREATE DATABASE "{name}"')
    url = company.url.replace("/postgres?", f"/{name}?")
    keyring = load_keyring(company.folder / "master.key")
    await migrate(url, keyring)
    tenant = await asyncpg.connect(url)
    await tenant.execute(
        "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, $2, 'Bench', now())", TENANT, SLUG
    )
    await tenant.close()
    try:
        async with _opened(url, keyring) as database:
            yield url, database
    finally:
        await owner.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        await owner.close()


async def _is_seeded(url: str) -> bool:
    owner = await asyncpg.connect(url)
    found: bool = await owner.fetchval("SELECT EXISTS (SELECT FROM tenants)")
    await owner.close()
    return found


async def _seed(url: str, folder: Path, size: Size) -> None:
    file = folder / "people.csv"
    rows = (f"Pessoa {n};p{n}@companhia.example\n" for n in range(10_000))
    file.write_text("nome;e-mail\n" + "".join(rows), "utf-8")
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    for seed in SEEDS:
        await owner.execute(
            seed.read_text("utf-8").format(tenant=TENANT, file=file, known=PERSON, own=OWN, **size.counts)
        )
    await owner.execute("VACUUM ANALYZE")
    await owner.execute("CHECKPOINT")
    await owner.close()


async def _work(url: str, keyring: Keyring) -> None:
    """Performs the worker's occasional jobs."""
    merged = 0
    async with _opened(url, keyring) as database:
        await COUNT_UNITS.run_in(database, TENANT)
        for job in MERGE_COUNTERS:
            while rows := await job.run_in(database, TENANT):
                merged += rows
    if merged:  # inserted month by month, each row would take the place of an earlier one
        owner = await asyncpg.connect(url)
        await owner.execute("VACUUM (FULL, ANALYZE) course_completions")
        await owner.close()


async def _begin(url: str) -> None:
    """Creates work in progress that never ends without a worker: a file, and a rollout of a path."""
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
    await _require(owner)
    await _meet(owner)
    await owner.close()


async def _require(owner: asyncpg.Connection) -> None:
    """Creates a requirement that applies to everybody, as the worker would have written it."""
    requirement = row_id("requirement", 0)
    await owner.execute(
        """
        INSERT INTO custom_fields (tenant_id, key, name, type, choices, position, created_at, updated_at)
        VALUES ($1, 'shift', 'Turno', 'choice', '{Dia,Noite}', 1, now(), now()) ON CONFLICT DO NOTHING
        """,
        TENANT,
    )
    await owner.execute(
        """
        INSERT INTO requirements (tenant_id, id, title, rule, course_id, due_days, window_days, active,
                                  cancel_not_started, created_at, updated_at)
        SELECT $1, $2, 'Obrigatório', '{"all": []}', $3, 30, 60, true, false, now(), now()
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, requirement, row_id("course", 0)),
    )
    await owner.execute(
        """
        INSERT INTO requirement_people (tenant_id, requirement_id, user_id, applies_since, state, due_at,
                                        business_unit_id)
        SELECT tenant_id, $2, id, now(), 'MISSING', now() + interval '90 days',
               COALESCE(business_unit_id, '00000000-0000-0000-0000-000000000000')
        FROM users WHERE tenant_id = $1 AND status = 'ACTIVE' ON CONFLICT DO NOTHING
        """,
        *(TENANT, requirement),
    )
    await owner.execute(
        """
        INSERT INTO requirement_totals (tenant_id, requirement_id, business_unit_id, state, people)
        SELECT tenant_id, requirement_id, business_unit_id, state, count(*) FROM requirement_people
        WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4 ON CONFLICT DO NOTHING
        """,
        TENANT,
    )


async def _meet(owner: asyncpg.Connection) -> None:
    """Creates 40 classes of three sessions, around now, with 30 people each, in the course that most people
    take.
    """
    module, course = row_id("class module", 0), row_id("course", 0)
    await owner.execute(
        """
        INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, duration_minutes, required,
                                 presence_percent, created_at, updated_at)
        VALUES ($1, $2, $3, 9, 'Prática', 'CLASS', 240, false, 100, now(), now()) ON CONFLICT DO NOTHING
        """,
        *(TENANT, module, course),
    )
    await owner.execute(
        """
        INSERT INTO classes (tenant_id, id, course_id, module_id, title, minimum_people, maximum_people,
                             waiting_list, registered, ends_at, created_at, updated_at)
        SELECT $1, md5('class ' || n)::uuid, $3, $2, 'Turma ' || n, 5, 40, true, 30,
               now() + (n - 10) * interval '1 day' + interval '2 weeks 4 hours', now(), now()
        FROM generate_series(0, 39) AS n ON CONFLICT DO NOTHING
        """,
        *(TENANT, module, course),
    )
    await owner.execute(
        """
        INSERT INTO class_sessions (tenant_id, id, class_id, starts_at, ends_at, time_zone, room, room_key,
                                    created_at, updated_at)
        SELECT $1, md5('class session ' || n || '-' || week)::uuid, md5('class ' || n)::uuid,
               now() + (n - 10) * interval '1 day' + week * interval '1 week',
               now() + (n - 10) * interval '1 day' + week * interval '1 week' + interval '4 hours',
               'America/Sao_Paulo', 'Sala ' || n % 7, 'sala ' || n % 7, now(), now()
        FROM generate_series(0, 39) AS n, generate_series(0, 2) AS week ON CONFLICT DO NOTHING
        """,
        TENANT,
    )
    await owner.execute(
        """
        INSERT INTO class_instructors (tenant_id, session_id, user_id, number)
        SELECT tenant_id, id, $2, 0 FROM class_sessions WHERE tenant_id = $1 ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("user", 2)),
    )
    await owner.execute(
        """
        INSERT INTO class_registrations (tenant_id, id, class_id, user_id, enrollment_id, status, created_at,
                                         updated_at)
        SELECT $1, md5('registration ' || n || '-' || place.number)::uuid, md5('class ' || n)::uuid,
               place.user_id, place.id, 'REGISTERED', now(), now()
        FROM generate_series(0, 39) AS n, (
            SELECT id, user_id, row_number() OVER (ORDER BY id) - 1 AS number FROM enrollments
            WHERE tenant_id = $1 AND course_id = $2 LIMIT 30) AS place
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, course),
    )


async def _insert_viewed_rows(url: str, keyring: Keyring) -> None:
    """Inserts what the measured pages show, and signs the viewers in."""
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    async with owner.transaction():
        await _insert_learning(owner, keyring)
        await _insert_class(owner)
        await _insert_content(owner)
        await _insert_panel_rows(owner)
        await _sign_in(owner, keyring)
        await _set_secrets(owner, keyring)
    await owner.close()


async def _insert_learning(owner: asyncpg.Connection, keyring: Keyring) -> None:
    """Inserts what people hand in or ask: certificates from elsewhere, practice, requests and questions."""
    uploaded = row_id("external certificate", 0)
    await owner.execute(
        """
        INSERT INTO external_certificates (tenant_id, id, user_id, course_id, completed_on, issuer,
                                           media_type, content, created_at)
        SELECT $1, $2, $3, $4, '2026-01-02', 'Senai', 'application/pdf', $5, now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, uploaded, row_id("user", LEARNER), row_id("course", 0)),
        keyring.seal("JVBERi0=", TENANT, "external_certificates", uploaded),
    )
    await owner.execute(
        """
        WITH part AS (
            INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, duration_minutes,
                                     content, required, created_at, updated_at)
            SELECT tenant_id, $3, course_id, 99, 'Prática', 'PRACTICE', 60, $6::jsonb, false, now(), now()
            FROM all_enrollments WHERE tenant_id = $1 AND id = $2
            ON CONFLICT DO NOTHING RETURNING id)
        INSERT INTO practice_assessments (tenant_id, id, enrollment_id, user_id, course_id, module_id,
                                          number, assessor_id, items, created_at, updated_at)
        SELECT $1, $4, e.id, e.user_id, e.course_id, part.id, 1, $5, $6::jsonb -> 'items', now(), now()
        FROM all_enrollments e, part WHERE e.tenant_id = $1 AND e.id = $2
        """,
        *(TENANT, row_id("enrollment", PERSON), row_id("module", 999_999)),
        *(row_id("practice assessment", 0), row_id("user", LEARNER)),
        '{"items": [{"id": "0f842339-c167-493d-b992-7df4789e56fd", "title": "Um", "criteria": ""}]}',
    )
    qualification = row_id("qualification", 0)
    await owner.execute(
        """
        INSERT INTO qualifications (tenant_id, id, user_id, title, title_key, issuing_body,
                                    register_number, valid_from, media_type, content, created_at,
                                    updated_at)
        SELECT $1, $2, $3, 'Instrutor de NR-35', 'instrutor de nr-35', 'CREA-SP', '5069', '2026-01-02',
               'application/pdf', $4, now(), now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, qualification, row_id("user", LEARNER)),
        keyring.seal("JVBERi0=", TENANT, "qualifications", qualification),
    )
    await owner.execute(
        """
        INSERT INTO enrollment_requests (tenant_id, id, user_id, course_id, status, created_at,
                                         updated_at)
        SELECT $1, $2, $3, $4, 'WAITING', now(), now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("enrollment request", 0), row_id("user", LEARNER), row_id("course", 1)),
    )
    await owner.execute(
        """
        WITH asked AS (
            INSERT INTO learner_questions (tenant_id, id, enrollment_id, user_id, course_id,
                                           waiting_since, changed_at, created_at)
            SELECT $1, $2, id, user_id, course_id, now(), now(), now() FROM all_enrollments
            WHERE tenant_id = $1 AND id = $3
            ON CONFLICT DO NOTHING RETURNING user_id)
        INSERT INTO learner_question_messages (tenant_id, question_id, number, user_id, is_answer, text,
                                               created_at)
        SELECT $1, $2, 1, user_id, false, 'Por quê?', now() FROM asked
        """,
        *(TENANT, row_id("learner question", 0), row_id("enrollment", PERSON)),
    )


async def _insert_class(owner: asyncpg.Connection) -> None:
    """Inserts the scan of a list, and people in a session that is held now, so that they sign in it."""
    await owner.execute(
        """
        INSERT INTO attendance_scans (tenant_id, id, session_id, name, media_type, bytes, digest,
                                      uploaded_by, created_at)
        SELECT $1, $2, $3, 'lista.pdf', 'application/pdf', 4, repeat('0', 64), $4, now()
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("attendance scan", 0), row_id("class session", "0-1"), row_id("user", PERSON)),
    )
    # A session that is held now, so that people sign in it.
    await owner.execute(
        """
        UPDATE class_sessions
        SET starts_at = now() - interval '1 hour', ends_at = now() + interval '6 days'
        WHERE tenant_id = $1 AND id = $2
        """,
        *(TENANT, row_id("class session", "0-1")),
    )
    await owner.execute(
        """
        INSERT INTO class_registrations (tenant_id, class_id, user_id, enrollment_id, status, created_at,
                                         updated_at)
        SELECT $1, $2, id, $3, 'REGISTERED', now(), now() FROM unnest($4::uuid[]) AS id
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("class", 0), row_id("enrollment", PERSON)),
        [row_id("user", PERSON), row_id("user", LEARNER)],
    )


async def _insert_content(owner: asyncpg.Connection) -> None:
    """Inserts a question of the bank, translations and versions of lessons."""
    await owner.execute(
        """
        INSERT INTO bank_questions (tenant_id, id, kind, text, weight, answer_key, author_id, measured_at,
                                    created_at, updated_at)
        SELECT $1, $2, 'true_false', 'Pare no vermelho.', 1, '{"right": true}', $3, now(), now(), now()
        ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("bank question", 0), row_id("user", VIEWERS[0].user)),
    )
    await owner.execute(
        """
        INSERT INTO course_translations (tenant_id, course_id, language, title, created_at, updated_at)
        SELECT $1, id, 'en', 'Traffic lights', now(), now() FROM unnest($2::uuid[]) AS ids (id)
        ON CONFLICT DO NOTHING
        """,
        TENANT,
        [row_id("course", 0), row_id("course", 5)],
    )
    await owner.execute(
        """
        INSERT INTO lesson_versions (tenant_id, module_id, language, number, body, author_id, created_at)
        SELECT tenant_id, id, language, 1, 'Pare no vermelho.', $3, now()
        FROM all_modules CROSS JOIN (VALUES (''), ('en')) AS languages (language)
        WHERE tenant_id = $1 AND id = ANY($2) AND type = 'ARTICLE' ON CONFLICT DO NOTHING
        """,
        TENANT,
        [row_id("module", course * 8 + n) for course in (0, 5) for n in range(1, 6)],
        row_id("user", VIEWERS[0].user),
    )


async def _insert_panel_rows(owner: asyncpg.Connection) -> None:
    """Inserts what administrators keep in the panel."""
    await owner.execute(
        """
        INSERT INTO bulk_actions (tenant_id, id, action, options, address, user_id, actor_kind, actor,
                                  source, state, rows, done, created_at, finished_at)
        SELECT $1, $2, 'people/suspend', '{}', '/admin/people', $3, 'user', 'Ana', '127.0.0.1',
               'DONE', 0, 0, now(), now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("bulk action", 0), row_id("user", VIEWERS[0].user)),
    )
    await owner.execute(
        """
        INSERT INTO meeting_services (tenant_id, kind, credentials, organizer, created_at, updated_at)
        SELECT $1, 'zoom', '', 'cursos@example.com', now(), now() ON CONFLICT DO NOTHING
        """,
        TENANT,
    )
    await owner.execute(
        """
        INSERT INTO xapi_pipes (tenant_id, id, name, url, username, password, version, verbs, active,
                                position, next_attempt_at, created_at, updated_at)
        SELECT $1, $2, 'LRS', 'https://lrs.example.com/xapi', 'trilha', '', '2.0.0', '{}', false, 0,
               now(), now(), now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("xapi pipe", 0)),
    )
    await owner.execute(
        """
        INSERT INTO saved_views (tenant_id, id, user_id, list, name, query, created_at)
        SELECT $1, $2, $3, '/admin/people', 'Ativas', 'status=active', now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("saved view", 0), row_id("user", VIEWERS[0].user)),
    )
    await owner.execute(
        """
        INSERT INTO question_imports (tenant_id, id, user_id, file_name, content, created_at)
        SELECT $1, $2, $3, 'a.gift', convert_to('Pare {T}', 'UTF8'), now() ON CONFLICT DO NOTHING
        """,
        *(TENANT, row_id("question import", 0), row_id("user", VIEWERS[0].user)),
    )


async def _sign_in(owner: asyncpg.Connection, keyring: Keyring) -> None:
    """Creates the sessions and passkeys of viewers, and links to set a password and an e-mail address."""
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
    for viewer in VIEWERS:
        await owner.execute(
            """
            INSERT INTO passkeys (tenant_id, id, user_id, name, credential_id, public_key, sign_count,
                                  may_sync, is_synced, created_at)
            VALUES ($1, $2, $3, 'Celular', decode(md5(CAST($2 AS uuid)::text), 'hex'), '\\x01', 0,
                    true, true, now())
            ON CONFLICT DO NOTHING
            """,
            *(TENANT, row_id("passkey", viewer.user), row_id("user", viewer.user)),
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
        INSERT INTO password_resets (tenant_id, user_id, purpose, email, fingerprint, expires_at,
                                     created_at)
        SELECT tenant_id, id, 'reset', email, $3, now() + interval '1 day', now() FROM users
        WHERE tenant_id = $1 AND id = $2
        """,
        *(TENANT, row_id("user", PERSON), keyring.fingerprint(LINK_TOKEN)),
    )
    await owner.execute(
        """
        INSERT INTO email_changes (tenant_id, user_id, old_email, new_email, fingerprint, expires_at,
                                   created_at)
        SELECT tenant_id, id, email, 'new.' || email, $3, now() + interval '1 day', now() FROM users
        WHERE tenant_id = $1 AND id = $2
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET expires_at = excluded.expires_at
        """,
        *(TENANT, row_id("user", ADMIN.user), keyring.fingerprint(LINK_TOKEN)),
    )


async def _set_secrets(owner: asyncpg.Connection, keyring: Keyring) -> None:
    """Sets the searched CPF and the secrets of providers."""
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


def row_id(kind: str, number: int | str) -> UUID:
    """Returns the id that the seed uses."""
    return UUID(md5(f"{kind} {number}".encode()).hexdigest())
