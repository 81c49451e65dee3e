"""Stored files: written as a whole or not at all, under keys that stay inside the store."""

import re
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from trilha.core.file_store import FileStore, files_url, open_file_store


@pytest.fixture(params=["folder", "bucket"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    return open_file_store(None, tmp_path / "files") if request.param == "folder" else FileStore(MemoryStore)


async def whole(files: FileStore, key: str, start: int = 0, stop: int | None = None) -> bytes:
    return b"".join([piece async for piece in files.read(key, start, stop)])


async def test_what_is_put_is_read_in_whole_and_in_part(files: FileStore, tmp_path: Path) -> None:
    content = bytes(range(256)) * 40_000  # more than one part
    (tmp_path / "source").write_bytes(content)
    await files.put("a/b/1", tmp_path / "source")
    assert await files.size("a/b/1") == len(content)
    assert await whole(files, "a/b/1") == content
    assert await whole(files, "a/b/1", 10) == content[10:]
    assert await whole(files, "a/b/1", 10, 20) == content[10:20]
    assert await whole(files, "a/b/1", 20, 20) == b""
    assert (tmp_path / "source").exists()


async def test_an_empty_file_is_one(files: FileStore) -> None:
    await files.put("a", b"")
    assert (await files.exists("a"), await files.size("a"), await whole(files, "a")) == (True, 0, b"")


async def test_what_is_moved_is_gone_where_it_was(files: FileStore, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"x")
    await files.put("a", b"earlier")
    await files.move("a", tmp_path / "source")
    assert await whole(files, "a") == b"x"
    assert not (tmp_path / "source").exists()


async def test_what_is_not_there(files: FileStore) -> None:
    assert (await files.exists("a"), await files.size("a")) == (False, None)
    with pytest.raises(FileNotFoundError):
        await whole(files, "a")
    await files.delete("a")
    assert await files.delete_below("a") == 0


async def test_everything_below_is_removed_and_nothing_else(files: FileStore) -> None:
    for key in ("a/1", "a/b/2", "ab/3"):
        await files.put(key, b"x")
    assert await files.delete_below("a") == 2
    assert [await files.exists(key) for key in ("a/1", "a/b/2", "ab/3")] == [False, False, True]


BAD_KEYS = ["", "/a", "a/", "a//b", "../a", "a/../b", "a/.", "a\\b", "ä", "a b", "a\0", "x" * 513]


@pytest.mark.parametrize("key", BAD_KEYS)
async def test_a_key_leads_nowhere_else(files: FileStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        await files.put(key, b"x")
    with pytest.raises(ValueError, match="not a key"):
        files.local_path(key)


async def test_a_folder_is_this_user_s_alone(tmp_path: Path) -> None:
    files = open_file_store(None, tmp_path / "files")
    assert not (tmp_path / "files").exists()
    (tmp_path / "source").write_bytes(b"x")
    await files.move("a/1", tmp_path / "source")
    assert (tmp_path / "files").stat().st_mode & 0o777 == 0o700
    assert files.local_path("a/1") == tmp_path / "files" / "a" / "1"
    await files.settle()
    assert FileStore(MemoryStore).local_path("a") is None


async def test_a_url_names_another_folder(tmp_path: Path) -> None:
    files = open_file_store((tmp_path / "meus arquivos").as_uri(), tmp_path / "files")
    await files.put("a", b"x")
    assert (tmp_path / "meus arquivos" / "a").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("s3://bucket/path", True),
        ("gs://bucket", True),
        ("az://container", True),
        ("file:///srv/files", True),
        ("file://host/srv", False),
        ("s3:///path", False),
        ("https://bucket.example.com", False),
        ("/srv/files", False),
        ("", False),
    ],
)
def test_which_urls_are_taken(url: str, taken: bool) -> None:
    if taken:
        assert files_url(url) == url
    else:
        with pytest.raises(ValueError, match=f"^{re.escape(url)}$"):
            files_url(url)
