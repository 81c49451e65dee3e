"""The suite's database on a server that is not its own.

- `TRILHA_TEST_DATABASE_URL` is the owner's URL. It may lead through a pooler.
- `TRILHA_TEST_ADMIN_URL` is a superuser's, directly on the same server. With it, each run creates a database
  for that owner and drops it at the end. Without it, the run uses the database that the owner's URL names,
  and leaves it as it is.

Tests that need a superuser take the fixture `admin_url`, and are skipped if nobody is one.
"""

import asyncio
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import asyncpg

_ROLES = "trilha_app, trilha_unscoped, trilha_door"


def with_database(url: str, name: str) -> str:
    """Returns the URL of another database of the same server."""
    return urlsplit(url)._replace(path=f"/{quote(name, safe='')}").geturl()


def database_of(url: str) -> str:
    return unquote(urlsplit(url).path[1:])


def user_of(url: str) -> str:
    return unquote(urlsplit(url).username or "postgres")


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def create(owner_url: str, admin_url: str) -> str:
    """Creates a database for this owner, and returns the owner's URL of it."""
    name = f"suite_{uuid4().hex[:12]}"
    asyncio.run(_create(name, quote_name(user_of(owner_url)), admin_url))
    return with_database(owner_url, name)


async def _create(name: str, owner: str, admin_url: str) -> None:
    admin = await asyncpg.connect(admin_url)
    try:
        await admin.execute(f"CREATE DATABASE {name} OWNER {owner}")
        is_superuser = await admin.fetchval("SELECT rolsuper FROM pg_roles WHERE oid = to_regrole($1)", owner)
        if not is_superuser and await admin.fetchval("SELECT to_regrole('trilha_app')"):
            # Somebody else may have created them, and then only they can grant them.
            await admin.execute(f"GRANT {_ROLES} TO {owner} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE")
    finally:
        await admin.close()


def drop(owner_url: str, admin_url: str) -> None:
    """Drops a database that `create` made, with the logins of its serving processes."""
    asyncio.run(_drop(database_of(owner_url), admin_url))


async def _drop(name: str, admin_url: str) -> None:
    admin = await asyncpg.connect(admin_url)
    try:
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        for row in await admin.fetch("SELECT rolname FROM pg_roles WHERE rolname LIKE '%' || $1", f"_{name}"):
            await admin.execute(f"DROP ROLE {quote_name(row['rolname'])}")
    finally:
        await admin.close()


async def is_superuser(url: str) -> bool:
    connection = await asyncpg.connect(url)
    try:
        answer: bool = await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        return answer
    finally:
        await connection.close()
