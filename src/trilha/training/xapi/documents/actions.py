"""Writes documents, with the preconditions of HTTP (RFC 9110 section 13.1)."""

import hashlib
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, Conflict
from trilha.training.xapi import decoding
from trilha.training.xapi.documents import queries
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.errors import refuse
from trilha.training.xapi.schema import Document
from trilha.training.xapi.times import count_microseconds

JSON = "application/json"
MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
MAX_DOCUMENT_VALUES = 100_000
_TRIES = 3  # to create a document that others create at the same time


class Demand(Enum):
    """When a PUT needs a precondition: for every document, only to replace one, or never."""

    ALWAYS = "always"
    REPLACING = "replacing"
    NEVER = "never"


class Preconditions(Struct, frozen=True):
    """The entity tags of If-Match and If-None-Match; empty if the header is absent."""

    match: Sequence[str] = ()
    none_match: Sequence[str] = ()

    def check(self, document: Document | None) -> None:
        """Raises BadRequest (document_changed)."""
        etag = document and document.etag
        if self.match and not ((document and "*" in self.match) or etag in self.match):
            raise BadRequest("document_changed")
        if self.none_match and document and ("*" in self.none_match or etag in self.none_match):
            raise BadRequest("document_changed")

    @property
    def is_empty(self) -> bool:
        return not self.match and not self.none_match


def build_document(tx: Tx, content_type: str, content: bytes) -> Document:
    etag = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    return Document(content_type, content, etag, count_microseconds(tx.now))


async def put(
    tx: Tx, place: Place, name: str, sent: Document, preconditions: Preconditions, demand: Demand
) -> None:
    """Replaces a document. Raises ApiError."""

    def replace(stored: Document | None) -> Document:
        preconditions.check(stored)
        if preconditions.is_empty and stored is not None and demand is not Demand.NEVER:
            raise Conflict("document_exists")
        if preconditions.is_empty and demand is Demand.ALWAYS:
            raise refuse("invalid_xapi_parameter", "Send If-Match with the ETag, or If-None-Match: *.")
        return sent

    await _write(tx, place, name, replace)


async def post(tx: Tx, place: Place, name: str, sent: Document, preconditions: Preconditions) -> None:
    """Merges the members of two JSON objects, or creates the document. Raises ApiError."""

    def merge(stored: Document | None) -> Document:
        preconditions.check(stored)
        if stored is None:
            if is_json(sent.content_type):
                _read_object(sent.content)
            return sent
        if not is_json(stored.content_type) or not is_json(sent.content_type):
            raise refuse("invalid_xapi_content", "Only two JSON documents can be merged.")
        members = _read_object(stored.content) | _read_object(sent.content)
        merged = build_document(tx, sent.content_type, _join(members))
        if len(merged.content) > MAX_DOCUMENT_BYTES:
            raise BadRequest("payload_too_large")
        return merged

    await _write(tx, place, name, merge)


async def delete(tx: Tx, place: Place, name: str, preconditions: Preconditions) -> None:
    preconditions.check(await queries.lock(tx, place, name))
    await queries.delete(tx, place, name)


async def _write(tx: Tx, place: Place, name: str, change: Callable[[Document | None], Document]) -> None:
    """Stores what `change` makes of the stored document. Raises Conflict (document_exists) if others create
    and delete it again and again.
    """
    for _ in range(_TRIES):
        stored = await queries.lock(tx, place, name)
        document = change(stored)
        if stored is not None:
            return await queries.update(tx, place, name, document)
        if await queries.insert(tx, place, name, document):
            return None
    raise Conflict("document_exists")


def is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == JSON


def check_json(content: bytes) -> Any:
    """Raises ApiError for malformed JSON."""
    return decoding.decode(content, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES)


def _read_object(content: bytes) -> dict[str, bytes]:
    if not isinstance(check_json(content), dict):
        raise refuse("invalid_xapi_content", "The document must be a JSON object.")
    return decoding.split_members(content)


def _join(members: dict[str, bytes]) -> bytes:
    pairs = (msgspec.json.encode(name) + b":" + raw for name, raw in members.items())
    return b"{" + b",".join(pairs) + b"}"
