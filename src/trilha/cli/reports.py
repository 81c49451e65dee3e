"""trilha recount"""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Annotated
from uuid import UUID

import click
from msgspec import Meta, Struct

from trilha.cli.output import CommandError, as_json, local_operator, run, show, tenant_id
from trilha.core.clock import system_clock
from trilha.platform.tenants.operator import operator
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.reports import recounting


class CounterDifference(Struct, frozen=True):
    """`month` is the first day of a month if completions of one month are counted."""

    tenant: str
    course_id: UUID
    counter: Annotated[str, Meta(examples=["completed"])]
    month: date | None
    kept: float
    counted: float
    mended: bool


@click.command()
@click.option("--tenant", metavar="SLUG", help="Only this tenant.")
@click.option("--mend", is_flag=True, help="Add to the counters what they lack.")
@as_json
def recount(tenant: str | None, mend: bool, as_json: bool) -> None:
    """Recount what statistics are read from, and list the counters that differ.

    It can run beside live traffic and changes nothing without --mend. The exit code is 1 if something
    differs and was not mended.
    """

    async def work(settings: Settings, url: str) -> list[CounterDifference]:
        slugs = [tenant] if tenant is not None else await _all_tenants(url)
        return [each for slug in slugs for each in await _recount(settings, url, slug, mend=mend)]

    found = run(work)
    show(found, as_json)
    if found and not mend:
        raise CommandError("Counters differ from what they count: --mend adds what they lack.")


async def _all_tenants(url: str) -> Sequence[str]:
    async with operator(url, system_clock, local_operator()) as each:
        return [tenant.slug for tenant in await each.list()]


async def _recount(settings: Settings, url: str, slug: str, *, mend: bool) -> list[CounterDifference]:
    async with open_database(settings, logins_of(settings, url)) as database:
        tenant = await tenant_id(database, slug)
        begin = partial(database.transaction, tenant, read_only=not mend, actor=local_operator())
        return [
            CounterDifference(
                tenant=slug,
                course_id=each.course_id,
                counter=each.counter,
                month=each.month,
                kept=float(each.kept),
                counted=float(each.counted),
                mended=mend,
            )
            async for each in recounting.recount(begin, mend=mend)
        ]
