"""trilha path …"""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import click
from msgspec import structs

from trilha.cli.output import as_json, in_tenant, in_transaction, local_operator, run, show, tenant_id
from trilha.core.database import Database, Tx
from trilha.core.errors import NotFound
from trilha.core.lists import list_rows
from trilha.core.web.parsing import convert
from trilha.people.business_units import queries as units
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import GroupQuery
from trilha.people.users import queries as users
from trilha.people.users.reach import EVERYONE
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.courses import queries as courses
from trilha.training.learning_paths import actions, assignments, queries, rollouts
from trilha.training.learning_paths.jobs import ROLL_OUT
from trilha.training.learning_paths.lists import PATHS
from trilha.training.learning_paths.schema import LearningPath, ListedPath, NewPath, PathQuery


@click.group()
def path() -> None:
    """Learning paths: courses in a fixed order."""


@path.command()
@in_tenant
@click.option("--title", required=True)
@click.option("--slug", help="Its name in addresses; without it, one made from the title.")
@click.option("--description")
@click.option(
    "--course", "slugs", multiple=True, metavar="SLUG", help="In the order of the path; may be repeated."
)
@click.option("--in-order", is_flag=True, help="A course opens when the one before it is completed.")
@click.option("--days", type=int, help="To complete it, from the assignment on.")
@click.option("--publish", is_flag=True, help="Open it for assignment at once.")
@as_json
def create(
    tenant: str,
    title: str,
    slug: str | None,
    description: str | None,
    slugs: Sequence[str],
    in_order: bool,
    days: int | None,
    publish: bool,
    as_json: bool,
) -> None:
    """Create a learning path from courses, named by their slugs."""
    raw = {
        "title": title,
        "slug": slug,
        "description": description,
        "in_order": in_order,
        "deadline_days": days,
    }

    async def work(_: Settings, tx: Tx) -> dict[str, Any]:
        new = convert(NewPath, raw, tx.today)
        made = await actions.create(tx, new, [(await courses.get_by_slug(tx, each)).id for each in slugs])
        if publish:
            made = await actions.publish(tx, made.id)
        parts = await queries.list_courses(tx, made.id)
        return structs.asdict(made) | {"courses": [each.id for each in parts]}

    show(in_transaction(tenant, work), as_json)


@path.command()
@in_tenant
@click.argument("path")
@as_json
def publish(tenant: str, path: str, as_json: bool) -> None:
    """Open a path, named by its id or slug, for assignment."""

    async def work(_: Settings, tx: Tx) -> LearningPath:
        return await actions.publish(tx, await _path_id(tx, path))

    show(in_transaction(tenant, work), as_json)


@path.command()
@in_tenant
@click.argument("path")
@as_json
def archive(tenant: str, path: str, as_json: bool) -> None:
    """Close a path, named by its id or slug, for assignment. People on it can go on."""

    async def work(_: Settings, tx: Tx) -> LearningPath:
        return await actions.archive(tx, await _path_id(tx, path))

    show(in_transaction(tenant, work), as_json)


@path.command()
@in_tenant
@click.option("--person", "emails", multiple=True, metavar="EMAIL", help="May be repeated.")
@click.option("--group", help="The name of a learning group; who joins it later is assigned, too.")
@click.option("--unit", metavar="CODE", help="The code of a business unit, with all below it; likewise.")
@click.argument("path")
@as_json
def assign(
    tenant: str, emails: Sequence[str], group: str | None, unit: str | None, path: str, as_json: bool
) -> None:
    """Assign a path, named by its id or slug, and enroll the people in its courses.

    People who cannot be enrolled are listed, with the course.
    """

    async def work(settings: Settings, url: str) -> dict[str, Any]:
        async with open_database(settings, logins_of(settings, url)) as database:
            tenant_key = await tenant_id(database, tenant)
            async with database.transaction(tenant_key, actor=local_operator()) as tx:
                path_id = await _path_id(tx, path)
                await _assign(tx, path_id, emails, group, unit)
            return await _roll_out(database, tenant_key, path_id)

    show(run(work), as_json)


async def _assign(tx: Tx, path_id: UUID, emails: Sequence[str], group: str | None, unit: str | None) -> None:
    """Raises NotFound."""
    people = [await users.find_by_email(tx, each.strip().lower()) for each in emails]
    if None in people:
        raise NotFound("user_not_found")
    await actions.assign_people(tx, path_id, [each.id for each in people if each])
    if group is not None:
        found = next((each for each in await list_rows(tx, GROUPS, GroupQuery()) if each.name == group), None)
        if found is None:
            raise NotFound("learning_group_not_found")
        await actions.assign_group(tx, path_id, found.id)
    if unit is not None:
        at = await units.find_by_code(tx, unit)
        if at is None:
            raise NotFound("business_unit_not_found")
        await actions.assign_unit(tx, path_id, at.id)


async def _roll_out(database: Database, tenant_key: UUID, path_id: UUID) -> dict[str, Any]:
    """Does the work of the worker, which may be doing it too. Returns the result."""
    while True:
        async with database.transaction(tenant_key, read_only=True) as tx:
            if await rollouts.find_progress(tx, path_id) is None:
                counts = await assignments.count(tx, path_id, EVERYONE)
                problems = await assignments.list_first_problems(tx, path_id)
                totals = {name: each.total for name, each in structs.asdict(counts).items()}
                return totals | {"problems": problems}
        if not await ROLL_OUT.run_in(database, tenant_key):
            await asyncio.sleep(0.1)  # the worker has the last of it


@path.command("list")
@in_tenant
@as_json
def list_paths(tenant: str, as_json: bool) -> None:
    """List the learning paths by title."""

    async def work(_: Settings, tx: Tx) -> list[ListedPath]:
        return await list_rows(tx, PATHS, PathQuery())

    show(in_transaction(tenant, work), as_json)


async def _path_id(tx: Tx, name: str) -> UUID:
    try:
        return (await queries.get(tx, UUID(name))).id
    except ValueError:
        return (await queries.get_by_slug(tx, name)).id
