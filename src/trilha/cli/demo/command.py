"""Creates the demo tenant if it is missing, and prints how to use it."""

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from trilha.access.api_keys import actions as api_keys
from trilha.access.api_keys import queries as api_key_queries
from trilha.cli.demo.history import Year
from trilha.cli.demo.people import ADMIN, INSTRUCTOR, LEARNER, MANAGER
from trilha.cli.demo.playable import add_playable_course
from trilha.cli.output import as_json, run, show
from trilha.core.clock import civil_date
from trilha.core.credentials import Scope
from trilha.core.database import Database
from trilha.core.files import write_own
from trilha.core.passwords import generate_password, hash_password
from trilha.core.web.parsing import convert
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.operator import operator
from trilha.platform.tenants.schema import NewTenant
from trilha.runtime import logins_of, make_database
from trilha.settings import Settings

SLUG = "demo"
_PEOPLE = {"manager": MANAGER, "instructor": INSTRUCTOR, "learner": LEARNER}
_ROLES = {"admin": "Administrator", "manager": "Manager", "instructor": "Instructor", "learner": "Learner"}


@click.command()
@as_json
def demo(as_json: bool) -> None:
    """Create the demo tenant if it is missing, and show how to use it."""

    async def work(current: Settings, url: str) -> dict[str, Any]:
        return await _prepare(current, url)

    show(run(work), as_json)


def prepare(current: Settings, url: str) -> str:
    """Creates the demo tenant if it is missing. Returns the text that shows how to use it."""
    access = asyncio.run(_prepare(current, url))
    key, address = access["key"], current.address
    people = "\n".join(f"    {_ROLES[each]:<14} {access[each]}" for each in _ROLES if each in access)
    return f"""
  Trilha is ready.

  Pages      {address}/login?tenant={SLUG}
  API        {address}/v1
  Reference  {address}/docs
  Tenant     {SLUG}
  API key    {key}

  Sign-ins, all with the password {access.get("admin_password", "")}
{people}

  Try:
    curl -H "Authorization: Bearer {key}" "{address}/v1/users?limit=3"

  Ctrl-C stops everything.
"""


async def _prepare(current: Settings, url: str) -> dict[str, Any]:
    database = make_database(current, logins_of(current, url))
    await database.open()
    try:
        secrets = _SecretsFile(Path(current.data_dir) / "demo.json")
        async with database.unscoped() as unscoped:
            tenant = await tenants.find_by_slug(unscoped, SLUG)
        if tenant is None:
            async with operator(url, database.clock) as each:
                raw = {"slug": SLUG, "name": "Transportes Aurora", "environment": "homologation"}
                tenant = await each.create(convert(NewTenant, raw, civil_date(database.clock())))
        if await _is_empty(database, tenant.id):
            secrets.save(admin_password=await _fill(current, database, tenant.id), **_PEOPLE)
        await add_playable_course(current, database, tenant.id)
        if not (key := secrets.read().get("key")) or not await _is_key_valid(database, tenant.id, key):
            async with database.transaction(tenant.id) as tx:
                issued = await api_keys.create(tx, "Demo", list(Scope), prefix=current.api_key_prefix)
            secrets.save(key=issued.key)
        return {"tenant": SLUG, "admin": ADMIN, **secrets.read()}
    finally:
        await database.close()


class _SecretsFile:
    """The demo's sign-ins and API key, stored in the data folder and printed at every start."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, str]:
        text = self._path.read_text() if self._path.exists() else ""
        stored: dict[str, str] = json.loads(text or "{}")
        return stored

    def save(self, **secrets: str | None) -> None:
        write_own(self._path, json.dumps(self.read() | secrets))


async def _is_empty(database: Database, tenant_id: UUID) -> bool:
    """True also after a wipe, and after a start that was killed before it finished."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        empty: bool = await tx.value("SELECT NOT EXISTS (SELECT FROM users WHERE tenant_id = :tenant)")
        return empty


async def _is_key_valid(database: Database, tenant_id: UUID, key: str) -> bool:
    async with database.transaction(tenant_id, read_only=True) as tx:
        return await api_key_queries.is_live(tx, tx.keyring.fingerprint(key))


async def _fill(current: Settings, database: Database, tenant_id: UUID) -> str:
    """Fills the tenant in one transaction. Returns the password of all its people, which is hashed once."""
    password = generate_password()
    hashed = await hash_password(password)
    async with database.transaction(tenant_id) as tx:
        await Year(tx, current, hashed).play()
    return password
