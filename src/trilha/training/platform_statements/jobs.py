"""The worker's job that writes statements about what has happened since its last turn."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from trilha.core import logs
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.core.jobs import TenantJob, each_tenant_once
from trilha.training.platform_statements import building, happenings, queries
from trilha.training.platform_statements.happenings import Context
from trilha.training.platform_statements.schema import (
    Happening,
    LogEntry,
    NamedActivity,
    PublicEvent,
    StatementSettings,
    Titles,
)
from trilha.training.xapi import actions as xapi
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.statements import NewStatement

_ENTRIES, _EVENTS = 200, 500
# After these events, modules may have been completed without an entry in a log.
_PROGRESS = ("enrollment.progress", "enrollment.completed")


async def write(tx: Tx, *, base: str) -> int:
    """Writes statements about a batch of log entries and events; returns how many of these there were.

    The entries leave the outbox and the position moves in the transaction that stores the statements.
    """
    settings = await queries.lock_settings(tx)
    if settings is None:
        return 0
    entries = await queries.take_entries(tx, _ENTRIES)
    events = await queries.list_events(tx, settings.position, _EVENTS)
    if events:
        await queries.set_position(tx, events[-1].position)
    happened = await _list_happenings(tx, settings, entries, events)
    if happened:
        await _store(tx, base, happened)
    return len(entries) + len(events)


async def _list_happenings(
    tx: Tx, settings: StatementSettings, entries: Sequence[LogEntry], events: Sequence[PublicEvent]
) -> list[Happening]:
    """Lists what happened and has no statement yet, the oldest first."""
    touched = {each.enrollment_id for each in entries}
    touched |= {UUID(each.data["enrollment_id"]) for each in events if each.type in _PROGRESS}
    completed = await queries.list_completed_modules(tx, touched) if touched else []
    module_ids = {each.module_id for each in entries if each.module_id}
    module_ids |= {each.module_id for each in completed}
    module_ids |= {UUID(each.data["module_id"]) for each in events if "module_id" in each.data}
    modules = await queries.list_modules(tx, module_ids) if module_ids else {}
    happened = [each for entry in entries for each in happenings.tell_entry(entry, modules)]
    happened += [
        happenings.tell_completion(each, modules[each.module_id])
        for each in completed
        if each.module_id in modules
    ]
    context = await _load_context(tx, events, modules)
    happened += [happening for event in events if (happening := happenings.tell_event(event, context))]
    by_id: dict[UUID, Happening] = {}
    for each in happenings.sort(happened):
        if each.at >= settings.since:
            by_id.setdefault(each.id, each)
    stored = await queries.list_stored(tx, by_id) if by_id else set()
    people = await queries.lock_people(tx, {each.user_id for each in by_id.values()}) if by_id else set()
    return [each for id, each in by_id.items() if id not in stored and each.user_id in people]


async def _load_context(tx: Tx, events: Sequence[PublicEvent], modules: dict[UUID, NamedActivity]) -> Context:
    registered = [each.data for each in events if each.type == "registration.created"]
    attended = [each.data for each in events if each.type == "attendance.recorded"]
    registrations, places, classes = {}, {}, {}
    if registered:
        ids = {UUID(each["registration_id"]) for each in registered}
        registrations = await queries.list_registrations(tx, ids)
    if attended:
        class_ids = {UUID(each["class_id"]) for each in attended}
        places = await queries.list_places(tx, class_ids, {UUID(each["user_id"]) for each in attended})
        classes = await queries.list_classes(tx, class_ids)
    return Context(registrations, places, classes, modules)


async def _store(tx: Tx, base: str, happened: Sequence[Happening]) -> None:
    titles = await _load_titles(tx, happened)
    statements: list[NewStatement] = []
    for each in happened:
        try:
            statements.append(building.build(base, each, titles, tx.now))
        except ApiError as error:
            # One statement must not keep the others waiting.
            logs.log_failure("statement of the platform is not valid", error)
    await xapi.record(tx, [Submission([each]) for each in statements])


async def _load_titles(tx: Tx, happened: Sequence[Happening]) -> Titles:
    def list_ids(kind: str) -> set[UUID]:
        return {each.thing[1] for each in happened if each.thing[0] == kind}

    courses = {each.course_id for each in happened if each.course_id}
    modules, classes = list_ids("modules"), list_ids("classes")
    return Titles(
        courses=await queries.list_courses(tx, courses) if courses else {},
        modules=await queries.list_modules(tx, modules) if modules else {},
        classes=await queries.list_classes(tx, classes) if classes else {},
    )


def build_job(base: str) -> TenantJob:
    """`base` is the public address of the server."""
    return TenantJob(
        name="write statements",
        due=each_tenant_once(
            "statement_settings",
            """(EXISTS (SELECT FROM statement_outbox o WHERE o.tenant_id = statement_settings.tenant_id)
                OR EXISTS (SELECT FROM events v WHERE v.tenant_id = statement_settings.tenant_id
                             AND v.position > statement_settings.position))""",
        ),
        batch=partial(write, base=base),
        rest=1,
        is_logged=False,  # statements say themselves what was written
    )
