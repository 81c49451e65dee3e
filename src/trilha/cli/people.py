"""trilha unit …, trilha group …, trilha import …"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from trilha.cli.output import (
    CommandError,
    as_json,
    in_tenant,
    in_transaction,
    local_operator,
    run,
    show,
    tenant_id,
)
from trilha.core.database import Database, Tx
from trilha.core.errors import NotFound
from trilha.core.lists import list_rows
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.people.business_units import actions as units
from trilha.people.business_units import queries as unit_queries
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups import queries as group_queries
from trilha.people.learning_groups.lists import GROUPS
from trilha.people.learning_groups.schema import GroupQuery, NewLearningGroup
from trilha.people.people_import import actions as imports
from trilha.people.people_import import enrolling, jobs, sheet
from trilha.people.people_import import queries as import_queries
from trilha.people.people_import.enrolling import Target
from trilha.people.people_import.files import ImportFiles
from trilha.people.people_import.schema import Draft
from trilha.people.people_import.workbooks import WorkbookReader
from trilha.people.users import queries as user_queries
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.enrollments.people_imports import IN_COURSE
from trilha.training.learning_paths.people_imports import TO_PATH

# Commands load no features, which register these otherwise.
enrolling.register("course", IN_COURSE)
enrolling.register("path", TO_PATH)


@click.group()
def unit() -> None:
    """Business units: the tree to which people and managers belong."""


@unit.command("create")
@in_tenant
@click.option("--name", required=True)
@click.option("--code", help="The company's own name for it, unique in the tenant.")
@click.option("--parent", metavar="CODE", help="The code of the unit it is part of.")
@click.option("--manager", "managers", multiple=True, metavar="EMAIL", help="A gestor; may be repeated.")
@as_json
def create_unit(
    tenant: str, name: str, code: str | None, parent: str | None, managers: Sequence[str], as_json: bool
) -> None:
    """Create a business unit."""

    async def work(_: Settings, tx: Tx) -> Any:
        above = await unit_queries.find_by_code(tx, parent) if parent else None
        if parent and above is None:
            raise NotFound("business_unit_not_found")
        raw = {"name": name, "code": code, "parent_id": above and str(above.id)}
        made = await units.create(tx, convert(NewBusinessUnit, raw, tx.today))
        if managers:
            await units.set_managers(tx, made.id, [await _user_id(tx, each) for each in managers])
        return made

    show(in_transaction(tenant, work), as_json)


@unit.command("list")
@in_tenant
@as_json
def list_units(tenant: str, as_json: bool) -> None:
    """List the business units, each below its parent."""

    async def work(_: Any, tx: Tx) -> Any:
        return await unit_queries.with_people(tx, await unit_queries.list_tree(tx))

    show(in_transaction(tenant, work), as_json)


@click.group()
def group() -> None:
    """Learning groups: people who learn together."""


@group.command("create")
@in_tenant
@click.option("--name", required=True)
@click.option("--description")
@click.option("--member", "members", multiple=True, metavar="EMAIL", help="May be repeated.")
@as_json
def create_group(
    tenant: str, name: str, description: str | None, members: Sequence[str], as_json: bool
) -> None:
    """Create a learning group."""

    async def work(_: Settings, tx: Tx) -> Any:
        raw = {"name": name, "description": description}
        made = await groups.create(tx, convert(NewLearningGroup, raw, tx.today))
        await groups.add_members(tx, made.id, [await _user_id(tx, each) for each in members])
        return await group_queries.get(tx, made.id)

    show(in_transaction(tenant, work), as_json)


@group.command("list")
@in_tenant
@as_json
def list_groups(tenant: str, as_json: bool) -> None:
    """List the learning groups by name."""

    async def work(_: Settings, tx: Tx) -> Any:
        return await list_rows(tx, GROUPS, GroupQuery())

    show(in_transaction(tenant, work), as_json)


async def _user_id(tx: Tx, email: str) -> UUID:
    """Raises NotFound."""
    found = await user_queries.find_by_email(tx, email.strip().lower())
    if found is None:
        raise NotFound("user_not_found")
    return found.id


@click.group("import")
def import_() -> None:
    """Import data from files."""


@import_.command("people")
@in_tenant
@click.option(
    "--file", "file", required=True, type=click.Path(path_type=Path), help="A CSV, XLSX, XLS or ODS file."
)
@click.option("--dry-run", is_flag=True, help="Only tell what would be done.")
@click.option(
    "--mapping",
    "mappings",
    multiple=True,
    metavar="HEADER=MEMBER",
    help="Which column is which; may be repeated. Without it the headers are recognised.",
)
@click.option("--course", type=UUID, metavar="ID", help="Enroll the people in this course.")
@click.option("--path", type=UUID, metavar="ID", help="Assign the people to this learning path.")
@click.option("--due", type=click.DateTime(), help="Until when they are enrolled, in UTC.")
@click.option("--new-only", is_flag=True, help="Enroll only people who are new.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the problems to this CSV file.")
@as_json
def import_people(
    tenant: str,
    file: Path,
    dry_run: bool,
    mappings: Sequence[str],
    course: UUID | None,
    path: UUID | None,
    due: datetime | None,
    new_only: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """Create and update people from a spreadsheet or a CSV file, and enroll them.

    People are matched by e-mail, else by employee number. New people without a password are marked to be
    invited. Running the same file again changes nothing.
    """
    raw = _read(file)
    mapping = dict(each.rpartition("=")[::2] for each in mappings) or None

    async def work(settings: Settings, url: str) -> dict[str, Any]:
        target = _read_target(course, path, due, new_only)
        async with open_database(settings, logins_of(settings, url)) as database:
            tenant_key = await tenant_id(database, tenant)
            csv, draft = await _read_draft(settings, database, tenant_key, raw, mapping)
            files = ImportFiles(settings.open_files(), database.keyring)
            stored = await files.keep(tenant_key, csv)
            try:
                async with database.transaction(tenant_key, actor=local_operator()) as tx:
                    if target is not None:
                        await enrolling.get(target.kind).check(tx, target.id)
                    started = await imports.start(
                        tx, draft, stored, file.name, dry_run=dry_run, target=target
                    )
            except BaseException:
                await files.remove(stored)
                raise
            await jobs.run_next(database, files, tenant_key, started.id, address=settings.address)
            async with database.transaction(tenant_key, read_only=True) as tx:
                finished = await import_queries.get(tx, started.id)
                if report:
                    await _write_report(tx, started.id, report)
                problems = await import_queries.list_problems(tx, started.id, limit=200)
        members = {name: getattr(finished, name) for name in finished.__struct_fields__}
        return members | {"problems": problems}

    result = run(work)
    if as_json:
        show(result, True)
        return
    problems = result.pop("problems")
    show({name: value for name, value in result.items() if name != "mapping"}, False)
    if problems:
        show(problems, False)


def _read_target(
    course: UUID | None, path: UUID | None, due: datetime | None, new_only: bool
) -> Target | None:
    if course and path:
        raise CommandError("Give --course or --path, not both.")
    enroll_id = course or path
    if enroll_id is None:
        return None
    due_at = Timestamp.parse(due.isoformat() + "Z") if due else None
    return Target("course" if course else "path", enroll_id, due_at, new_only)


async def _read_draft(
    settings: Settings, database: Database, tenant_key: UUID, raw: bytes, mapping: Mapping[str, str] | None
) -> tuple[bytes, Draft]:
    """Returns the file as CSV, and how it is read."""
    workbooks = WorkbookReader(settings.scratch)
    try:
        csv, dialect = await workbooks.read(tenant_key, raw)
    finally:
        await workbooks.close()
    async with database.transaction(tenant_key, read_only=True) as tx:
        fields = await custom_fields.list_fields(tx)
    return csv, imports.inspect(csv, mapping, dialect, fields)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened_file:
            return opened_file.read(sheet.MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{file} cannot be read ({error.strerror}).") from None


async def _write_report(tx: Tx, import_id: UUID, path: Path) -> None:
    from trilha.people.people_import.report import report as report_lines

    text = "".join([part async for part in report_lines(tx, import_id)])
    path.write_text(text, encoding="utf-8-sig", newline="")  # noqa: ASYNC240
