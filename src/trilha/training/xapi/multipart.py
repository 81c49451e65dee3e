"""Reads and writes multipart/mixed bodies: statements and the files attached to them (RFC 2046)."""

import re
from collections.abc import Sequence
from email.message import Message

from msgspec import Struct

from trilha.core.errors import ApiError
from trilha.training.xapi.errors import refuse

MULTIPART = "multipart/mixed"
MAX_PARTS = 200
_MAX_HEADER_BYTES = 4096
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")


class Part(Struct, frozen=True):
    """A part. Names of headers are in lower case."""

    headers: dict[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def _refuse(message: str) -> ApiError:
    return refuse("invalid_xapi_content", message)


def get_boundary(content_type: str) -> str:
    """Returns the boundary in a Content-Type. Raises ApiError."""
    header = Message()
    header["content-type"] = content_type[:1000]
    try:
        boundary = header.get_param("boundary")
    except (TypeError, ValueError, LookupError):  # of malformed continuations (RFC 2231)
        boundary = None
    if not isinstance(boundary, str) or not _BOUNDARY.fullmatch(boundary):
        raise _refuse("The Content-Type has no valid boundary.")
    return boundary


def split_parts(body: bytes, boundary: str) -> list[Part]:
    """Splits a body into its parts. Raises ApiError."""
    mark = b"--" + boundary.encode()
    body = b"\r\n" + body
    pieces = body.split(b"\r\n" + mark, MAX_PARTS + 2)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        raise _refuse("The body does not end with its boundary, or has too many parts.")
    return [_read_part(piece) for piece in pieces[1:-1]]


def _read_part(piece: bytes) -> Part:
    line, _, rest = piece.partition(b"\r\n")
    head, blank, content = rest.partition(b"\r\n\r\n")
    if line.strip(b" \t"):
        raise _refuse("A line with the boundary has something else in it.")
    if rest.startswith(b"\r\n"):
        return Part({}, rest[2:])
    if not blank or len(head) > _MAX_HEADER_BYTES:
        raise _refuse("A part has no end of its headers, or too long ones.")
    headers = {}
    for each in head.split(b"\r\n"):
        name, colon, value = each.partition(b":")
        if not colon:
            raise _refuse("A part has a malformed header.")
        headers[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
    return Part(headers, content)


def join_parts(parts: Sequence[Part], boundary: str) -> bytes:
    mark = f"--{boundary}".encode()
    pieces: list[bytes] = []
    for part in parts:
        head = "".join(f"{name}: {value}\r\n" for name, value in part.headers.items())
        pieces += [mark, b"\r\n", head.encode("latin-1", "replace"), b"\r\n", part.content, b"\r\n"]
    return b"".join([*pieces, mark, b"--\r\n"])
