"""Stores files such as packages and media in a folder of this machine, or in a bucket.

A file has a key and never changes. Writing is atomic: the file is written to a temporary place and then
moved.
"""

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from msgspec import Struct
from obstore.store import LocalStore, ObjectStore, from_url

from trilha.core.files import make_folder

SCHEMES = ("s3", "gs", "az", "file")
_PIECE = 256 * 1024
# At most two such parts of an upload are in memory.
_PART = 5 * 1024 * 1024
_KEY = re.compile(r"(?!.*(^|/)\.{1,2}(/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_LONGEST_KEY = 512


def files_url(text: str) -> str:
    """Validates a URL for `open_file_store`. Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme not in SCHEMES or (parts.scheme == "file") == bool(parts.netloc):
        raise ValueError(text)
    return text


def open_file_store(url: str | None, folder: Path) -> "FileStore":
    """Opens the store at the URL, or in this folder. Connects, or creates the folder, at the first use."""
    if url and not url.startswith("file:"):
        # Credentials and regions come from the environment, under the provider's own names.
        return FileStore(partial(from_url, url))
    place = (Path(unquote(urlsplit(url).path)) if url else folder).resolve()
    return FileStore(partial(_local, place), place)


def _local(folder: Path) -> ObjectStore:
    make_folder(folder, 0o700)
    return LocalStore(folder, automatic_cleanup=True)


class ListedFile(Struct, frozen=True):
    """A file of a listing. `version` changes when the content does."""

    key: str
    size: int
    version: str


class FileStore:
    """A file store. `folder` is set if the files are on this machine. Keys must be ASCII, else ValueError."""

    def __init__(self, open: Callable[[], ObjectStore], folder: Path | None = None) -> None:
        self._open = open
        self._folder = folder

    # obstore's blocking calls run in our threads: with its coroutines, one of its threads may return to
    # Python while a command is ending, which aborts the process.

    @cached_property
    def _store(self) -> ObjectStore:
        return self._open()

    async def put(self, key: str, source: Path | bytes) -> None:
        """Copies the source in parts, so that a large file is never in memory. An existing file is
        replaced.
        """
        await asyncio.to_thread(
            obstore.put, self._store, _check_key(key), source, chunk_size=_PART, max_concurrency=2
        )

    async def move(self, key: str, source: Path) -> None:
        """Like `put`, but removes the source. Within one disk nothing is copied."""
        _ = self._store  # creates the folder, for this user alone
        place = self.local_path(key)
        if place is None or not await asyncio.to_thread(_rename, source, place):
            await self.put(key, source)
            await asyncio.to_thread(source.unlink)

    async def size(self, key: str) -> int | None:
        """Returns the size in bytes, or None if there is no such file."""
        try:
            return (await asyncio.to_thread(obstore.head, self._store, _check_key(key)))["size"]
        except FileNotFoundError:
            return None

    async def exists(self, key: str) -> bool:
        return await self.size(key) is not None

    async def read(self, key: str, start: int = 0, stop: int | None = None) -> AsyncIterator[bytes]:
        """Yields the bytes from `start` up to `stop` in pieces. Raises FileNotFoundError."""
        if stop is not None and stop <= start:
            return
        span = (start, stop) if stop is not None else {"offset": start} if start else None
        options: obstore.GetOptions = {} if span is None else {"range": span}  # type: ignore[typeddict-item]
        result = await asyncio.to_thread(obstore.get, self._store, _check_key(key), options=options)
        pieces = iter(result.stream(min_chunk_size=_PIECE))
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield bytes(piece)

    async def list_keys(self, prefix: str, before: datetime | None = None) -> AsyncIterator[Sequence[str]]:
        """Yields the keys below a prefix in batches. With `before`, only of files stored earlier."""
        batches = iter(obstore.list(self._store, _check_key(prefix), chunk_size=1000))
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            yield [each["path"] for each in batch if before is None or each["last_modified"] < before]

    async def list_files(self) -> AsyncIterator[Sequence[ListedFile]]:
        """Yields all files in batches."""
        batches = iter(obstore.list(self._store, chunk_size=1000))
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            yield [_describe(each) for each in batch]

    async def list_below(self, prefix: str) -> AsyncIterator[Sequence[ListedFile]]:
        """Yields the files below a prefix in batches."""
        batches = iter(obstore.list(self._store, _check_key(prefix), chunk_size=1000))
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            yield [_describe(each) for each in batch]

    async def delete(self, *keys: str) -> None:
        """Deletes files. Missing files are ignored."""
        for key in keys:
            try:
                await asyncio.to_thread(obstore.delete, self._store, _check_key(key))
            except FileNotFoundError:
                continue

    async def delete_below(self, prefix: str) -> int:
        """Deletes every file below a prefix, and returns how many."""
        count = 0
        async for keys in self.list_keys(prefix):
            await self.delete(*keys)
            count += len(keys)
        return count

    def local_path(self, key: str) -> Path | None:
        """Returns the path of a file, whether or not it exists; None if the files are not on this machine."""
        _check_key(key)
        return self._folder / key if self._folder else None

    async def settle(self) -> None:
        """Flushes to disk, so that a crash of the machine loses no file."""
        if self._folder:
            await asyncio.to_thread(os.sync)


def _describe(listed: "obstore.ObjectMeta") -> ListedFile:
    version = f"{listed['e_tag']} {listed['last_modified'].timestamp()}"
    return ListedFile(listed["path"], listed["size"], version)


def _check_key(key: str) -> str:
    if len(key) > _LONGEST_KEY or not _KEY.fullmatch(key):
        raise ValueError(f"not a key: {key[:100]!r}")
    return key


def _rename(source: Path, place: Path) -> bool:
    """Returns False if the places are on different disks."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.replace(place)
    except OSError as error:
        if error.errno == errno.EXDEV:
            return False
        raise
    return True
