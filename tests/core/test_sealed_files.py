"""Files with personal data are encrypted in the store, so the store alone reveals nothing."""

from pathlib import Path

import pytest

from trilha.core import sealed_files
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring, UnreadableSecret

CHUNK = 64 * 1024
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 17]
KEY = "certificates/a/b.pdf"


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return open_file_store(None, tmp_path / "files")


@pytest.fixture
def files(store: FileStore, keyring: Keyring) -> SealedFiles:
    return SealedFiles(store, keyring)


def content(size: int) -> bytes:
    return bytes((each * 7 + each // 251) % 256 for each in range(size))


async def read(files: SealedFiles | FileStore, key: str = KEY, *span: int) -> bytes:
    return b"".join([piece async for piece in files.read(key, *span)])


def path_of(store: FileStore, key: str = KEY) -> Path:
    path = store.local_path(key)
    assert path is not None
    return path


def stored(store: FileStore, key: str = KEY) -> bytes:
    return path_of(store, key).read_bytes()


def replace(store: FileStore, content: bytes, key: str = KEY) -> None:
    path_of(store, key).write_bytes(content)


def source_of(folder: Path, content: bytes) -> Path:
    path = folder / "source"
    path.write_bytes(content)
    return path


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", ["put", "move"])
async def test_a_file_comes_back_whole_and_in_parts(
    files: SealedFiles, store: FileStore, tmp_path: Path, size: int, way: str
) -> None:
    plain = content(size)
    if way == "put":
        await files.put(KEY, plain)
    else:
        await files.move(KEY, source_of(tmp_path, plain))
        assert names_in(tmp_path) == ["files"]
    assert await read(files) == plain
    ends = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, size - 1, size, size + 5]
    for start in ends:
        for stop in ends:
            if 0 <= start <= stop:
                assert await read(files, KEY, start, stop) == plain[start:stop], (start, stop)
    raw = stored(store)
    assert size < 16 or plain[:16] not in raw


async def test_two_files_of_one_content_have_nothing_in_common(files: SealedFiles, store: FileStore) -> None:
    for key in ("a", "b"):
        await files.put(key, content(100))
    one, other = (stored(store, key) for key in ("a", "b"))
    assert one[12:] != other[12:]
    assert one[44:] != other[44:]


@pytest.mark.parametrize("size", SIZES)
async def test_a_file_that_was_changed_does_not_open(files: SealedFiles, store: FileStore, size: int) -> None:
    await files.put(KEY, content(size))
    sealed = stored(store)
    head, chunk = 44, CHUNK + 16
    chunks = [sealed[at : at + chunk] for at in range(head, len(sealed), chunk)]
    changed = [sealed[:-1], sealed[:head], sealed[:20], sealed + b"\x00", sealed + chunks[-1]]
    changed += [
        sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :] for at in (9, 20, head, len(sealed) - 1)
    ]
    if len(chunks) > 1:
        changed += [
            sealed[: head + chunk],  # cut off at the end of a chunk
            sealed[:head] + b"".join([chunks[1], chunks[0], *chunks[2:]]),
            sealed[:head] + b"".join([*chunks[:1], *chunks[:1], *chunks[1:]]),
            sealed[:head] + b"".join(chunks[1:]),
        ]
    for each in changed:
        replace(store, each)
        with pytest.raises(UnreadableSecret):
            await read(files)


async def test_a_file_opens_in_its_own_place_alone(files: SealedFiles, store: FileStore) -> None:
    await files.put(KEY, content(10))
    replace(store, stored(store), "elsewhere")
    with pytest.raises(UnreadableSecret):
        await read(files, "elsewhere")


async def test_an_older_master_key_opens_what_it_sealed_and_the_newest_seals(store: FileStore) -> None:
    old, new = b"o" * 32, b"n" * 32
    await SealedFiles(store, Keyring([old])).put("old", b"then")
    rotated = SealedFiles(store, Keyring([new, old]))
    await rotated.put("new", b"now")
    assert await read(rotated, "old") + await read(rotated, "new") == b"thennow"
    assert stored(store, "old")[8:12] != stored(store, "new")[8:12]
    for key, keyring in (("new", Keyring([old])), ("old", Keyring([new]))):
        with pytest.raises(UnreadableSecret):
            await read(SealedFiles(store, keyring), key)


@pytest.mark.parametrize("size", SIZES)
async def test_a_file_gets_the_newest_master_key(store: FileStore, size: int) -> None:
    old, new = b"o" * 32, b"n" * 32
    await SealedFiles(store, Keyring([old])).put(KEY, content(size))
    both = SealedFiles(store, Keyring([new, old]))
    assert [await both.reseal(KEY), await both.reseal(KEY)] == [True, False]
    assert await read(SealedFiles(store, Keyring([new]))) == content(size)


async def test_what_was_stored_unsealed_is_read_and_sealed_once(files: SealedFiles, store: FileStore) -> None:
    await store.put(KEY, b"%PDF-1.7 Ana")
    assert await read(files) == b"%PDF-1.7 Ana"
    assert await read(files, KEY, 2, 5) == b"DF-"
    sealed = [await files.reseal(KEY), await files.reseal(KEY), await files.reseal("none")]
    assert sealed == [True, False, False]
    assert await read(files) == b"%PDF-1.7 Ana"
    assert b"Ana" not in stored(store)
    with pytest.raises(FileNotFoundError):
        await read(files, "none")


def test_the_mark_is_that_of_no_kind_of_file_that_is_stored() -> None:
    for first in (b"%PDF", b"\x1aE\xdf\xa3", b"OggS", b"PK\x03\x04", b"PAR1", b"RIFF"):
        assert not sealed_files._MARK.startswith(first)
