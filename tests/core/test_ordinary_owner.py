"""A database whose owner is no superuser, as hosted PostgreSQL gives it."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from conftest import Clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring
from trilha.core.web.parsing import convert
from trilha.tenants.operator import operator
from trilha.tenants.schema import NewTenant
from trilha.users import actions as users
from trilha.users import queries
from trilha.users.schema import NewUser

# What creating a role gives its creator, and what docs/howto/run-in-production.md has granted.
GRANTS = ("WITH ADMIN TRUE, INHERIT FALSE, SET FALSE", "WITH INHERIT FALSE, SET TRUE")


@pytest.fixture(params=GRANTS)
async def owned(request: pytest.FixtureRequest, database_url: str, database: Database) -> AsyncIterator[str]:
    """The URL of an empty database, as its owner."""
    name = f"owner_{uuid4().hex}"
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    await connection.execute(f"GRANT trilha_app, trilha_door, trilha_unscoped TO {name} {request.param}")
    await connection.execute(f"CREATE DATABASE {name} OWNER {name}")
    url = urlsplit(database_url)
    where = url.netloc.rpartition("@")[2]
    yield url._replace(netloc=f"{name}:{name}@{where}", path=f"/{name}").geturl()
    await connection.execute(f"DROP DATABASE {name}")
    await connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")
    await connection.close()


async def test_migrates_and_serves(owned: str, keyring: Keyring, clock: Clock) -> None:
    await migrate(owned, keyring)
    async with operator(owned, clock) as each:
        tenant = await each.create(convert(NewTenant, {"slug": "acme", "name": "Acme"}, clock.now.date()))
    database = Database(serving_urls(owned, keyring), clock, keyring, size=1)
    await database.open()
    async with database.transaction(tenant.id) as tx:
        new = convert(NewUser, {"email": "a@example.com", "name": "A", "password": "correct horse"}, tx.today)
        user, _ = await users.create(tx, new)
    async with database.transaction(tenant.id) as tx:
        assert await queries.get(tx, user.id) == user
    await database.close()
