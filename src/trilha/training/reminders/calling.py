"""Sends reminders through channels other than mail. A request may be sent twice if a worker is killed before
the answer; its id is the same.
"""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import aiohttp
from msgspec import Struct

from trilha.core import logs
from trilha.core.database import CONNECTION_ERRORS, Database, Tx
from trilha.core.jobs import oldest
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.outbound.http import build_url, open_session
from trilha.people.users import queries as users
from trilha.training.reminders import (
    actions,
    addresses,
    channels,
    delivery_queries,
    making,
    push_keys,
    queries,
    texts,
    wording,
)
from trilha.training.reminders.channels import NO_PROVIDERS, HttpRequest, Note, Providers
from trilha.training.reminders.schema import DueDelivery, Reminder
from trilha.training.reminders.texts import OwnTexts

_DELAYS = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600, 3600, 21_600))
_LEASE = timedelta(seconds=90)
_SECONDS = 10.0
_BATCH = 20
_PLACES = 8
_DEAD_STATUSES = (404, 410)


class Call(Struct, frozen=True):
    """A delivery with its request; None if the address was removed."""

    delivery: DueDelivery
    reminder: Reminder
    request: HttpRequest | None


class CallPeople:
    """The job that sends due reminders over HTTP, a few at a time."""

    name = "call people's channels"
    rest = 2.0
    is_logged = True
    due = oldest(
        "reminder_deliveries",
        "status = 'PENDING' AND channel <> 'mail' AND next_attempt_at <= :now",
        "next_attempt_at",
    )

    def __init__(self, guard: Guard, address: str, contact: str, providers: Providers = NO_PROVIDERS) -> None:
        """`address` is the base of links, and `contact` an address for push services."""
        self._providers = providers
        self._guard = guard
        self._address = address
        self._contact = contact

    async def run_once(self, database: Database) -> int:
        done = 0
        for row in await database.search(self.due, uuid4()):
            try:
                done += await self.run_in(database, row["tenant_id"])
            except CONNECTION_ERRORS:
                raise
            except Exception as error:
                # One tenant must not keep the others waiting.
                logs.log_failure("call people's channels failed", error)
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Sends a batch of one tenant's reminders; returns how many."""
        async with database.transaction(tenant_id) as tx:
            calls = await self._claim(tx)
        places = asyncio.Semaphore(_PLACES)

        async def send(call: Call) -> None:
            async with places:
                status = await self._post(call.request) if call.request else 0
            async with database.transaction(tenant_id) as tx:
                await _record(tx, call, status)

        await asyncio.gather(*map(send, calls))
        return len(calls)

    async def _claim(self, tx: Tx) -> list[Call]:
        due = await delivery_queries.claim_calls(tx, _BATCH, _LEASE)
        if unwanted := [each.id for each in due if not each.is_wanted]:
            await delivery_queries.end_deliveries(tx, unwanted, "DROPPED")
        wanted = [each for each in due if each.is_wanted]
        if not wanted:
            return []
        ids = [each.reminder_id for each in wanted]
        reminders = {each.id: each for each in await queries.list_reminders(tx, ids)}
        own = await texts.load(tx)
        return [await self._build(tx, each, reminders[each.reminder_id], own) for each in wanted]

    async def _build(self, tx: Tx, delivery: DueDelivery, reminder: Reminder, own: OwnTexts) -> Call:
        recipients = await users.list_recipients(tx, [delivery.user_id])
        address = await addresses.find(tx, delivery.address_id) if delivery.address_id else None
        if not recipients or address is None:
            return Call(delivery, reminder, None)
        note = Note(
            id=delivery.id,
            kind=reminder.kind,
            enrollment_id=reminder.enrollment_id,
            title=reminder.course,
            body=_choose_body(reminder) or wording.write_sentence(reminder, recipients[0].locale, own),
            url=f"{self._address}{making.find_path(reminder)}",
        )
        if delivery.channel == "whatsapp":
            provider = self._providers.whatsapp
            return Call(
                delivery, reminder, channels.build_whatsapp(note, address, provider) if provider else None
            )
        if delivery.channel == "slack":
            return Call(delivery, reminder, channels.build_slack(note, address))
        if delivery.channel == "teams":
            return Call(delivery, reminder, channels.build_teams(note, address))
        pem, now = await push_keys.get_private_pem(tx), int(tx.now.timestamp())
        return Call(delivery, reminder, channels.build_push(note, address, pem, self._contact, now))

    async def _post(self, request: HttpRequest) -> int | str:
        """Returns the HTTP status, or a word for why there is none."""
        try:
            async with asyncio.timeout(_SECONDS), open_session(self._guard) as session:
                response = await session.post(
                    build_url(self._guard.parse(request.url)),
                    data=request.body,
                    headers=request.headers,
                    allow_redirects=False,
                )
                return response.status
        except BlockedAddress:
            return "blocked"
        except TimeoutError:
            return "timeout"
        except (aiohttp.ClientError, OSError):
            return "unreachable"


def _choose_body(reminder: Reminder) -> str | None:
    """Returns the text of the reminder. What people ask and answer stays out of chats."""
    return None if reminder.kind.startswith("question_") else reminder.text


async def _record(tx: Tx, call: Call, status: int | str) -> None:
    """Records the HTTP status of an attempt, or the word for why there is none; 0: there is no address."""
    delivery = call.delivery
    if isinstance(status, int) and 200 <= status < 300:
        is_first = await delivery_queries.lock_unsent_channel(tx, delivery.reminder_id, delivery.channel)
        if await delivery_queries.end_deliveries(tx, [delivery.id], "SENT") and is_first:
            await actions.emit_sent(tx, [call.reminder], delivery.channel)
        return
    if status in _DEAD_STATUSES and delivery.address_id is not None:
        await addresses.delete(tx, [delivery.address_id])
    next_at = _find_next_attempt(delivery, tx.now)
    if status in (0, *_DEAD_STATUSES) or next_at is None:
        await delivery_queries.end_deliveries(tx, [delivery.id], "FAILED", str(status))
        logs.note("reminder not sent", tenant=tx.tenant_id, id=delivery.id, error=str(status))
    else:
        await delivery_queries.postpone(tx, delivery.id, next_at, str(status))


def _find_next_attempt(delivery: DueDelivery, now: datetime) -> datetime | None:
    if delivery.attempts > len(_DELAYS):
        return None
    return now + _DELAYS[delivery.attempts - 1]
