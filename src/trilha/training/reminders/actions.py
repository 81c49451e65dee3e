"""Makes reminders, and changes their settings."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from msgspec import UNSET, structs

import trilha.training.reminders.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import ReminderSent
from trilha.platform.events.outbox import emit
from trilha.training.enrollments import queries as enrollments
from trilha.training.enrollments import validity_queries
from trilha.training.reminders import delivery_queries, queries, settings_queries
from trilha.training.reminders.rules import Channel, Kind, switch_of
from trilha.training.reminders.schema import Reminder, ReminderSettings, ReminderSettingsPatch

# Inserts reminders by person, subject and kind, with a text, and returns the new ones.
Insert = Callable[[Tx, Sequence[tuple[UUID, UUID, Kind]], str | None], Awaitable[list[Reminder]]]
_BETWEEN_MANUAL = timedelta(hours=24)


async def make(
    tx: Tx,
    new: Sequence[tuple[UUID, UUID, Kind]],
    *,
    text: str | None = None,
    message_id: UUID | None = None,
) -> list[Reminder]:
    """Makes reminders by person, enrollment and kind, once each, for active people and for kinds that the
    company has not turned off. They are in the bell at once; other channels follow. `message_id` is the
    message of a question that they are about.
    """
    return await _make(tx, new, text, partial(queries.insert, message_id=message_id))


async def make_of_requests(
    tx: Tx, new: Sequence[tuple[UUID, UUID, Kind]], *, text: str | None = None
) -> list[Reminder]:
    """Makes reminders by person, request for enrollment and kind, like `make`."""
    return await _make(tx, new, text, queries.insert_of_requests)


async def _make(
    tx: Tx, new: Sequence[tuple[UUID, UUID, Kind]], text: str | None, insert: Insert
) -> list[Reminder]:
    settings = await settings_queries.get(tx)
    allowed = [each for each in new if each[2] == "manual" or getattr(settings.kinds, switch_of(each[2]))]
    if not allowed:
        return []
    people = {
        each.user_id: each
        for each in await queries.list_addresses(tx, list({user_id for user_id, _, _ in allowed}))
    }
    made = await insert(tx, [each for each in allowed if each[0] in people], text)
    if not made:
        return []
    times = settings_queries.build_times(settings, await validity_queries.get_zone(tx))
    deliveries: list[tuple[UUID, UUID, Channel, UUID | None]] = []
    for reminder in made:
        person = people[reminder.user_id]
        deliveries.append((reminder.id, person.user_id, "mail", None))
        for channel, address_id in zip(person.channels, person.address_ids, strict=True):
            deliveries.append((reminder.id, person.user_id, channel, address_id))
    await delivery_queries.insert_deliveries(tx, deliveries, times.find_next(tx.now))
    await emit_sent(tx, made, "bell")
    return made


async def emit_sent(tx: Tx, reminders: Sequence[Reminder], channel: str) -> None:
    """Emits `reminder.sent` for those that are about an enrollment."""
    events = [
        ReminderSent(user_id=each.user_id, enrollment_id=each.enrollment_id, kind=each.kind, channel=channel)
        for each in reminders
        if each.enrollment_id is not None
    ]
    if events:
        await emit(tx, *events)


async def make_again(tx: Tx, new: Sequence[tuple[UUID, UUID, Kind]]) -> None:
    """Makes reminders of what may happen several times in an enrollment, in place of the earlier ones."""
    if new:
        await queries.delete(tx, new)
        await make(tx, new)


async def remind(tx: Tx, enrollment_id: UUID, text: str | None) -> Reminder:
    """Reminds a person of an enrollment by hand, with a text of one's own.

    Raises NotFound (enrollment_not_found), Conflict (enrollment_completed, already_reminded), BusinessRule
    (user_not_active).
    """
    enrollment = await enrollments.get(tx, enrollment_id)
    user = await users.get_for_update(tx, enrollment.user_id)  # one reminder at a time
    if enrollment.status == "COMPLETED":
        raise Conflict("enrollment_completed")
    if user.status != "ACTIVE":
        raise BusinessRule("user_not_active")
    if await queries.find_last_manual(tx, user.id, tx.now - _BETWEEN_MANUAL):
        raise Conflict("already_reminded")
    (reminder,) = await make(tx, [(user.id, enrollment_id, "manual")], text=(text or "").strip() or None)
    await audit.record(tx, "enrollment.reminded", enrollment_id, user_id=user.id)
    return reminder


async def remind_many(
    tx: Tx,
    enrollments_of: Mapping[UUID, Sequence[UUID]],
    text: str | None,
    begun_at: datetime | None = None,
) -> set[UUID]:
    """Reminds people by hand of their open enrollments, each person in one message. Skips people who are not
    active, and those who were reminded by hand within 24 hours. Returns the people who were reminded.

    Work in several parts says when it began: what its earlier parts have sent does not count.
    """
    user_ids = await queries.lock_people_to_remind(
        tx, sorted(enrollments_of), tx.now - _BETWEEN_MANUAL, begun_at
    )
    pairs = [(user_id, id) for user_id in user_ids for id in enrollments_of[user_id]]
    if not pairs:
        return set()
    new: list[tuple[UUID, UUID, Kind]] = [(user_id, id, "manual") for user_id, id in pairs]
    await make(tx, new, text=(text or "").strip() or None)
    await audit.record_all(
        tx, [NewRecord("enrollment.reminded", id, "", {"user_id": user_id}) for user_id, id in pairs]
    )
    return set(user_ids)


async def change_settings(tx: Tx, patch: ReminderSettingsPatch) -> ReminderSettings:
    """Changes the company's settings. Values that stay the same are not recorded."""
    before = await settings_queries.get(tx)
    values: dict[str, Any] = {
        name: value
        for name in ("quiet_from", "quiet_until", "working_days")
        if (value := getattr(patch, name)) is not UNSET and value != getattr(before, name)
    }
    if "working_days" in values:
        values["working_days"] = sorted(values["working_days"])
    if patch.kinds is not UNSET:
        named = {name: value for name, value in structs.asdict(patch.kinds).items() if value is not UNSET}
        values["kinds"] = structs.replace(before.kinds, **named)
    after = structs.replace(before, **values)
    if after == before:
        return before
    await settings_queries.put(tx, after)
    await audit.record(tx, "tenant.reminders_changed", tx.tenant_id, changed=sorted(values))
    return after
