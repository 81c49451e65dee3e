"""The place of backups: a folder or a bucket that stores encrypted objects only.

    files/<name>                     the content of a file, once for all backups that need it
    backups/<id>/tables/<n>/<part>   rows of a table, compressed
    backups/<id>/files/<n>           the list of the backup's files, in pieces
    backups/<id>/manifest            written last, so that only a complete backup has one

Objects are encrypted like sealed files, with keys derived from the backup key and bound to their names: an
object that was changed, exchanged or cut short does not open.
"""

import asyncio
import hashlib
import tempfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import msgspec

from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring, UnreadableSecret
from trilha.core.types import dec_hook, to_json
from trilha.platform.backups.schema import Manifest

T = TypeVar("T")
_MANIFEST = "manifest"
_DIGEST_BYTES = 32


class BackupError(RuntimeError):
    """A backup cannot be made, read or restored. The message is one sentence."""


class Destination:
    def __init__(self, store: FileStore, keyring: Keyring) -> None:
        self._store = store
        self._sealed = SealedFiles(store, keyring)
        self._keyring = keyring

    async def put(self, key: str, content: bytes) -> int:
        """Stores an object compressed, and returns its size."""
        packed = await asyncio.to_thread(zlib.compress, content, 1)
        await self._sealed.put(key, packed)
        return len(packed)

    async def read(self, key: str) -> bytes:
        """Reads an object that `put` stored. Raises BackupError."""
        unpacker, content = zlib.decompressobj(), bytearray()
        async for piece in self._open(key):
            content += await asyncio.to_thread(unpacker.decompress, piece)
        return bytes(content + unpacker.flush())

    async def put_value(self, key: str, value: object) -> int:
        return await self.put(key, to_json(value))

    async def read_value(self, key: str, kind: type[T]) -> T:
        """Raises BackupError."""
        try:
            return msgspec.json.decode(await self.read(key), type=kind, dec_hook=dec_hook)
        except msgspec.MsgspecError:
            raise BackupError(f"{key} was written by a newer version of Trilha; use that one.") from None

    async def put_file(self, name: str, source: AsyncIterator[bytes]) -> int:
        """Stores a file of any size with the hash of its content, and returns its size."""
        digest, size = hashlib.sha256(), 0
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder) / "file"
            with await asyncio.to_thread(draft.open, "xb") as file:
                async for piece in source:
                    digest.update(piece)
                    size += len(piece)
                    file.write(piece)
                file.write(digest.digest())
            await self._sealed.move(name, draft)
        return size

    async def read_file(self, name: str, size: int) -> AsyncIterator[bytes]:
        """Yields a file's content, and checks it at the end. Raises BackupError."""
        digest, left = hashlib.sha256(), size
        trailer = b""
        async for piece in self._open(name):
            content, trailer = piece[:left], trailer + piece[left:]
            left -= len(content)
            digest.update(content)
            if content:
                yield content
        if left or trailer != digest.digest():
            raise BackupError(f"{name} does not have the content that was backed up.")

    async def _open(self, key: str) -> AsyncIterator[bytes]:
        """Raises BackupError, also for an object that is not encrypted, which anybody could have written."""
        try:
            if await self._sealed.find_key_id(key) is None:
                raise BackupError(f"{key} is not encrypted; somebody has replaced it.")
            async for piece in self._sealed.read(key):
                yield piece
        except FileNotFoundError:
            raise BackupError(f"{key} is missing at the destination.") from None
        except UnreadableSecret as error:
            raise BackupError(f"{key} does not open with TRILHA_BACKUP_KEY ({error}).") from None

    def name_of(self, key: str, version: str) -> str:
        """Returns the name of a file's content. It reveals nothing, and changes when the file does."""
        name = self._keyring.mac(b"backup-file", key.encode(), version.encode()).hex()
        return f"files/{name[:2]}/{name[2:]}"

    async def list_names(self) -> set[str]:
        """Returns the names of all contents at the destination."""
        return {key async for keys in self._store.list_keys("files") for key in keys}

    async def list_ids(self) -> tuple[list[str], list[str]]:
        """Returns the ids of the complete backups, the oldest first, and those of unfinished ones."""
        ids: dict[str, bool] = {}
        async for keys in self._store.list_keys("backups"):
            for key in keys:
                _, id, rest = key.split("/", 2)
                ids[id] = ids.get(id, False) or rest == _MANIFEST
        return sorted(id for id, whole in ids.items() if whole), sorted(
            id for id, whole in ids.items() if not whole
        )

    async def find_id(self, id: str | None) -> str:
        """Returns this id, or that of the latest backup. Raises BackupError."""
        ids, _ = await self.list_ids()
        if not ids:
            raise BackupError("There is no complete backup at TRILHA_BACKUP_URL.")
        if id is not None and id not in ids:
            raise BackupError(
                f"There is no complete backup {id}; `trilha backup list` shows which there are."
            )
        return id or ids[-1]

    async def read_manifest(self, id: str) -> Manifest:
        """Raises BackupError."""
        return await self.read_value(f"backups/{id}/{_MANIFEST}", Manifest)

    async def put_manifest(self, manifest: Manifest) -> None:
        """Completes a backup. Everything else is on disk before."""
        await self._store.settle()
        await self.put_value(f"backups/{manifest.id}/{_MANIFEST}", manifest)
        await self._store.settle()

    async def delete_backup(self, id: str) -> None:
        """The manifest goes first, so that what is left never looks complete."""
        await self._store.delete(f"backups/{id}/{_MANIFEST}")
        await self._store.delete_below(f"backups/{id}")

    async def delete(self, *names: str) -> None:
        await self._store.delete(*names)


def table_part(id: str, table: int, part: int) -> str:
    return f"backups/{id}/tables/{table:04}/{part:06}"


def file_list(id: str, number: int) -> str:
    return f"backups/{id}/files/{number:06}"
