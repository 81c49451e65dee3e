"""trilha class …"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from msgspec import Struct, structs

from trilha.cli.input import read_yaml
from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.lists import list_rows
from trilha.core.web.pagination import ListQuery
from trilha.core.web.parsing import convert
from trilha.people.users import queries as users
from trilha.settings import Settings
from trilha.training.classes import actions, attendance, queries, registering, registration_queries
from trilha.training.classes.lists import ATTENDANCE, CLASSES, REGISTRATIONS
from trilha.training.classes.schema import (
    Attendance,
    AttendanceSheet,
    Cancellation,
    ClassCreate,
    ClassQuery,
    ClassRegistration,
    ListedClass,
    NewSession,
    Overlap,
    RegistrationCancellation,
    RegistrationQuery,
    SessionUpdate,
    TrainingClass,
)
from trilha.training.courses import queries as courses

Read = Callable[[Tx], Awaitable[Any]]
a_file = click.option(
    "--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True
)
class_id = click.argument("class_id", type=click.UUID, metavar="CLASS")
session_id = click.argument("session_id", type=click.UUID, metavar="SESSION")
with_reason = click.option("--reason", required=True, help="Why. The people concerned read it.")
by_email = click.option("--email", required=True, help="The user's e-mail.")
_STATUSES = {
    "classes": click.Choice(["scheduled", "ended", "cancelled"]),
    "registrations": click.Choice(["registered", "waitlisted", "cancelled"]),
}


@click.group("class")
def class_() -> None:
    """Classes: training in rooms and video calls."""


@class_.command()
@in_tenant
@a_file
@as_json
def create(tenant: str, path: Path, as_json: bool) -> None:
    """Create a class from a YAML or JSON file with the members of POST /v1/classes.

    The file may name the course by its slug, in `course`, and leave out the module if the course has one of
    the type CLASS.
    """
    raw = read_yaml(path)

    async def work(tx: Tx) -> dict[str, Any]:
        new = convert(ClassCreate, await _with_ids(tx, raw), tx.today)
        return _add_warnings(*await actions.create(tx, new))

    _show_class(_in_transaction(tenant, work), as_json)


async def _with_ids(tx: Tx, raw: Any) -> Any:
    """Puts the ids of the course and its module where the file has the slug of the course."""
    if not isinstance(raw, dict) or not isinstance(raw.get("course"), str):
        return raw
    course = await courses.get_by_slug(tx, raw["course"])
    ids = {"course_id": str(course.id)}
    if "module_id" not in raw:
        rows = await tx.rows(
            """
            SELECT id FROM modules WHERE tenant_id = :tenant AND course_id = :course_id AND type = 'CLASS'
            ORDER BY position LIMIT 2
            """,
            course_id=course.id,
        )
        if len(rows) != 1:
            raise CommandError("Give module_id: the course has no module of the type CLASS, or several.")
        ids["module_id"] = str(rows[0]["id"])
    return {name: value for name, value in raw.items() if name != "course"} | ids


def _add_warnings(made: Struct, warnings: list[Overlap]) -> dict[str, Any]:
    return structs.asdict(made) | {"warnings": warnings}


def _show_class(members: dict[str, Any], json_wanted: bool) -> None:
    """Prints a class, with a table of its sessions for people."""
    if json_wanted:
        show(members, True)
        return
    members = dict(members)
    sessions, warnings = members.pop("sessions"), members.pop("warnings", [])
    show(members, False)
    names = ("id", "status", "starts_at", "ends_at", "time_zone", "room")
    show([{name: getattr(each, name) for name in names} for each in sessions], False)
    if warnings:
        show(warnings, False)


@class_.command("list")
@in_tenant
@click.option("--status", type=_STATUSES["classes"], help="Only classes in this status.")
@as_json
def list_classes(tenant: str, status: str | None, as_json: bool) -> None:
    """List the classes, newest first."""

    async def work(tx: Tx) -> list[TrainingClass] | list[ListedClass]:
        query = convert(ClassQuery, {"status": status} if status else {}, tx.today)
        rows = await list_rows(tx, CLASSES, query)
        return await queries.add_sessions(tx, rows) if as_json else rows

    show(_in_transaction(tenant, work), as_json)


@class_.command("show")
@in_tenant
@class_id
@as_json
def show_class(tenant: str, class_id: UUID, as_json: bool) -> None:
    """Show a class with its sessions."""

    async def work(tx: Tx) -> dict[str, Any]:
        return structs.asdict(await queries.get(tx, class_id))

    _show_class(_in_transaction(tenant, work), as_json)


@class_.command()
@in_tenant
@with_reason
@class_id
@as_json
def cancel(tenant: str, class_id: UUID, reason: str, as_json: bool) -> None:
    """Cancel a class with all its sessions. The people in it are told by e-mail."""

    async def work(tx: Tx) -> dict[str, Any]:
        given = convert(Cancellation, {"reason": reason}, tx.today)
        return structs.asdict(await actions.cancel(tx, class_id, given.reason))

    _show_class(_in_transaction(tenant, work), as_json)


@class_.command()
@in_tenant
@by_email
@class_id
@as_json
def register(tenant: str, class_id: UUID, email: str, as_json: bool) -> None:
    """Give a person a place in a class, or put them on its waiting list."""

    async def work(tx: Tx) -> dict[str, Any]:
        user_id = await _find_user(tx, email)
        return _add_warnings(*await registering.register(tx, class_id, user_id))

    show(_in_transaction(tenant, work), as_json)


@class_.command()
@in_tenant
@by_email
@click.option("--reason", help="Why.")
@class_id
@as_json
def unregister(tenant: str, class_id: UUID, email: str, reason: str | None, as_json: bool) -> None:
    """Cancel a person's registration. Whoever waits first moves up."""

    async def work(tx: Tx) -> ClassRegistration:
        given = convert(RegistrationCancellation, {"reason": reason}, tx.today)
        user_id = await _find_user(tx, email)
        await queries.check_exists(tx, class_id)
        registration = (await registration_queries.list_registered(tx, class_id, [user_id])).get(user_id)
        if registration is None:
            raise CommandError(f"{email} is not registered in this class.")
        return await registering.cancel(tx, class_id, registration.id, given.reason)

    show(_in_transaction(tenant, work), as_json)


@class_.command()
@in_tenant
@click.option("--status", type=_STATUSES["registrations"], help="Only registrations in this status.")
@class_id
@as_json
def registrations(tenant: str, class_id: UUID, status: str | None, as_json: bool) -> None:
    """List the registrations in a class, oldest first; the waiting list is in its order."""

    async def work(tx: Tx) -> list[ClassRegistration]:
        await queries.check_exists(tx, class_id)
        query = convert(RegistrationQuery, {"status": status} if status else {}, tx.today)
        return await list_rows(tx, REGISTRATIONS, query, class_id)

    show(_in_transaction(tenant, work), as_json)


@class_.group()
def session() -> None:
    """The sessions of a class."""


def _add_session_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that say when and where a session is."""
    for option in (
        click.option(
            "--instructor", "instructors", multiple=True, help="An instructor's e-mail; repeatable."
        ),
        click.option("--link", help="The HTTPS link of a video call."),
        click.option("--room", help="The name of the place."),
        click.option("--time-zone", help="The IANA time zone of the place, such as America/Sao_Paulo."),
    ):
        command = option(command)
    return command


async def _read_session(
    tx: Tx,
    starts: str | None,
    ends: str | None,
    time_zone: str | None,
    room: str | None,
    link: str | None,
    instructors: tuple[str, ...],
) -> dict[str, Any]:
    """Returns the members that are given."""
    members: dict[str, Any] = {
        "starts_at": starts,
        "ends_at": ends,
        "time_zone": time_zone,
        "room": room,
        "meeting_url": link,
    }
    given = {name: value for name, value in members.items() if value is not None}
    if instructors:
        given["instructor_ids"] = [str(await _find_user(tx, email)) for email in instructors]
    return given


@session.command()
@in_tenant
@click.option("--starts", required=True, help="When it starts, such as 2031-03-09T09:00:00-03:00.")
@click.option("--ends", required=True, help="When it ends.")
@_add_session_options
@class_id
@as_json
def add(tenant: str, class_id: UUID, as_json: bool, **options: Any) -> None:
    """Add a session to a class."""

    async def work(tx: Tx) -> dict[str, Any]:
        new = convert(NewSession, await _read_session(tx, **options), tx.today)
        return _add_warnings(*await actions.add_session(tx, class_id, new))

    show(_in_transaction(tenant, work), as_json)


@session.command()
@in_tenant
@click.option("--starts", help="When it starts, such as 2031-03-09T09:00:00-03:00.")
@click.option("--ends", help="When it ends.")
@_add_session_options
@click.option("--clear", multiple=True, type=click.Choice(["room", "link"]), help="What it no longer has.")
@session_id
@as_json
def change(tenant: str, session_id: UUID, clear: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Change a session. What is not given stays. The people in the class are told by e-mail."""

    async def work(tx: Tx) -> dict[str, Any]:
        cleared = {{"room": "room", "link": "meeting_url"}[each]: None for each in clear}
        update = convert(SessionUpdate, await _read_session(tx, **options) | cleared, tx.today)
        return _add_warnings(*await actions.change_session(tx, session_id, update))

    show(_in_transaction(tenant, work), as_json)


@session.command("cancel")
@in_tenant
@with_reason
@session_id
@as_json
def cancel_session(tenant: str, session_id: UUID, reason: str, as_json: bool) -> None:
    """Cancel a session. The people in the class are told by e-mail."""

    async def work(tx: Tx) -> Any:
        given = convert(Cancellation, {"reason": reason}, tx.today)
        return await actions.cancel_session(tx, session_id, given.reason)

    show(_in_transaction(tenant, work), as_json)


@class_.group("attendance")
def attendance_group() -> None:
    """Who was in a session, and for how many minutes."""


@attendance_group.command("list")
@in_tenant
@session_id
@as_json
def list_attendance(tenant: str, session_id: UUID, as_json: bool) -> None:
    """List the attendance of everybody with a place."""

    async def work(tx: Tx) -> list[Attendance]:
        return await list_rows(tx, ATTENDANCE, ListQuery(), await queries.find_session(tx, session_id))

    show(_in_transaction(tenant, work), as_json)


@attendance_group.command()
@in_tenant
@a_file
@session_id
@as_json
def record(tenant: str, session_id: UUID, path: Path, as_json: bool) -> None:
    """Record a list from a YAML or JSON file, all of it or nothing: entries of an `email` or `user_id`, with
    `minutes` and, to correct others, a `reason`.
    """
    raw = read_yaml(path)
    entries = raw.get("entries") if isinstance(raw, dict) else raw

    async def work(tx: Tx) -> list[Attendance]:
        with_ids = entries
        if isinstance(entries, list):
            with_ids = [await _with_user_id(tx, each) for each in entries]
        sheet = convert(AttendanceSheet, {"entries": with_ids}, tx.today)
        return await attendance.record(tx, session_id, sheet.entries)

    show(_in_transaction(tenant, work), as_json)


async def _with_user_id(tx: Tx, entry: Any) -> Any:
    """Puts the id of the person where an entry has their e-mail."""
    if not isinstance(entry, dict) or not isinstance(entry.get("email"), str):
        return entry
    rest = {name: value for name, value in entry.items() if name != "email"}
    return rest | {"user_id": str(await _find_user(tx, entry["email"]))}


async def _find_user(tx: Tx, email: str) -> UUID:
    user = await users.find_by_email(tx, email.strip().lower())
    if user is None:
        raise CommandError(f"There is no user with the e-mail {email}.")
    return user.id


def _in_transaction(tenant: str, work: Read) -> Any:
    async def with_settings(_: Settings, tx: Tx) -> Any:
        return await work(tx)

    return in_transaction(tenant, with_settings)
