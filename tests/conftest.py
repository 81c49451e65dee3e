"""The environment of a test: a new tenant with real commits on a real PostgreSQL.

The application runs in the test's own process and answers through ASGI; only the clock is replaced. Tests
share one server but never a tenant, so they can run in parallel.
"""

import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpcore2
import httpx2
import pytest
from argon2 import PasswordHasher

import ambient  # first, because it removes the machine's settings
import running
import suite_database
from browser.fixtures import axe, gallery, launched  # noqa: F401 - fixtures of every folder
from posting import Post, posting
from scheduling import pytest_collection_modifyitems, pytest_xdist_auto_num_workers  # noqa: F401 - hooks
from trilha import app as trilha_app
from trilha.access.api_keys import actions as api_keys
from trilha.core import logs, passwords
from trilha.core.credentials import SYSTEM, Scope
from trilha.core.database import Connection, Database, Tx
from trilha.core.database.codecs import set_codecs
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.net import parse_networks
from trilha.core.secrets import Keyring
from trilha.core.web import call
from trilha.core.web.parsing import convert
from trilha.core.web.rate_limits import Limit
from trilha.people.users import actions as users
from trilha.people.users import queries as user_queries
from trilha.people.users.schema import Role
from trilha.platform.tenants.operator import Operator, operator
from trilha.platform.tenants.schema import NewTenant, Tenant
from trilha.settings import Settings
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import NewCourse

# These modules import this one, so they cannot be imported here.
pytest_plugins = [
    "browser.flows",
    "access.scim.fixtures",
    "access.sso.fixtures",
    "access.sso.saml.fixtures",
    "webhook_loops",
]
# Fixtures of third parties, beside the repository. Tests that need them are skipped if they are absent.
FIXTURES = next(
    (found for each in Path(__file__).parents if (found := each / "shared" / "fixtures").is_dir()),
    Path("shared/fixtures"),
)
NewOperator = Callable[[], AbstractAsyncContextManager[Operator]]
NO_LIMIT = Limit(10**9, 900)
# Creating a client reads the machine's certificate authorities, which takes 30 ms. The tests use their own.
httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
# Otherwise every request would search Python's whole path for a library that is not installed.
httpx2._transports.asgi.is_running_trio = lambda: False
CPF, CNH, PHONE = "529.982.247-25", "98765432109", "+55 11 98765-4321"


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


class World:
    """One tenant, a key with every scope, and a client that uses it."""

    def __init__(self, tenant: Tenant, database: Database, clock: Clock, app: Any, url: str) -> None:
        self.tenant = tenant
        self.database = database
        self.clock = clock
        self.app = app
        self.url = url
        self.http = self.client()

    def client(
        self, key: str | None = None, app: Any = None, address: str = "127.0.0.1", scheme: str = "http"
    ) -> httpx2.AsyncClient:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        transport = httpx2.ASGITransport(app=app or self.app, client=(address, 5000))
        return httpx2.AsyncClient(transport=transport, base_url=f"{scheme}://trilha.test", headers=headers)

    def tx(self) -> AbstractAsyncContextManager[Tx]:
        return self.database.transaction(self.tenant.id)

    async def key(self, *scopes: str, **options: Any) -> str:
        async with self.tx() as tx:
            issued = await api_keys.create(tx, "Test", list(scopes or Scope), prefix="trl_live_", **options)
        return issued.key

    async def user(self, **members: Any) -> dict[str, Any]:
        """Creates a user through the API."""
        body = {"email": f"{uuid4().hex}@example.com", "name": "Ana Lima", "password": "correct horse"}
        answer = await self.http.post("/v1/users", json=body | members)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def promote(self, user_id: object, role: Role) -> None:
        """Gives the user a role, as an administrator who has confirmed the user's address."""
        async with self.tx() as tx:
            await user_queries.confirm_address(tx, UUID(str(user_id)))
            await users.change_role(tx, UUID(str(user_id)), role)

    async def course(self, *, publish: bool = True, **members: Any) -> UUID:
        raw = {
            "title": "Segurança",
            "slug": f"c-{uuid4().hex}",
            "modules": [{"title": "Um", "duration_minutes": 10}],
        }
        async with self.tx() as tx:
            course = await courses.create(tx, convert(NewCourse, raw | members, tx.today))
            if publish:
                course = await courses.publish(tx, course.id)
        return course.id

    async def enrollment(self, **members: Any) -> dict[str, Any]:
        user = members.pop("user_id", None) or (await self.user())["id"]
        course = members.pop("course_id", None) or await self.course()
        body = {"user_id": str(user), "course_id": str(course)} | members
        answer = await self.http.post("/v1/enrollments", json=body)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def events(self, type: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        async with self.tx() as tx:
            rows = await tx.rows(
                "SELECT type, data FROM events WHERE tenant_id = :tenant ORDER BY sequence, id"
            )
        return [(row["type"], row["data"]) for row in rows if type in (None, row["type"])]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Imported modules and collected tests live until the end, so the garbage collector ignores them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    ambient.hand_on(node.workerinput)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Creates the run's database on another server, in the process that starts the others."""
    config = session.config
    owner_url = ambient.variable(config, "DATABASE_URL")
    admin_url = ambient.variable(config, "ADMIN_URL")
    if owner_url and admin_url and not hasattr(config, "workerinput") and not config.option.collectonly:
        ambient.replace("DATABASE_URL", suite_database.create(owner_url, admin_url))


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    owner_url = ambient.variable(config, "DATABASE_URL")
    admin_url = ambient.variable(config, "ADMIN_URL")
    if owner_url and admin_url and not hasattr(config, "workerinput") and not config.option.collectonly:
        suite_database.drop(owner_url, admin_url)


@pytest.fixture(scope="session")
def other_server(pytestconfig: pytest.Config) -> str | None:
    """Returns the address of a server that is not the suite's own, or None."""
    return ambient.variable(pytestconfig, "DATABASE_URL")


@pytest.fixture(scope="session", autouse=True)
def shared_folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns one folder for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    running.shared = base.parent if hasattr(pytestconfig, "workerinput") else base
    return running.shared


@pytest.fixture(scope="session")
def database_url(shared_folder: Path, other_server: str | None) -> Iterator[str]:
    """Starts one server for all parallel processes, unless `TRILHA_TEST_DATABASE_URL` names another one."""
    if other_server:
        yield other_server
        return
    folder = shared_folder / "server"
    folder.mkdir(exist_ok=True)
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    yield postgres.url
    postgres.stop()


@pytest.fixture(scope="session")
async def admin_url(database_url: str, other_server: str | None, pytestconfig: pytest.Config) -> str:
    """Returns the URL of a superuser in the suite's database, which leads through no pooler."""
    if direct_url := ambient.variable(pytestconfig, "ADMIN_URL"):
        return suite_database.with_database(direct_url, suite_database.database_of(database_url))
    if other_server and not await suite_database.is_superuser(other_server):
        pytest.skip("needs a superuser: set TRILHA_TEST_ADMIN_URL")
    return database_url


@pytest.fixture(scope="session", autouse=True)
def _passable_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """If the tests run as root, PostgreSQL's own user needs access to these folders. Trilha itself does not
    open them.
    """
    base = tmp_path_factory.getbasetemp()
    for each in (base, *base.parents):
        if each.stat().st_uid == os.geteuid() and each.stat().st_mode & 0o777 == 0o700:
            each.chmod(0o711)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    tmp_path.chmod(0o711)
    return tmp_path


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Most tests create a user, and none needs a slow password hash."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "PASSWORDS", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_queues() -> Iterator[None]:
    """A machine that is busy with other tests must not make the server refuse requests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "WAIT_SECONDS", 60.0)
        patch.setattr(call, "URGENT_WAIT_SECONDS", 60.0)
        yield


@pytest.fixture(scope="session")
def keyring() -> Keyring:
    return Keyring([b"k" * 32])


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    # Receivers of webhooks listen on loopback.
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        limit_v1=NO_LIMIT,
        limit_token=NO_LIMIT,
        limit_login=NO_LIMIT,
        limit_verify=NO_LIMIT,
        net_allow=parse_networks("127.0.0.0/8"),
        requests=10**6,
        requests_per_address=10**4,
    )


@pytest.fixture(scope="session")
def session_clock() -> Clock:
    return Clock()


@pytest.fixture
def clock(session_clock: Clock) -> Clock:
    session_clock.now = Clock().now
    return session_clock


@pytest.fixture(scope="session")
async def database(
    database_url: str, other_server: str | None, keyring: Keyring, session_clock: Clock
) -> AsyncIterator[Database]:
    await migrate(database_url, keyring)
    if not other_server:
        connection = await asyncpg.connect(database_url)
        # the server is deleted after the run
        for each in ("fsync", "full_page_writes", "synchronous_commit"):
            await connection.execute(f"ALTER SYSTEM SET {each} = off")
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()
    urls, name = serving_urls(database_url, keyring), f"suite {os.getpid()}"
    database = Database(urls, session_clock, keyring, size=20, application=name)
    await database.open()
    yield database
    await database.close()


@pytest.fixture(scope="session")
def app(settings: Settings, database: Database, session_clock: Clock) -> Any:
    logs.configure("json")
    return trilha_app.create_app(settings, database, session_clock)


@pytest.fixture(scope="session")
async def owner(database_url: str, database: Database, session_clock: Clock) -> AsyncIterator[NewOperator]:
    """Creates the tenants of all tests on one connection: each test has its own tenant, and most tests are
    short. Each call is a transaction.
    """
    connection = await asyncpg.connect(database_url, server_settings={"timezone": "UTC"})
    await set_codecs(connection)

    @asynccontextmanager
    async def begin() -> AsyncIterator[Operator]:
        async with connection.transaction():
            yield Operator(Connection(connection, session_clock), SYSTEM)

    yield begin
    await connection.close()


async def new_world(url: str, database: Database, clock: Clock, app: Any) -> World:
    """In a database that need not be the suite's own."""
    async with operator(url, clock) as each:
        tenant = await new_tenant(each, clock)
    return await world_of(tenant, url, database, clock, app)


async def new_tenant(owner: Operator, clock: Clock) -> Tenant:
    new = {"slug": f"t-{uuid4().hex}", "name": "Test"}
    return await owner.create(convert(NewTenant, new, clock.now.date()))


async def world_of(tenant: Tenant, url: str, database: Database, clock: Clock, app: Any) -> World:
    world = World(tenant, database, clock, app, url)
    world.http = world.client(await world.key())
    return world


@pytest.fixture
async def world(
    owner: NewOperator, database_url: str, database: Database, clock: Clock, app: Any
) -> AsyncIterator[World]:
    async with owner() as each:
        tenant = await new_tenant(each, clock)
    world = await world_of(tenant, database_url, database, clock, app)
    yield world
    await world.http.aclose()


@pytest.fixture
async def stranger(
    owner: NewOperator, database_url: str, database: Database, clock: Clock, app: Any
) -> AsyncIterator[World]:
    """Another tenant."""
    async with owner() as each:
        tenant = await new_tenant(each, clock)
    world = await world_of(tenant, database_url, database, clock, app)
    yield world
    await world.http.aclose()
    """Runs the worker's webhook jobs when a test calls it."""


@pytest.fixture
async def post(world: World, settings: Settings) -> AsyncIterator[Post]:
    """What the worker does with events, when it is told to."""
    async with posting(world, settings) as post:
        yield post


@pytest.fixture
def trilha_command() -> str:
    return str(Path(sys.executable).with_name("trilha"))
