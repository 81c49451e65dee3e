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
from trilha.reports import recounting
from trilha.runtime import logins_of, opened
from trilha.settings import Settings
from trilha.tenants.operator import operator


class ShownDifference(Struct, frozen=True):
    """`month` is set for what was completed in one, as its first day."""

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
    """Count anew what statistics are read from, and list the counters that differ.

    It may run beside live traffic, and changes nothing without --mend. The exit code is 1 where something
    differs and was not mended.
    """

    async def work(settings: Settings, url: str) -> list[ShownDifference]:
        slugs = [tenant] if tenant is not None else await _all_tenants(url)
        return [each for slug in slugs for each in await _recount(settings, url, slug, mend=mend)]

    found = run(work)
    show(found, as_json)
    if found and not mend:
        raise CommandError("Counters differ from what they count: --mend adds what they lack.")


async def _all_tenants(url: str) -> Sequence[str]:
    async with operator(url, system_clock, local_operator()) as each:
        return [tenant.slug for tenant in await each.list()]


async def _recount(settings: Settings, url: str, slug: str, *, mend: bool) -> list[ShownDifference]:
    async with opened(settings, logins_of(settings, url)) as database:
        tenant = await tenant_id(database, slug)
        begin = partial(database.transaction, tenant, read_only=not mend, actor=local_operator())
        return [
            ShownDifference(
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
