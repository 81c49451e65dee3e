"""trilha course …"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import click
from msgspec import structs

from trilha.cli.course_files import BesideFile, CourseFile, CourseFiles, check_ready
from trilha.cli.input import read_yaml
from trilha.cli.output import as_json, in_tenant, in_transaction, local_operator, run, show, tenant_id
from trilha.core.database import Database, Tx
from trilha.core.errors import Conflict
from trilha.core.lists import list_rows
from trilha.core.web.parsing import convert
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.courses import actions, module_actions, module_queries, queries, rules
from trilha.training.courses.lists import COURSES
from trilha.training.courses.schema import Course, CoursePatch, CourseQuery, CourseSlug, NewCourse
from trilha.training.learning.cmi5 import waivers
from trilha.training.learning.cmi5.waivers import Reason

T = TypeVar("T")


@click.group()
def course() -> None:
    """Courses."""


@course.command()
@in_tenant
@click.option("--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--publish", is_flag=True, help="Open it for enrollment at once.")
@as_json
def create(tenant: str, path: Path, publish: bool, as_json: bool) -> None:
    """Create a course from a YAML or JSON file; packages, videos and documents are files beside it."""
    raw = read_yaml(path)

    async def work(files: CourseFiles, database: Database, tenant_id: UUID) -> Course:
        given = convert(CourseFile, _with_usual_documents(raw), database.clock().date())
        beside = BesideFile(path.parent, files)
        try:
            await beside.take(given.modules)
            async with database.transaction(tenant_id, actor=local_operator()) as tx:
                members = structs.asdict(given) | {"modules": await beside.modules(tx, given.modules)}
                del members["translations"]
                made = await actions.create(tx, NewCourse(**members))
                await beside.translate(tx, made.id, given)
                return await (actions.publish if publish else queries.get)(tx, made.id)
        except BaseException:
            await beside.give_back()
            raise

    show(_with_files(tenant, work), as_json)


def _with_usual_documents(raw: Any) -> Any:
    """Fills in the required documents of a regulation that names none."""
    if not isinstance(raw, dict) or "regulation" not in raw:
        return raw
    return raw | {"regulation": rules.with_usual_documents(raw["regulation"])}


@course.command("import")
@in_tenant
@click.option("--title", required=True)
@click.option("--slug", help="Its name in addresses; without it, one made from the title.")
@click.option(
    "--regulation",
    "regulation_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML or JSON file that says what the law requires.",
)
@click.option("--publish", is_flag=True, help="Open it for enrollment at once.")
@click.argument("package", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
def import_course(
    tenant: str,
    title: str,
    slug: str | None,
    regulation_path: Path | None,
    publish: bool,
    package: Path,
    as_json: bool,
) -> None:
    """Create a course from a package (SCORM or cmi5, or a cmi5.xml); each of its parts becomes a module.

    If the package is refused, nothing is created and the reason is printed.
    """
    raw = {"title": title, "slug": slug or rules.slug_of(title)}
    regulation = rules.with_usual_documents(read_yaml(regulation_path)) if regulation_path else None

    async def work(files: CourseFiles, database: Database, tenant_id: UUID) -> dict[str, Any]:
        given = convert(NewCourse, raw | {"regulation": regulation}, database.clock().date())
        # Checked before the package is imported, because the import takes time.
        async with database.transaction(tenant_id, read_only=True) as tx:
            if slug and slug in await queries.list_slugs(tx, slug):
                raise Conflict("course_slug_exists")
        found = await files.import_package(package)
        check_ready(found)
        try:
            async with database.transaction(tenant_id, actor=local_operator()) as tx:
                made = await _of_package(tx, given, found.id, keep_slug=slug is not None, publish=publish)
        except BaseException:
            await files.remove_package(found)
            raise
        return made | {"package_id": found.id, "report": found.report}

    result = _with_files(tenant, work)
    if as_json:
        show(result, True)
        return
    modules, report = result.pop("modules"), result.pop("report")
    show(result, False)
    show([{name: getattr(each, name) for name in ("position", "title", "type")} for each in modules], False)
    show(
        [{name: getattr(each, name) for name in ("severity", "what", "fix")} for each in report.findings],
        False,
    )


async def _of_package(
    tx: Tx, new_course: NewCourse, package_id: UUID, *, keep_slug: bool, publish: bool
) -> dict[str, Any]:
    minutes = new_course.regulation.minimum_workload_minutes if new_course.regulation else 0
    members = structs.asdict(new_course) | {
        "slug": new_course.slug if keep_slug else CourseSlug(await actions.free_slug(tx, new_course.slug)),
        "duration_hours": minutes / 60,
        "modules": await module_actions.package_modules(tx, package_id, minutes),
    }
    made = await actions.create(tx, NewCourse(**members))
    if publish:
        made = await actions.publish(tx, made.id)
    modules = await module_queries.list_all(tx, made.id)
    return structs.asdict(made) | {"modules": modules}


@course.command()
@in_tenant
@click.option("--enrollment", required=True, type=click.UUID)
@click.option("--module", required=True, type=click.UUID, help="A cmi5 module of the course.")
@click.option("--reason", required=True, help="Why the person need not take it.")
@as_json
def waive(tenant: str, enrollment: UUID, module: UUID, reason: str, as_json: bool) -> None:
    """Waive a cmi5 module for one enrollment: it counts as completed."""

    async def work(settings: Settings, tx: Tx) -> dict[str, Any]:
        await waivers.waive(tx, enrollment, module, Reason(reason), settings.address)
        return {"enrollment_id": enrollment, "module_id": module}

    show(in_transaction(tenant, work), as_json)


@course.command()
@in_tenant
@click.argument("course")
@as_json
def archive(tenant: str, course: str, as_json: bool) -> None:
    """Close a course, named by its id or slug, for enrollment. Its learners can go on."""

    async def work(_: Settings, tx: Tx) -> Course:
        return await actions.archive(tx, await _course_id(tx, course))

    show(in_transaction(tenant, work), as_json)


@course.command()
@in_tenant
@click.argument("course")
@as_json
def restore(tenant: str, course: str, as_json: bool) -> None:
    """Open an archived course, named by its id or slug, again."""

    async def work(_: Settings, tx: Tx) -> Course:
        return await actions.restore(tx, await _course_id(tx, course))

    show(in_transaction(tenant, work), as_json)


@course.command()
@in_tenant
@click.option("--title", help="Without it, the same.")
@click.argument("course")
@as_json
def duplicate(tenant: str, course: str, title: str | None, as_json: bool) -> None:
    """Create a draft as a copy of a course, named by its id or slug."""

    async def work(_: Settings, tx: Tx) -> Course:
        wanted = None if title is None else convert(CoursePatch, {"title": title}, tx.today).title
        return await actions.duplicate(tx, await _course_id(tx, course), wanted or None)

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
        return await list_rows(tx, COURSES, CourseQuery())

    show(in_transaction(tenant, work), as_json)


def _with_files(tenant: str, work: Callable[[CourseFiles, Database, UUID], Awaitable[T]]) -> T:
    async def with_database(settings: Settings, url: str) -> T:
        async with open_database(settings, logins_of(settings, url)) as database:
            key = await tenant_id(database, tenant)
            return await work(CourseFiles(settings, database, key, local_operator()), database, key)

    return run(with_database)


async def _course_id(tx: Tx, name: str) -> UUID:
    try:
        return UUID(name)
    except ValueError:
        course = await queries.get_by_slug(tx, name)
        return course.id
