"""Reads the statements and attachments of a request."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.errors import ApiError, BadRequest
from trilha.training.xapi import decoding, multipart
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.calls import Call
from trilha.training.xapi.documents.actions import JSON
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.multipart import MULTIPART, Part
from trilha.training.xapi.schema import Attachment
from trilha.training.xapi.signatures import USAGE, check_signature
from trilha.training.xapi.statements import (
    NewStatement,
    ReceivedStatement,
    build_statement,
    check_ids,
    list_attachments,
    read_statement,
)

MAX_JSON_BYTES = 8 * 1024 * 1024
# After so many statements, other requests have their turn.
_STATEMENTS_AT_ONCE = 20
_HASHES = {56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}


def _refuse(message: str) -> ApiError:
    return refuse("invalid_xapi_content", message)


async def read_submission(
    call: Call,
    content: bytes,
    authority: Mapping[str, Any],
    now: datetime,
    *,
    statement_id: UUID | None = None,
) -> Submission:
    """Reads the body; `statement_id` is that of the address, for a single statement. Raises ApiError."""
    text, parts = _split(call, content)
    if len(text) > MAX_JSON_BYTES:
        raise BadRequest("payload_too_large")
    texts, is_list = decoding.split_statements(text)
    if statement_id is not None and is_list:
        raise _refuse("The body must be one statement.")
    received: list[ReceivedStatement] = []
    for number, each in enumerate(texts, 1):
        if number % _STATEMENTS_AT_ONCE == 0:
            await asyncio.sleep(0)
        received.append(read_statement(each, is_second=call.is_second))
    attachments = await asyncio.to_thread(_match, received, parts) if parts else _match(received, [])
    sent = {each.sha2 for each in attachments}
    statements: list[NewStatement] = []
    for number, one in enumerate(received, 1):
        if number % _STATEMENTS_AT_ONCE == 0:
            await asyncio.sleep(0)
        if statement_id is not None and "id" in one.value and UUID(one.value["id"]) != statement_id:
            raise refuse("invalid_statement", "The id of the statement is not that of the address.")
        statements.append(
            build_statement(one, authority, now, is_second=call.is_second, id=statement_id, sent=sent)
        )
    check_ids(statements)
    return Submission(statements, attachments)


def _split(call: Call, content: bytes) -> tuple[bytes, Sequence[Part]]:
    """Returns the JSON of the statements, and the parts after it."""
    if call.media_type == JSON:
        return content, ()
    if call.media_type != MULTIPART:
        raise _refuse("The Content-Type must be application/json or multipart/mixed.")
    first, *others = multipart.split_parts(content, multipart.get_boundary(call.content_type))
    if first.media_type != JSON:
        raise _refuse("The first part must be application/json.")
    return first.content, others


def _match(received: Sequence[ReceivedStatement], parts: Sequence[Part]) -> list[Attachment]:
    """Returns the attachments of the parts, each with the hash that a statement gives. Raises ApiError."""
    described = [(one, each) for one in received for each in list_attachments(one)]
    types = {each["sha2"].lower(): each["contentType"] for _, each in described}
    attachments: dict[str, Attachment] = {}
    for part in parts:
        sha2 = part.headers.get("x-experience-api-hash", "").lower()
        if sha2 not in types:
            raise _refuse("A part has no X-Experience-API-Hash, or one that no statement names.")
        if part.headers.get("content-transfer-encoding", "").lower() != "binary":
            raise _refuse("A part must have the header Content-Transfer-Encoding: binary.")
        if hashlib.new(_HASHES[len(sha2)], part.content).hexdigest() != sha2:
            raise _refuse("The content of a part does not have its hash.")
        attachments[sha2] = Attachment(sha2, types[sha2], part.content)
    if any(sum(_signs(each) for each in list_attachments(one)) > 1 for one in received):
        raise _refuse("A statement may have one signature.")
    for one, each in described:
        _check_description(one, each, attachments.get(each["sha2"].lower()))
    return list(attachments.values())


def _check_description(
    one: ReceivedStatement, description: dict[str, Any], attachment: Attachment | None
) -> None:
    if attachment is None:
        if "fileUrl" not in description:
            raise _refuse("An attachment without a fileUrl must be sent as a part.")
        return
    # The hash vouches for the content. Some clients state the length of another encoding.
    if _signs(description):
        check_signature(description, attachment.content, one.value)


def _signs(description: dict[str, Any]) -> bool:
    return bool(description["usageType"] == USAGE)
