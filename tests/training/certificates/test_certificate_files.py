"""Links to PDFs are valid for 15 minutes and for one file, which is served as it was made."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from training.certificates.holders import attach, completed, read, revoke
from trilha.app import PERSONAL_DATA
from trilha.core.file_store import FileStore, open_file_store
from trilha.settings import Settings
from trilha.training.certificates import jobs

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 40


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


async def linked(world: World, store: FileStore) -> tuple[UUID, str]:
    """Creates a certificate with a PDF. Returns its link."""
    id = await completed(world)
    await attach(world, store, id, PDF + id.bytes)
    url = (await read(world, id))["pdf_url"]
    assert url.startswith(Settings().address)
    return id, url.removeprefix(Settings().address)


async def get(world: World, path: str, **headers: str) -> httpx2.Response:
    return await world.client().get(f"http://trilha.test{path}", headers=headers)


async def test_the_file(world: World, store: FileStore) -> None:
    id, link = await linked(world, store)
    answer = await get(world, link)
    assert (answer.status_code, answer.content) == (200, PDF + id.bytes)
    code = (await read(world, id))["verification_code"]
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == f'attachment; filename="certificado-{code}.pdf"'
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_part_of_it_and_none_where_it_is_known(world: World, store: FileStore) -> None:
    _, link = await linked(world, store)
    part = await get(world, link, range="bytes=0-7")
    assert (part.status_code, part.content) == (206, PDF[:8])
    known = await get(world, link, **{"if-none-match": part.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    assert (await get(world, link, range="bytes=999999-")).status_code == 416
    head = await world.client().head(f"http://trilha.test{link}")
    assert (head.status_code, head.content, head.headers["accept-ranges"]) == (200, b"", "bytes")


async def test_it_is_good_for_fifteen_minutes(world: World, store: FileStore) -> None:
    id, link = await linked(world, store)
    world.clock.move(minutes=14, seconds=59)
    assert (await get(world, link)).status_code == 200
    world.clock.move(seconds=1)
    refused = await get(world, link)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "link_expired")
    assert refused.headers["cache-control"] == "no-store"
    fresh = (await read(world, id))["pdf_url"].removeprefix(Settings().address)
    assert (await get(world, fresh)).status_code == 200


def edited(link: str, **members: Any) -> str:
    parts = urlsplit(link)
    return parts._replace(query=urlencode(dict(parse_qsl(parts.query)) | members)).geturl()


async def test_an_edited_one_is_refused(world: World, stranger: World, store: FileStore) -> None:
    id, link = await linked(world, store)
    other_id, other = await linked(world, store)
    theirs_id, theirs = await linked(stranger, store)
    query = dict(parse_qsl(urlsplit(link).query))
    flipped = ("1" if query["signature"][0] == "0" else "0") + query["signature"][1:]
    for forged in (
        edited(link, expires=int(query["expires"]) + 1),
        edited(link, expires=0),
        edited(link, signature=flipped),
        edited(link, signature=""),
        edited(link, signature="\u00e9"),
        link.replace(str(id), str(other_id)),
        link.replace(str(id), str(theirs_id)).replace(str(world.tenant.id), str(stranger.tenant.id)),
        link.replace(str(world.tenant.id), str(stranger.tenant.id)),
        link.replace("certificado-", "certificate-"),
        edited(other, **dict(parse_qsl(urlsplit(link).query))),
        edited(theirs, **query),
    ):
        refused = await get(world, forged)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "link_invalid"), forged


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 403), ("?expires=1", 403), ("?signature=a", 403), ("?expires=x&signature=a", 400), ("?x=1", 400)],
)
async def test_one_without_its_signature_is_refused(world: World, query: str, status: int) -> None:
    refused = await get(world, f"/certificates/{world.tenant.id}/{uuid4()}/x.pdf{query}")
    assert refused.status_code == status
    assert (await get(world, f"/certificates/7/{uuid4()}/x.pdf?expires=1&signature=a")).status_code == 404


async def test_a_revoked_one_can_still_be_read(world: World, store: FileStore) -> None:
    id, link = await linked(world, store)
    await revoke(world, id)
    assert (await get(world, link)).status_code == 200
    assert (await read(world, id))["pdf_url"] is not None


async def test_an_erased_persons_is_gone_at_once_and_its_file_soon(world: World, store: FileStore) -> None:
    id = await completed(world, enrollment=(enrollment := await world.enrollment()))
    await attach(world, store, id, PDF + id.bytes)
    link = (await read(world, id))["pdf_url"].removeprefix(Settings().address)
    key = f"certificates/{world.tenant.id}/{id}"
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    refused = await get(world, link)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "certificate_not_found")
    assert (await read(world, id))["pdf_url"] is None
    assert [keys async for keys in store.list_keys(key)]
    await jobs.RemoveFiles(store).run_once(world.database)
    assert not [keys async for keys in store.list_keys(key) if keys]
