"""A database whose owner is not a superuser, as in hosted PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from conftest import Clock
from contract.test_logins import refuses_all
from trilha.core.database import Database
from trilha.core.database.logins import LoginError, ServingUrls, serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.passwords import HashedPassword
from trilha.core.secrets import Keyring
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users import queries
from trilha.people.users.schema import NewUser
from trilha.platform.tenants.operator import operator
from trilha.platform.tenants.schema import NewTenant

ROLES = "trilha_app, trilha_door, trilha_unscoped"
# The privileges that creating a role gives its creator, and the grants of docs/howto/run-in-production.md.
OWNERS = {
    "may make users": ("CREATEROLE", "WITH ADMIN TRUE, INHERIT FALSE, SET FALSE"),
    "may not": ("NOCREATEROLE", "WITH INHERIT FALSE, SET TRUE"),
}


def as_user(url: str, name: str, database: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{name}:{name}@{place}", path=f"/{database}").geturl()


@asynccontextmanager
async def owned_by(server: str, attribute: str, membership: str) -> AsyncIterator[str]:
    """Creates an empty database, and returns the URL of its owner."""
    name = f"owner_{uuid4().hex}"
    connection = await asyncpg.connect(server)
    await connection.execute(f"CREATE ROLE {name} LOGIN {attribute} PASSWORD '{name}'")
    await connection.execute(f"GRANT {ROLES} TO {name} {membership}")
    await connection.execute(f"CREATE DATABASE {name} OWNER {name}")
    yield as_user(server, name, name)
    await connection.execute(f"DROP DATABASE {name}")
    await connection.execute(f"DROP OWNED BY {name}")
    for made in await connection.fetch("SELECT rolname FROM pg_roles WHERE rolname LIKE '%' || $1", name):
        await connection.execute(f"DROP ROLE {made['rolname']}")
    await connection.close()


@pytest.fixture(params=OWNERS)
async def owned(request: pytest.FixtureRequest, admin_url: str, database: Database) -> AsyncIterator[str]:
    async with owned_by(admin_url, *OWNERS[request.param]) as url:
        yield url


@pytest.fixture
async def owned_by_maker(admin_url: str, database: Database) -> AsyncIterator[str]:
    async with owned_by(admin_url, *OWNERS["may make users"]) as url:
        yield url


@pytest.fixture
async def owned_by_no_maker(admin_url: str, database: Database) -> AsyncIterator[str]:
    async with owned_by(admin_url, *OWNERS["may not"]) as url:
        yield url


async def serves(owner_url: str, urls: ServingUrls, keyring: Keyring, clock: Clock) -> None:
    async with operator(owner_url, clock) as each:
        tenant = await each.create(convert(NewTenant, {"slug": "acme", "name": "Acme"}, clock.now.date()))
    database = Database(urls, clock, keyring, size=1)
    await database.open()
    try:
        async with database.transaction(tenant.id) as tx:
            raw = {"email": "a@example.com", "name": "A", "password": "correct horse"}
            new = convert(NewUser, raw, tx.today)
            user = await users.create(tx, new, HashedPassword("$argon2id$"))
        async with database.transaction(tenant.id) as tx:
            assert await queries.get(tx, user.id) == user
        async with database.unscoped() as unscoped:
            assert await unscoped.value("SELECT slug FROM tenants") == "acme"
    finally:
        await database.close()


async def test_an_owner_that_may_make_users_needs_to_set_nothing(
    owned_by_maker: str, keyring: Keyring, clock: Clock
) -> None:
    await migrate(owned_by_maker, keyring)
    urls = serving_urls(owned_by_maker, keyring)
    await serves(owned_by_maker, urls, keyring, clock)
    for url in (urls.app, urls.unscoped):
        connection = await asyncpg.connect(url)
        await refuses_all(connection)
        await connection.close()


@asynccontextmanager
async def users_of_the_operator(server: str, owner_url: str, *more: str) -> AsyncIterator[ServingUrls]:
    database = urlsplit(owner_url).path[1:]
    names = {role: f"{role}_of_{database}" for role in ("trilha_app", "trilha_unscoped")}
    connection: Any = await asyncpg.connect(server)
    for role, name in names.items():
        await connection.execute(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{name}'")
        await connection.execute(f'GRANT {role} TO "{name}" WITH INHERIT TRUE, SET FALSE')
        for each in more:
            await connection.execute(each.format(name))
    yield ServingUrls(*(as_user(server, name, database) for name in names.values()))
    for name in names.values():
        await connection.execute(f'DROP OWNED BY "{name}"; DROP ROLE "{name}"')
    await connection.close()


async def test_an_owner_that_may_not_is_told_what_to_set(
    owned_by_no_maker: str, admin_url: str, keyring: Keyring, clock: Clock
) -> None:
    with pytest.raises(LoginError, match="set TRILHA_DATABASE_APP_URL and TRILHA_DATABASE_UNSCOPED_URL"):
        await migrate(owned_by_no_maker, keyring)
    assert await migrate(owned_by_no_maker) == []
    async with users_of_the_operator(admin_url, owned_by_no_maker) as urls:
        await serves(owned_by_no_maker, urls, keyring, clock)
        for url in (urls.app, urls.unscoped):
            connection = await asyncpg.connect(url)
            await refuses_all(connection, large_objects=False)
            await connection.close()


@pytest.mark.parametrize(
    "more",
    [
        'ALTER ROLE "{}" SUPERUSER',
        'ALTER ROLE "{}" BYPASSRLS',
        'ALTER ROLE "{}" CREATEROLE',
        'ALTER ROLE "{}" CREATEDB',
        'GRANT pg_execute_server_program TO "{}"',
        'GRANT trilha_app, trilha_unscoped TO "{}"',
        'GRANT pg_read_all_data TO "{}" WITH INHERIT FALSE, SET TRUE',
    ],
)
async def test_nothing_is_served_as_a_user_that_may_do_more(
    owned_by_no_maker: str, admin_url: str, keyring: Keyring, clock: Clock, more: str
) -> None:
    await migrate(owned_by_no_maker)
    async with users_of_the_operator(admin_url, owned_by_no_maker, more) as urls:
        database = Database(urls, clock, keyring, size=1)
        with pytest.raises(LoginError, match="may do more than trilha_app"):
            await database.open()
        await database.close()


async def test_nothing_is_served_as_the_owner(owned: str, keyring: Keyring, clock: Clock) -> None:
    await migrate(owned)
    database = Database(ServingUrls(owned, owned), clock, keyring, size=1)
    with pytest.raises(LoginError, match="may do more than trilha_app"):
        await database.open()
    await database.close()
