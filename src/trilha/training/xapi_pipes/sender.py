"""Sends statements over HTTP. It never raises: every failure of a receiver is a `SendResult`."""

import asyncio
import importlib
import secrets
from base64 import b64encode
from collections.abc import Sequence
from urllib.parse import quote
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import system_clock
from trilha.core.outbound.fetching import AGENT, find_reason
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.platform.webhooks.delivery.retry_schedule import parse_retry_after
from trilha.training.xapi import multipart
from trilha.training.xapi.multipart import Part
from trilha.training.xapi.schema import Attachment
from trilha.training.xapi_pipes.schema import ClaimedPipe, SendResult

SECONDS = 30.0
_MAX_RESPONSE = 256 * 1024


class Statement(Struct, frozen=True):
    """A statement in the form in which it is sent."""

    id: UUID
    stored: int
    content: bytes
    attachments: Sequence[Attachment] = ()


class Sender:
    """Sends through the guard, with one connection for each request."""

    def __init__(self, guard: Guard, *, seconds: float = SECONDS) -> None:
        self._guard = guard
        self._seconds = seconds

    async def post(self, pipe: ClaimedPipe, password: str, statements: Sequence[Statement]) -> SendResult:
        """Sends a batch, which the receiver stores whole or not at all."""
        content = b"[" + b",".join(each.content for each in statements) + b"]"
        attachments = {one.sha2: one for each in statements for one in each.attachments}
        return await self._send("POST", pipe, password, "/statements", content, list(attachments.values()))

    async def put(self, pipe: ClaimedPipe, password: str, statement: Statement) -> SendResult:
        """Sends one statement."""
        path = f"/statements?statementId={quote(str(statement.id))}"
        return await self._send("PUT", pipe, password, path, statement.content, statement.attachments)

    async def _send(
        self,
        method: str,
        pipe: ClaimedPipe,
        password: str,
        path: str,
        content: bytes,
        attachments: Sequence[Attachment],
    ) -> SendResult:
        content_type = "application/json"
        if attachments:
            boundary = f"trilha-{secrets.token_hex(16)}"
            parts = [Part({"Content-Type": content_type}, content), *map(_build_part, attachments)]
            content = multipart.join_parts(parts, boundary)
            content_type = f"{multipart.MULTIPART}; boundary={boundary}"
        headers = {
            "Authorization": f"Basic {b64encode(f'{pipe.username}:{password}'.encode()).decode()}",
            "X-Experience-API-Version": pipe.version,
            "Content-Type": content_type,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": AGENT,
        }
        # It is slow to import and few processes need it, so it is imported in a thread.
        guarded = await asyncio.to_thread(importlib.import_module, "trilha.core.outbound.http")
        try:
            # Checked again, because the setting may have changed since the address was stored.
            url = guarded.build_url(self._guard.parse(pipe.url + path))
            async with (
                asyncio.timeout(self._seconds),
                guarded.open_session(self._guard) as session,
                session.request(method, url, data=content, headers=headers, allow_redirects=False) as answer,
            ):
                await answer.content.read(_MAX_RESPONSE)
                retry_after = parse_retry_after(answer.headers.get("Retry-After"), system_clock())
                return SendResult(http_status=answer.status, retry_after=retry_after)
        except BlockedAddress:
            return SendResult(error="address_not_allowed")
        except Exception as error:
            return SendResult(error=find_reason(guarded, error))


def _build_part(attachment: Attachment) -> Part:
    headers = {
        "Content-Type": attachment.content_type,
        "Content-Transfer-Encoding": "binary",
        "X-Experience-API-Hash": attachment.sha2,
    }
    return Part(headers, attachment.content)
