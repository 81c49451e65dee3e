"""The file of an exported tenant: frames in a stream that is encrypted like a sealed file.

    kind (1 byte) | length (4) | content

The first frame is the manifest. A table's header is followed by its rows, and a file's header by its content.
The last frame is the summary, so that a file that was cut short is not taken for whole. Everything is
compressed but the contents of files.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO, Literal, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.sealed_files import StreamSealer, open_stream
from trilha.core.secrets import Keyring, UnreadableSecret
from trilha.core.types import Timestamp, dec_hook, to_json
from trilha.platform.tenants.operator import TenantError

T = TypeVar("T")
NAME = "tenant-archive"
FORMAT = 1
Kind = Literal[b"M", b"T", b"R", b"F", b"D", b"E"]
_HEAD_BYTES = 5
# Larger than any frame that is written.
_MAX_FRAME = 1 << 30


class Manifest(Struct, frozen=True, kw_only=True):
    """The beginning of an archive. `migrations` are those of the schema that the rows have."""

    format: int
    version: str
    migrations: list[str]
    exported_at: Timestamp
    tenant_id: UUID
    slug: str
    name: str
    environment: str
    locale: str
    created_at: Timestamp
    domains: list[str]


class TableHeader(Struct, frozen=True):
    name: str
    columns: list[str]


class FileHeader(Struct, frozen=True):
    """A file of the file store. `is_sealed` says whether the store encrypts it."""

    key: str
    is_sealed: bool


class Summary(Struct, frozen=True):
    """The end of an archive: rows by table, and the number and bytes of the files."""

    rows: dict[str, int]
    files: int
    file_bytes: int


class ArchiveWriter:
    def __init__(self, file: BinaryIO, keyring: Keyring) -> None:
        self._stream = StreamSealer(file, keyring, NAME)

    def write_value(self, kind: Kind, value: Struct) -> None:
        self.write(kind, to_json(value))

    def write(self, kind: Kind, content: bytes) -> None:
        packed = content if kind == b"D" else zlib.compress(content, 1)
        self._stream.write(kind + len(packed).to_bytes(4) + packed)

    def close(self) -> None:
        self._stream.close()


class ArchiveReader:
    """Reads frames. Raises TenantError for a file that does not open or is not whole."""

    def __init__(self, file: BinaryIO, keyring: Keyring) -> None:
        self._pieces = open_stream(file, keyring, NAME)
        self._held = bytearray()

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        while head := self._read(_HEAD_BYTES, may_end=True):
            kind, length = bytes(head[:1]), int.from_bytes(head[1:])
            if length > _MAX_FRAME:
                raise TenantError("The file is not an exported tenant.")
            content = self._read(length)
            yield kind, content if kind == b"D" else zlib.decompress(content)

    def _read(self, count: int, *, may_end: bool = False) -> bytes:
        try:
            while len(self._held) < count:
                self._held += next(self._pieces)
        except StopIteration:
            if may_end and not self._held:
                return b""
            raise TenantError("The file was cut short.") from None
        except UnreadableSecret as error:
            raise TenantError(f"The file does not open with TRILHA_TRANSFER_KEY ({error}).") from None
        content = bytes(self._held[:count])
        del self._held[:count]
        return content


def read_value(content: bytes, kind: type[T]) -> T:
    return msgspec.json.decode(content, type=kind, dec_hook=dec_hook)
