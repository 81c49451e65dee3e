"""trilha tenant usage, trilha tenant quota"""

import re
from datetime import date
from typing import Any

import click
from msgspec import structs

from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, run, show
from trilha.core.clock import system_clock
from trilha.core.database import Database, Tx
from trilha.platform.tenants import unscoped
from trilha.platform.tenants.quotas import actions, queries
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.platform.tenants.usage.rules import find_month
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.reports.tenant_usage import TenantUsage, load_usage

_NONE = "none"
_NAMES = {
    "people": "max_people",
    "storage": "max_storage_bytes",
    "api_calls": "max_api_calls_per_month",
    "mails": "max_mails_per_month",
}


class Month(click.ParamType[date]):
    """A month such as 2026-11."""

    name = "YYYY-MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        if re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", value) and value >= "0002":
            return date.fromisoformat(f"{value}-01")
        return self.fail("give a month such as 2026-11", param, ctx)


class Quota(click.ParamType[int | str]):
    """A number, or `none`."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if value == _NONE:
            return _NONE
        if not re.fullmatch("[0-9]{1,15}", value):
            self.fail("give a number, or none for no limit", param, ctx)
        return int(value)


@click.command()
@click.option("--tenant", "slug", metavar="SLUG", help="The tenant's slug.")
@click.option("--all", "every", is_flag=True, help="All tenants.")
@click.option("--month", type=Month(), help="By default this month. Months begin at midnight UTC.")
@as_json
def usage(slug: str | None, every: bool, month: date | None, as_json: bool) -> None:
    """Show what tenants used in a month: people, active learners, storage, API calls and e-mails."""
    if (slug is None) == (not every):
        raise CommandError("Give --tenant SLUG or --all.")
    wanted = month or find_month(system_clock())

    async def work(current: Settings, url: str) -> list[TenantUsage]:
        async with open_database(current, logins_of(current, url)) as database:
            return await _load(database, slug, wanted)

    rows = run(work)
    if slug is not None and not rows:
        raise CommandError(f"There is no tenant with the slug {slug}.")
    show(rows if every else rows[0], as_json)


async def _load(database: Database, slug: str | None, month: date) -> list[TenantUsage]:
    async with database.unscoped() as connection:
        tenants = await unscoped.list_tenants(connection)
    rows = []
    for tenant in tenants:
        if slug in (None, tenant.slug):
            async with database.transaction(tenant.id, read_only=True) as tx:
                rows.append(await load_usage(tx, tenant.slug, month))
    return rows


@click.command()
@in_tenant
@click.option("--people", type=Quota(), help="The largest number of active people.")
@click.option("--storage", type=Quota(), help="The largest size of all files, in bytes.")
@click.option("--api-calls", type=Quota(), help="The largest number of API calls in a month.")
@click.option("--mails", type=Quota(), help="The largest number of e-mails in a month.")
@as_json
def quota(tenant: str, as_json: bool, **options: int | str | None) -> None:
    """Show or set the quotas of a tenant. `none` removes a quota."""
    changes = {_NAMES[name]: value for name, value in options.items() if value is not None}

    async def work(_: Settings, tx: Tx) -> Quotas:
        before = await queries.get(tx)
        wanted = {name: None if value == _NONE else value for name, value in changes.items()}
        return await actions.set_quotas(tx, structs.replace(before, **wanted)) if changes else before

    show(in_transaction(tenant, work), as_json)
