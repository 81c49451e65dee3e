"""The sending loop: it claims messages as slots become free, and each attempt has its own slot.

A message that hangs occupies only its own slot, for the time limit. No tenant gets all slots, and free
slots are shared among the tenants with due messages. So a thousand invitations of one tenant delay the
password reset of another by one message.
"""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import structs

from trilha.core import logs, metrics, tracing
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.types import dec_hook
from trilha.platform.mail import queries, rules
from trilha.platform.mail.delivery import checks
from trilha.platform.mail.delivery.composing import compose
from trilha.platform.mail.delivery.smtp import Transport
from trilha.platform.mail.queries import DueTenant
from trilha.platform.mail.schema import Brand, ClaimedMessage, Content, Mail, SendResult
from trilha.platform.tenants.quotas import actions as quotas
from trilha.platform.tenants.usage import queries as usage

PLACES = 8
# seconds between two checks: if nothing was due, and if all due messages wait for a slot
_PAUSE, _PACE = 0.5, 0.02
# how often a result is written again while the database is unreachable, and the seconds between retries
_TRIES, _TRY_PAUSE = 20, 0.5
# extra seconds for attempts that are running at shutdown
_DRAIN = 2

FindDue = Callable[[], Awaitable[list[DueTenant]]]


class Dispatcher:
    """Sends at most `places` messages at a time, and at most three quarters of them for one tenant."""

    def __init__(
        self,
        database: Database,
        transport: Transport,
        *,
        sender: str,
        seconds: float,
        places: int = PLACES,
        find_due: FindDue | None = None,
    ) -> None:
        """`seconds` is the time limit of an attempt. A lease is three times as long, which leaves time to
        write the result.
        """
        self._database = database
        self._transport = transport
        self._sender = sender
        self._seconds = seconds
        self._lease = timedelta(seconds=3 * seconds)
        self._places = places
        self._most = max(1, places * 3 // 4)
        self._find_due = find_due or (lambda: queries.find_due(database, uuid4()))
        self._attempts: set[asyncio.Task[None]] = set()
        self._in_flight: Counter[UUID] = Counter()
        self._held: set[UUID] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop`, then waits for running attempts and records them."""
        try:
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), await self._turn())
        finally:
            await self._wait(self._seconds + _DRAIN)
            await self._transport.close()

    async def drain(self) -> int:
        """Finishes running attempts, then attempts all due messages. Returns how many."""
        made = 0
        await self._wait(None)
        while claimed := await self.send_due():
            made += claimed
            await self._wait(None)
        return made

    async def send_due(self) -> int:
        """Claims due messages as far as there is room, and starts to send them. Returns how many were
        claimed.
        """
        due = await self._find_due() if len(self._attempts) < self._places else []
        random.shuffle(due)
        # The tenant with the fewest running attempts claims first.
        due.sort(key=lambda each: self._in_flight[each.tenant_id])
        begun = 0
        for number, tenant in enumerate(due):
            free = self._places - len(self._attempts)
            share = -(-free // (len(due) - number))
            if limit := min(share, self._most - self._in_flight[tenant.tenant_id]):
                begun += await self._claim(tenant, limit)
        return begun

    async def _turn(self) -> float:
        """Runs one pass and returns the seconds to wait after it."""
        try:
            if len(self._attempts) >= self._places:
                await asyncio.wait(self._attempts, timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED)
            return _PACE if await self.send_due() else _PAUSE
        except CONNECTION_ERRORS as error:
            logs.note("send mail: database lost", error=logs.where(error))
        except Exception as error:
            logs.log_failure("send mail failed", error)
        return _PAUSE

    async def _claim(self, tenant: DueTenant, limit: int) -> int:
        async with self._database.transaction(tenant.tenant_id) as tx:
            room = await quotas.find_mail_room(tx)
            if room is not None:
                limit = min(limit, max(0, room - self._in_flight[tenant.tenant_id]))
                self._log_hold(tenant.tenant_id, is_held=room == 0)
            claimed = await queries.claim(tx, limit, self._lease) if limit else []
        for message in claimed:
            self._in_flight[message.tenant_id] += 1
            task = asyncio.create_task(self._attempt(message, Brand(tenant.name, tenant.colour)))
            self._attempts.add(task)
            task.add_done_callback(self._attempts.discard)
        return len(claimed)

    def _log_hold(self, tenant_id: UUID, *, is_held: bool) -> None:
        """Logs once when a tenant's quota begins to hold its e-mails back."""
        if is_held and tenant_id not in self._held:
            metrics.count_quota_refusal("mails")
            logs.note("mail is held back by the quota", tenant=tenant_id)
        (self._held.add if is_held else self._held.discard)(tenant_id)

    async def _attempt(self, message: ClaimedMessage, brand: Brand) -> None:
        try:
            with tracing.span("send mail", _trace(message), parent=message.traceparent) as span:
                result = await self._send(message, brand)
                if result is None:
                    await self._drop(message)
                    return
                await self._record(message, result)
                if result.error:
                    span.fail(result.error)
            self._tell(message, result)
        except Exception as error:
            # It is sent again after the lease.
            logs.log_failure("record mail failed", error)
        finally:
            self._in_flight[message.tenant_id] -= 1
            if not self._in_flight[message.tenant_id]:
                del self._in_flight[message.tenant_id]

    def _tell(self, message: ClaimedMessage, result: SendResult) -> None:
        metrics.count_sent("mail", "failed" if result.error else "sent")
        fields: dict[str, Any] = {"tenant": message.tenant_id, "id": message.id}
        if message.request_id:
            fields["request_id"] = message.request_id
        if result.error:
            logs.trouble("mail not sent", **fields, error=result.error, attempt=message.attempts)
        else:
            logs.note("mail sent", **fields, attempt=message.attempts)

    async def _send(self, message: ClaimedMessage, brand: Brand) -> SendResult | None:
        """Returns None if the message is no longer true and was not sent."""
        try:
            content = await self._check(message, self._open(message))
            mail = self._compose(message, content, brand) if content else None
        except CONNECTION_ERRORS:
            raise
        except Exception as error:
            # A bug, or a kind of message that only a newer version knows.
            logs.log_failure("compose mail failed", error)
            return SendResult(error="failed")
        return await self._transport.send(mail) if mail else None

    def _open(self, message: ClaimedMessage) -> Content:
        opened = self._database.keyring.open(message.content, message.tenant_id, "mail_messages", message.id)
        return msgspec.json.decode(opened, type=Content, dec_hook=dec_hook)

    async def _check(self, message: ClaimedMessage, content: Content) -> Content | None:
        check = checks.find(content.message)
        if check is None or message.user_id is None:
            return content
        async with self._database.transaction(message.tenant_id, read_only=True) as tx:
            checked = await check(tx, message.user_id, content.message)
        return structs.replace(content, message=checked) if checked else None

    def _compose(self, message: ClaimedMessage, content: Content, brand: Brand) -> Mail:
        return compose(
            message.id,
            content,
            to_email=message.to_email,
            locale=message.locale,
            sender=self._sender,
            brand=brand,
            created_at=datetime.fromisoformat(message.created_at),
            request_id=message.request_id,
        )

    async def _drop(self, message: ClaimedMessage) -> None:
        async with self._database.transaction(message.tenant_id) as tx:
            await queries.drop(tx, message)

    async def _record(self, message: ClaimedMessage, result: SendResult) -> None:
        following = None
        if result.error and not result.final:
            following = rules.next_attempt(
                datetime.fromisoformat(message.created_at),
                self._database.clock(),
                message.attempts,
                random.random(),  # noqa: S311
            )
        for _ in range(_TRIES):
            try:
                async with self._database.transaction(message.tenant_id) as tx:
                    if await queries.record(tx, message, result, following) and result.error is None:
                        await usage.add(tx, mails=1)
                return
            except CONNECTION_ERRORS as error:
                logs.note("record mail: database lost", error=logs.where(error))
                await asyncio.sleep(_TRY_PAUSE)

    async def _wait(self, seconds: float | None) -> None:
        """Waits for running attempts. Those that take longer are cancelled, and become due again after
        their lease.
        """
        if self._attempts:
            _, late = await asyncio.wait(self._attempts, timeout=seconds)
            for each in late:
                each.cancel()


def _trace(message: ClaimedMessage) -> dict[str, str]:
    return {"trilha.tenant_id": str(message.tenant_id), "trilha.mail_id": str(message.id)}
