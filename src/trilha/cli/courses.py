"""trilha course …"""

from pathlib import Path
from uuid import UUID

import click

from trilha.cli.input import read_yaml
from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.courses import actions, queries
from trilha.courses.schema import Course, CourseQuery, NewCourse
from trilha.settings import Settings


@click.group()
def course() -> None:
    """What is taught."""


@course.command()
@in_tenant
@click.option("--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--publish", is_flag=True, help="Open it for enrollment at once.")
@as_json
def create(tenant: str, path: Path, publish: bool, as_json: bool) -> None:
    """Make a course from a YAML or JSON file."""
    raw = read_yaml(path)

    async def work(_: Settings, tx: Tx) -> Course:
        course = await actions.create(tx, convert(NewCourse, raw, tx.today))
        return await actions.publish(tx, course.id) if publish else course

    show(in_transaction(tenant, work), as_json)


@course.command()
@in_tenant
@click.argument("course")
@as_json
def publish(tenant: str, course: str, as_json: bool) -> None:
    """Open a course, named by its id or slug, for enrollment."""

    async def work(_: Settings, tx: Tx) -> Course:
        return await actions.publish(tx, await _course_id(tx, course))

    show(in_transaction(tenant, work), as_json)


@course.command("list")
@in_tenant
@as_json
def list_courses(tenant: str, as_json: bool) -> None:
    """List a tenant's courses, newest first."""

    async def work(_: Settings, tx: Tx) -> list[Course]:
        found: list[Course] = []
        cursor: str | None = None
        while True:
            page = await queries.list_page(tx, CourseQuery(limit=100, cursor=cursor))
            found += page.data
            if (cursor := page.next_cursor) is None:
                return found

    show(in_transaction(tenant, work), as_json)


async def _course_id(tx: Tx, name: str) -> UUID:
    try:
        return UUID(name)
    except ValueError:
        course = await queries.get_by_slug(tx, name)
        return course.id
