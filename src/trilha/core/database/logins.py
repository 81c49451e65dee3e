"""The database users that serving processes log in as. Each has the rights of one role and cannot become
another.

The owner's session never serves requests: whoever injects SQL into a session can take every role that its
user may take.
"""

import base64
import getpass
import hashlib
import hmac
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import asyncpg

from trilha.core.database.session_settings import (
    APP_SETTINGS,
    UNSCOPED_SETTINGS,
    quote_name,
    write_settings,
)
from trilha.core.secrets import Keyring

APP_ROLE = "trilha_app"
UNSCOPED_ROLE = "trilha_unscoped"
SESSION_SETTINGS = {APP_ROLE: APP_SETTINGS, UNSCOPED_ROLE: UNSCOPED_SETTINGS}
# PostgreSQL's default. The passwords are random, so more iterations would only slow down connecting.
_SCRAM_ITERATIONS = 4096
# the longest name that PostgreSQL does not truncate, in bytes
_MAX_NAME_BYTES = 63


class LoginError(RuntimeError):
    """A login cannot be created or must not be used. The message is for the operator."""


@dataclass(frozen=True)
class ServingUrls:
    """The connections for tenants' statements and for those without a tenant."""

    app: str
    unscoped: str


def serving_urls(owner_url: str, keyring: Keyring) -> ServingUrls:
    """Returns the URLs of the logins that `prepare` creates in the owner's database."""
    return ServingUrls(
        *(_as_login(owner_url, role, _newest_password(keyring, role)) for role in (APP_ROLE, UNSCOPED_ROLE))
    )


def login_name(role: str, database: str) -> str:
    """Returns a login's name. Roles belong to the whole server, so the name includes that of the database."""
    name = f"{role}_{database}"
    if len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    return f"{role}_{hashlib.sha256(database.encode()).hexdigest()[:32]}"


async def prepare(owner: Any, keyring: Keyring) -> None:
    """Creates both logins, or undoes changes to them. Raises LoginError.

    Their passwords derive from a master key. Another master key does not change them, because running
    processes would be locked out: `change_passwords` does.
    """
    database = await owner.fetchval("SELECT current_database()")
    try:
        async with owner.transaction():
            for role in (APP_ROLE, UNSCOPED_ROLE):
                verifier = await _verifier(owner, role, keyring)
                if not await _is_prepared(owner, role, database, verifier):
                    await _prepare(owner, role, database, verifier)
    except asyncpg.InsufficientPrivilegeError as error:
        users = " and ".join(login_name(role, database) for role in (APP_ROLE, UNSCOPED_ROLE))
        raise LoginError(
            f"The database's owner may not make the users {users} ({error.args[0]}): let it, or make two "
            "users yourself and set TRILHA_DATABASE_APP_URL and TRILHA_DATABASE_UNSCOPED_URL, as "
            "docs/howto/run-in-production.md shows."
        ) from None


async def change_passwords(owner: Any, keyring: Keyring) -> None:
    """Gives both logins passwords that derive from the newest master key. Raises LoginError.

    Processes that know this key log in with either password, so that none has to be restarted.
    """
    async with owner.transaction():
        await owner.execute("DELETE FROM database_logins")
        await prepare(owner, keyring)


def find_passwords(url: str, role: str, keyring: Keyring) -> list[str | None]:
    """Returns the passwords with which a login may be tried: those of the master keys if the URL has one of
    them, else None, for that of the URL.
    """
    passwords = list(keyring.database_passwords(role).values())
    return [*passwords] if urlsplit(url).password in passwords else [None]


def _newest_password(keyring: Keyring, role: str) -> str:
    return next(iter(keyring.database_passwords(role).values()))


async def _verifier(owner: Any, role: str, keyring: Keyring) -> str:
    kept: str | None = await owner.fetchval("SELECT verifier FROM database_logins WHERE role = $1", role)
    if kept is None:
        kept = _scram_verifier(_newest_password(keyring, role))
        await owner.execute("INSERT INTO database_logins (role, verifier) VALUES ($1, $2)", role, kept)
    return kept


async def _is_prepared(owner: Any, role: str, database: str, verifier: str) -> bool:
    """Returns whether the login is as `_prepare` leaves it, because rewriting it makes every session
    reload its roles. Only a superuser, who can read the passwords, can tell.
    """
    if not await owner.fetchval("SELECT has_table_privilege('pg_authid', 'SELECT')"):
        return False
    done: bool | None = await owner.fetchval(
        """
        SELECT a.rolcanlogin AND a.rolpassword = $3 AND has_database_privilege(a.oid, d.oid, 'CONNECT')
               AND ARRAY(SELECT (s.setdatabase, s.setconfig)::text FROM pg_db_role_setting s
                         WHERE s.setrole = a.oid AND s.setdatabase IN (0, d.oid))
                   = ARRAY[(d.oid, format('search_path=%I', current_schema()) || $4::text[])::text]
               AND (SELECT bool_and(m.inherit_option AND NOT m.admin_option AND NOT m.set_option)
                    FROM pg_auth_members m
                    WHERE m.member = a.oid AND m.roleid = (SELECT oid FROM pg_authid WHERE rolname = $2))
        FROM pg_authid a, pg_database d
        WHERE a.rolname = $1 AND d.datname = current_database()
        """,
        *(login_name(role, database), role, verifier),
        [f"{name}={value}" for name, value in SESSION_SETTINGS[role].items()],
    )
    return bool(done)


async def _prepare(owner: Any, role: str, database: str, verifier: str) -> None:
    schema = await owner.fetchval("SELECT current_schema()")
    login = login_name(role, database)
    name, place = quote_name(login), quote_name(database)
    if not await owner.fetchval("SELECT to_regrole($1)", name):
        await owner.execute(
            f"CREATE ROLE {name} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS INHERIT"
        )
    # A user may always change its own password and settings. Undo such changes.
    await owner.execute(
        f"""
        ALTER ROLE {name} LOGIN PASSWORD '{verifier}';
        ALTER ROLE {name} RESET ALL;
        ALTER ROLE {name} IN DATABASE {place} RESET ALL;
        ALTER ROLE {name} IN DATABASE {place} SET search_path = {quote_name(schema)};
        {";".join(write_settings(login, database, SESSION_SETTINGS[role]))};
        GRANT CONNECT ON DATABASE {place} TO {name};
        GRANT {role} TO {name} WITH ADMIN FALSE, INHERIT TRUE, SET FALSE
        """
    )


async def check(connection: Any, role: str) -> None:
    """Raises LoginError unless the session's user has this role and nothing else."""
    user, more, enough = await connection.fetchrow(
        """
        SELECT r.rolname,
               r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
                   OR EXISTS (SELECT FROM pg_roles o WHERE o.oid <> r.oid AND (pg_has_role(o.oid, 'SET')
                              OR o.rolname <> $1 AND pg_has_role(o.oid, 'USAGE'))),
               EXISTS (SELECT FROM pg_roles o WHERE o.rolname = $1 AND pg_has_role(o.oid, 'USAGE'))
        FROM pg_roles r WHERE r.rolname = session_user
        """,
        role,
    )
    if more:
        raise LoginError(f"The database's user {user} may do more than {role}; nothing is served as it.")
    if not enough:
        raise LoginError(f"The database's user {user} lacks what {role} may do; run `trilha migrate`.")


def _as_login(owner_url: str, role: str, password: str) -> str:
    url = urlsplit(owner_url)
    database = _database_of(owner_url)
    user = f"{quote(login_name(role, database), safe='')}:{password}"
    options = [
        each for each in parse_qsl(url.query) if each[0] not in ("user", "password", "dbname", "database")
    ]
    place = url.netloc.rpartition("@")[2]
    return url._replace(
        netloc=f"{user}@{place}", path=f"/{quote(database, safe='')}", query=urlencode(options)
    ).geturl()


def _database_of(url: str) -> str:
    """Returns the database's name as PostgreSQL's clients resolve it: from the URL, the environment, or
    the user's name.
    """
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    user = unquote(parts.netloc.rpartition("@")[0].partition(":")[0])
    named = unquote(parts.path.lstrip("/")) or options.get("dbname") or options.get("database")
    user = user or options.get("user", "")
    return named or os.environ.get("PGDATABASE") or user or os.environ.get("PGUSER") or getpass.getuser()


def _scram_verifier(password: str) -> str:
    """Returns the verifier that the server stores (RFC 5803), so that it never sees the password."""
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    served = hmac.digest(salted, b"Server Key", "sha256")
    salt_text, stored_text, served_text = (base64.b64encode(each).decode() for each in (salt, stored, served))
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{salt_text}${stored_text}:{served_text}"
