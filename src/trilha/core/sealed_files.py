"""Encrypts files with personal data before they reach the file store.

The format is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015) over AES-256-GCM:

    mark (8 bytes) | key id (4) | salt (32) | chunks

Each chunk is 64 KiB of the file and a tag of 16 bytes; the last one may be shorter or empty. Each file has
its own key, derived from a master key, the salt and the file's key in the store, so that a file copied to
another place does not open. A chunk's nonce is its number and whether it is the last one, so that moved,
repeated or truncated chunks do not open either. Older files without the mark are not encrypted and are
read unchanged.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from trilha.core.file_store import FileStore
from trilha.core.secrets import Keyring, UnreadableSecret

_MARK = b"trlseal\x01"
_KEY_ID_BYTES, _SALT_BYTES, _TAG_BYTES = 4, 32, 16
_HEAD_BYTES = len(_MARK) + _KEY_ID_BYTES + _SALT_BYTES
_CHUNK = 64 * 1024
_SEALED_CHUNK = _CHUNK + _TAG_BYTES


class ReadableFiles(Protocol):
    """A source of files for responses."""

    def read(self, key: str, start: int = 0, stop: int | None = None) -> AsyncIterator[bytes]: ...


class SealedFiles:
    """Files of a store that are sealed when written and opened when read."""

    def __init__(self, files: FileStore, keyring: Keyring) -> None:
        self._files = files
        self._keyring = keyring

    async def put(self, key: str, content: bytes) -> None:
        """Seals a file that fits into memory. An existing file is replaced."""
        await self._files.put(key, await asyncio.to_thread(self._seal, key, content))

    async def move(self, key: str, source: Path) -> None:
        """Seals a file of any size in chunks, and removes the source."""
        draft = source.with_name(f"{source.name}.sealed")
        try:
            await asyncio.to_thread(self._seal_file, key, source, draft)
            await self._files.move(key, draft)
        finally:
            await asyncio.to_thread(draft.unlink, missing_ok=True)
        await asyncio.to_thread(source.unlink)

    async def read(self, key: str, start: int = 0, stop: int | None = None) -> AsyncIterator[bytes]:
        """Yields the bytes from `start` up to `stop` in pieces.

        Raises FileNotFoundError, and UnreadableSecret for a file that was changed.
        """
        total = await self._files.size(key)
        if total is None:
            raise FileNotFoundError(key)
        head = await self._head(key)
        if not head.startswith(_MARK):
            async for piece in self._files.read(key, start, stop):
                yield piece
            return
        cipher, last = self._cipher(key, head), _last_chunk(total)
        size = total - _HEAD_BYTES - (last + 1) * _TAG_BYTES
        if size < 0:
            raise UnreadableSecret("the sealed file was cut short")
        stop = size if stop is None else min(stop, size)
        if stop <= start and size > 0:
            return
        # Reading to the end includes the last chunk, which proves that the file was not truncated.
        number, until = start // _CHUNK, last if stop == size else (stop - 1) // _CHUNK
        async for sealed in self._chunks(key, number, until, total):
            opened = await asyncio.to_thread(_open, cipher, key, number, sealed, is_last=number == last)
            begins = number * _CHUNK
            if piece := opened[max(start - begins, 0) : stop - begins]:
                yield piece
            number += 1

    async def is_sealed(self, key: str) -> bool:
        """Raises FileNotFoundError."""
        return (await self._head(key)).startswith(_MARK)

    async def find_key_id(self, key: str) -> bytes | None:
        """Returns the id of a file's master key; None if it is not sealed. Raises FileNotFoundError."""
        head = await self._head(key)
        return head[len(_MARK) :][:_KEY_ID_BYTES] if head.startswith(_MARK) else None

    async def reseal(self, key: str) -> bool:
        """Seals a file with the newest master key if it was stored unencrypted, or sealed with an older one.

        Returns False if nothing was to be done, or the file is missing. Raises UnreadableSecret.
        """
        try:
            if await self.find_key_id(key) == self._keyring.current:
                return False
            with tempfile.TemporaryDirectory() as folder:
                draft = Path(folder) / "sealed"
                await self._write_sealed(key, draft)
                await self._files.put(key, draft)
        except FileNotFoundError:
            return False
        return True

    async def _write_sealed(self, key: str, target: Path) -> None:
        """Writes the file to a place on this machine, sealed with the newest key. Never in plain."""
        sealing, held = _Sealing(self._keyring, key), bytearray()
        with await asyncio.to_thread(open, target, "xb", opener=_for_us_alone) as file:
            file.write(sealing.head)
            async for piece in self.read(key):
                held += piece
                # The last chunk is sealed as such, so a full one waits for its follower.
                while len(held) > _CHUNK:
                    file.write(await asyncio.to_thread(sealing.seal, bytes(held[:_CHUNK])))
                    del held[:_CHUNK]
            file.write(sealing.seal(bytes(held), is_last=True))

    async def delete(self, *keys: str) -> None:
        await self._files.delete(*keys)

    async def settle(self) -> None:
        await self._files.settle()

    async def _head(self, key: str) -> bytes:
        return b"".join([piece async for piece in self._files.read(key, 0, _HEAD_BYTES)])

    async def _chunks(self, key: str, first: int, last: int, total: int) -> AsyncIterator[bytes]:
        """Yields the sealed chunks from `first` to `last`; the file's last one may be shorter."""
        stop = min(_HEAD_BYTES + (last + 1) * _SEALED_CHUNK, total)
        held = bytearray()
        async for piece in self._files.read(key, _HEAD_BYTES + first * _SEALED_CHUNK, stop):
            held += piece
            while len(held) >= _SEALED_CHUNK:
                yield bytes(held[:_SEALED_CHUNK])
                del held[:_SEALED_CHUNK]
        if held:
            yield bytes(held)

    def _cipher(self, key: str, head: bytes) -> AESGCM:
        """Raises UnreadableSecret."""
        if len(head) < _HEAD_BYTES:
            raise UnreadableSecret("the sealed file was cut short")
        rest = head[len(_MARK) :]
        return self._keyring.file_cipher(rest[_KEY_ID_BYTES:], key, rest[:_KEY_ID_BYTES])[1]

    def _seal(self, key: str, content: bytes) -> bytes:
        chunks = [content[at : at + _CHUNK] for at in range(0, len(content), _CHUNK)] or [b""]
        return b"".join(self._pieces(key, iter(chunks)))

    def _seal_file(self, key: str, source: Path, target: Path) -> None:
        with source.open("rb") as plain, open(target, "xb", opener=_for_us_alone) as sealed:
            for piece in self._pieces(key, _chunks_of(plain)):
                sealed.write(piece)

    def _pieces(self, key: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        sealing = _Sealing(self._keyring, key)
        yield sealing.head
        chunk = next(chunks, b"")
        for following in chunks:
            yield sealing.seal(chunk)
            chunk = following
        yield sealing.seal(chunk, is_last=True)


class StreamSealer:
    """Seals a stream of any size into a file of this machine, bound to a name."""

    def __init__(self, file: BinaryIO, keyring: Keyring, name: str) -> None:
        self._file = file
        self._sealing = _Sealing(keyring, name)
        self._held = bytearray()
        file.write(self._sealing.head)

    def write(self, data: bytes) -> None:
        self._held += data
        # The last chunk is sealed as such, so a full one waits for its follower.
        while len(self._held) > _CHUNK:
            self._file.write(self._sealing.seal(bytes(self._held[:_CHUNK])))
            del self._held[:_CHUNK]

    def close(self) -> None:
        """Seals the end, without which the stream does not open. The file stays open."""
        self._file.write(self._sealing.seal(bytes(self._held), is_last=True))


def open_stream(file: BinaryIO, keyring: Keyring, name: str) -> Iterator[bytes]:
    """Yields what a StreamSealer wrote. Raises UnreadableSecret."""
    head = file.read(_HEAD_BYTES)
    if len(head) < _HEAD_BYTES or not head.startswith(_MARK):
        raise UnreadableSecret("it is not encrypted")
    rest = head[len(_MARK) :]
    _, cipher = keyring.file_cipher(rest[_KEY_ID_BYTES:], name, rest[:_KEY_ID_BYTES])
    number, sealed = 0, file.read(_SEALED_CHUNK)
    while True:
        following = file.read(_SEALED_CHUNK)
        yield _open(cipher, name, number, sealed, is_last=not following)
        if not following:
            return
        number, sealed = number + 1, following


class _Sealing:
    """Seals the chunks of one file, in their order, after its head."""

    def __init__(self, keyring: Keyring, key: str) -> None:
        salt = os.urandom(_SALT_BYTES)
        key_id, self._cipher = keyring.file_cipher(salt, key)
        self.head = _MARK + key_id + salt
        self._number = 0

    def seal(self, chunk: bytes, *, is_last: bool = False) -> bytes:
        nonce = _nonce(self._number, is_last=is_last)
        self._number += 1
        return self._cipher.encrypt(nonce, chunk, _MARK)


def _chunks_of(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _last_chunk(total: int) -> int:
    """Returns the number of the last chunk of a sealed file of `total` bytes. Raises UnreadableSecret."""
    if total < _HEAD_BYTES + _TAG_BYTES:
        raise UnreadableSecret("the sealed file was cut short")
    return (total - _HEAD_BYTES - 1) // _SEALED_CHUNK


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11) + (b"\x01" if is_last else b"\x00")


def _open(cipher: AESGCM, key: str, number: int, sealed: bytes, *, is_last: bool) -> bytes:
    try:
        return cipher.decrypt(_nonce(number, is_last=is_last), sealed, _MARK)
    except (InvalidTag, ValueError) as error:
        raise UnreadableSecret("the sealed file was changed, or is of another place") from error
