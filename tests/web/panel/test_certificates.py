"""/admin/certificates"""

import io
import re
import zipfile
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from conftest import CPF, World
from training.certificates.holders import attach, completed, revoke, row, stored
from trilha.app import PERSONAL_DATA
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.types import Timestamp
from trilha.people.users import actions as users
from trilha.people.users.schema import UserPatch
from trilha.settings import Settings
from trilha.training.certificates import archive
from trilha.training.certificates.archive import name_of
from trilha.training.certificates.schema import CertificateFile
from web.panel.signing_in import signed_in
from web.panel.training_pages import (
    actions_on_record,
    browsing,
    flash,
    id_of,
    manage,
    rows,
    send,
    teach,
    unit,
)

LIST = "/admin/certificates"
PDF = b"%PDF-1.7\n" + bytes(range(256)) * 2000


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


async def certified(world: World, name: str, *, course_id: UUID | None = None, **members: Any) -> UUID:
    """Returns the certificate of a new person, in a new course unless one is given."""
    course = {key: members.pop(key) for key in ("title", "certificate_validity_months") if key in members}
    user = await world.user(name=name, **members)
    course_id = course_id or await world.course(**course)
    return await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course_id))


async def test_the_list_is_searched_filtered_and_sorted(world: World) -> None:
    admin = await browsing(world)
    assert "No certificates yet" in (await admin.get(LIST)).text
    ana = await certified(world, "Ana Lima", title="Altura", cpf=CPF)
    world.clock.move(days=1)
    bia = await certified(world, "Bia Sá", title="Fogo", certificate_validity_months=2)
    held = await stored(world, ana)

    async def found(**params: object) -> list[str]:
        admin = await browsing(world)  # a session ends after a day
        return rows((await admin.get(LIST, params=params)).text)

    assert await found() == ["Bia Sá", "Ana Lima"]
    assert await found(sort="issued") == ["Ana Lima", "Bia Sá"]
    assert await found(q="lima") == ["Ana Lima"]
    assert await found(q="fogo") == ["Bia Sá"]
    assert await found(q="529.982.247-25") == ["Ana Lima"]
    assert await found(q=held.display_code.lower()) == ["Ana Lima"]
    assert await found(q="0000-0000-0000-0000") == []
    assert await found(course=held.course_id) == ["Ana Lima"]
    assert await found(user=held.user_id) == ["Ana Lima"]
    assert await found(enrollment=held.enrollment_id) == ["Ana Lima"]
    assert await found(status="valid") == ["Bia Sá", "Ana Lima"]
    assert await found(status="expiring") == []
    today = datetime.fromisoformat((await stored(world, bia)).issued_at) - timedelta(hours=3)
    assert await found(since=today.date()) == ["Bia Sá"]
    assert await found(until=today.date() - timedelta(days=1)) == ["Ana Lima"]
    world.clock.move(days=35)
    assert await found(status="expiring") == ["Bia Sá"]
    world.clock.move(days=40)
    assert await found(status="expired") == ["Bia Sá"]
    assert await found(status="renewal") == ["Bia Sá"]
    assert await found(status="valid") == ["Ana Lima"]
    await revoke(world, ana)
    assert await found(status="revoked") == ["Ana Lima"]
    admin = await browsing(world)
    page = (await admin.get(LIST, params={"q": "x", "status": "valid"})).text
    assert f'href="{LIST}?status=valid"' in page  # the chip that removes the search
    assert "***" not in (await admin.get(LIST)).text


async def test_whoever_takes_the_course_again_is_not_asked_to(world: World) -> None:
    admin = await browsing(world)
    id = await certified(world, "Ana Lima", certificate_validity_months=1)
    held = await stored(world, id)
    world.clock.move(days=40)
    admin = await browsing(world)
    assert rows((await admin.get(LIST, params={"status": "renewal"})).text) == ["Ana Lima"]
    assert "has expired and was not renewed" in (await admin.get("/admin")).text
    await world.enrollment(user_id=held.user_id, course_id=held.course_id)
    assert rows((await admin.get(LIST, params={"status": "renewal"})).text) == []
    assert rows((await admin.get(LIST, params={"status": "expired"})).text) == ["Ana Lima"]


async def test_pages_of_rows_follow_each_other(world: World) -> None:
    admin = await browsing(world)
    course, names = await world.course(), [f"Pessoa {number:02}" for number in range(23)]
    for name in names:
        world.clock.move(seconds=1)
        await certified(world, name, course_id=course)
    page = (await admin.get(LIST)).text
    more = page.partition('id="more"')[2].partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    rest = (await admin.get(more, headers={"hx-request": "true"})).text
    assert "<html" not in rest
    assert rows(page) + rows(rest) == names[::-1]


async def test_one_certificate_with_what_it_says(world: World, store: FileStore) -> None:
    admin = await browsing(world)
    id = await certified(world, "Ana Lima", title="Altura", cpf=CPF)
    page = (await admin.get(f"{LIST}/{id}")).text
    held = await stored(world, id)
    assert "The PDF is being created" in page
    digest = await attach(world, store, id, PDF)
    page = (await admin.get(f"{LIST}/{id}")).text
    for words in (
        *("Ana Lima", "***.***.***-25", "Altura", held.display_code, f"/verify/{held.display_code}"),
        *(digest.hex(), (b"h" * 32).hex(), f"/admin/enrollments/{held.enrollment_id}", "Issued"),
    ):
        assert words in page
    assert not re.search(r"529\.?982", page)
    link = (await admin.get(f"{LIST}/{id}/pdf")).headers["location"]
    file = await world.client().get(link)
    assert (file.status_code, file.content) == (200, PDF)


async def test_one_that_expires_says_so(world: World) -> None:
    id = await certified(world, "Ana Lima", certificate_validity_months=2)
    for days, state in ((0, "Valid"), (70, "Expired")):
        world.clock.move(days=days)
        admin = await browsing(world)  # a session ends after a day
        answer = await admin.get(f"{LIST}/{id}")
        assert (answer.status_code, f">{state}<" in re.sub(r"\s*\n?</span>", "<", answer.text)) == (200, True)


async def test_who_reaches_what(world: World, store: FileStore, stranger: World) -> None:
    factory = await unit(world, "Fábrica")
    taught = await world.course(title="Altura")
    ana = await certified(world, "Ana Lima", business_unit_id=str(factory), title="Fogo")
    bia = await certified(world, "Bia Sá", course_id=taught)
    carla = await certified(world, "Carla Reis")
    for each in (ana, bia, carla):
        await attach(world, store, each, PDF + each.bytes)
    manager, teacher = await browsing(world, "gestor"), await browsing(world, "instrutor")
    await manage(world, factory, await id_of(world, "gestor"))
    await teach(world, taught, await id_of(world, "instrutor"))
    for client, own in ((manager, ana), (teacher, bia)):
        name = {ana: "Ana Lima", bia: "Bia Sá"}[own]
        assert rows((await client.get(LIST)).text) == [name]
        assert rows((await client.get(LIST, params={"q": "Carla"})).text) == []
        assert rows((await client.get(LIST, params={"q": name})).text) == [name]
        for each, seen in ((own, [name]), (carla, [])):
            user = str((await stored(world, each)).user_id)
            assert rows((await client.get(LIST, params={"user": user, "q": name})).text) == seen
        code = (await stored(world, carla)).display_code
        assert rows((await client.get(LIST, params={"q": code})).text) == []
        assert (await client.get(f"{LIST}/{own}")).status_code == 200
        assert (await client.get(f"{LIST}/{own}/pdf")).status_code == 303
        for path in (f"{LIST}/{carla}", f"{LIST}/{carla}/pdf"):
            assert (await client.get(path)).status_code == 404
        assert (await client.get(f"{LIST}/{own}/revoke")).status_code == 403
        names = zipfile.ZipFile(io.BytesIO((await client.get(f"{LIST}.zip")).content)).namelist()
        assert [each.partition(" - ")[0] for each in names] == [name]
        ticked = await send(client, f"{LIST}/zip", id=[str(carla), str(own)])
        assert len(zipfile.ZipFile(io.BytesIO(ticked.content)).namelist()) == 1
    nobody = await browsing(stranger)
    assert (await nobody.get(f"{LIST}/{ana}")).status_code == 404
    assert (await send(nobody, f"{LIST}/zip", id=[str(ana)])).status_code == 303


async def test_revoking_asks_why_and_for_the_name(world: World) -> None:
    admin = await browsing(world)
    id = await certified(world, "Ana Lima")
    address = f"{LIST}/{id}/revoke"
    assert "To confirm, type Ana Lima" in (await admin.get(address)).text
    assert "Enter the reason." in (await send(admin, address, reason=" ", typed="Ana Lima")).text
    refused = await send(admin, address, reason="Copied", typed="Ana")
    assert refused.status_code == 422
    assert "Type it exactly as shown above." in refused.text
    assert "Copied" in refused.text
    assert (await stored(world, id)).revoked_at is None
    assert (
        flash(await send(admin, address, reason="Copied", typed="ana lima")) == "The certificate was revoked."
    )
    page = (await admin.get(f"{LIST}/{id}")).text
    assert "Copied" in page
    assert f'href="{address}"' not in page
    assert "certificate.revoked" in await actions_on_record(world)


async def test_an_erased_persons_is_revoked_by_its_code(world: World) -> None:
    admin = await browsing(world)
    id = await certified(world, "Zuleide Prado")
    held = await stored(world, id)
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, held.user_id)
    assert rows((await admin.get(LIST)).text) == ["Personal data erased"]
    page = (await admin.get(f"{LIST}/{id}")).text
    assert "Zuleide" not in page
    assert "/reissue" not in page
    done = await send(admin, f"{LIST}/{id}/revoke", reason="Requested on", typed=held.display_code)
    assert flash(done) == "The certificate was revoked."
    refused = await send(admin, f"{LIST}/{id}/reissue")
    assert refused.status_code in (409, 422)
    assert "was erased, so the certificate cannot be reissued" in refused.text


async def test_it_is_issued_anew_after_a_name_was_corrected(world: World) -> None:
    admin = await browsing(world)
    id = await certified(world, "Ana Lmia")
    held = await stored(world, id)
    assert "To correct the name, edit the profile first" in (await admin.get(f"{LIST}/{id}/reissue")).text
    async with world.tx() as tx:
        await users.update(tx, held.user_id, UserPatch(name="Ana Lima"))  # type: ignore[arg-type]
    assert "issued to Ana Lima" in (await admin.get(f"{LIST}/{id}/reissue")).text
    done = await send(admin, f"{LIST}/{id}/reissue")
    new = UUID(done.headers["location"].rpartition("/")[2])
    assert (await stored(world, new)).holder_name == "Ana Lima"
    old = (await admin.get(f"{LIST}/{id}")).text
    assert f'href="{LIST}/{new}"' in old
    assert "Replaced" in old
    page = (await admin.get(f"/admin/enrollments/{held.enrollment_id}")).text
    assert held.display_code in page
    assert (await stored(world, new)).display_code in page
    of_person = (await admin.get(f"/admin/people/{held.user_id}/certificates")).text
    assert of_person.count(f'href="{LIST}/') == 2


async def test_a_pdf_that_could_not_be_made_is_tried_again(world: World) -> None:
    admin = await browsing(world)
    id = await certified(world, "Ana Lima")
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE certificates SET render_due_at = NULL, render_tries = 5, render_error = 'out of memory'
            WHERE tenant_id = :tenant AND id = :id
            """,
            id=id,
        )
    assert "The PDF of 1 certificate could not be created" in (await admin.get("/admin")).text
    assert rows((await admin.get(LIST, params={"status": "failed"})).text) == ["Ana Lima"]
    page = (await admin.get(f"{LIST}/{id}")).text
    assert "out of memory" in page
    assert "Attempts: 5" in page
    assert flash(await send(admin, f"{LIST}/{id}/retry")) == "The PDF is being created again."
    now = await row(world, id)
    assert (now["render_tries"], now["render_error"]) == (0, None)
    assert now["render_due_at"] is not None
    assert rows((await admin.get(LIST, params={"status": "failed"})).text) == []


async def test_an_archive_of_what_was_found(world: World, store: FileStore) -> None:
    admin = await browsing(world)
    course = await world.course(title="Direção/Defensiva: «básica»")
    ids = [await certified(world, name, course_id=course) for name in ("Ana Lima", "Ana Lima", "../../etc")]
    for each in ids[:2]:
        await attach(world, store, each, PDF + each.bytes)
    answer = await admin.get(f"{LIST}.zip", params={"course": str(course)})
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].endswith('.zip"')
    with zipfile.ZipFile(io.BytesIO(answer.content)) as found:
        assert found.testzip() is None
        assert {found.read(name) for name in found.namelist()} == {PDF + each.bytes for each in ids[:2]}
        for name in found.namelist():
            assert name.startswith("Ana Lima - Direção Defensiva «básica» - ")
    none = await send(admin, f"{LIST}/zip", id=[str(ids[2])])
    assert flash(none) == "Select at least one certificate that has a PDF."
    assert flash(await send(admin, f"{LIST}/zip")) == "Select at least one certificate that has a PDF."


async def test_an_archive_has_so_many_and_says_that_there_are_more(
    world: World, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_CERTIFICATES", 1)
    admin = await signed_in(world)
    for _ in range(2):
        id = await certified(world, "Ana Lima")
        await attach(world, store, id, PDF + id.bytes)
    with zipfile.ZipFile(io.BytesIO((await admin.get(f"{LIST}.zip")).content)) as found:
        assert [name for name in found.namelist() if name.endswith(".txt")] == ["read me.txt"]
        assert len(found.namelist()) == 2


@pytest.mark.parametrize(
    "name", ["../../x", "C:\\x", "a/b", "\u202egnp.exe", "CON", "...", "x\x00y", "n" * 120]
)
async def test_names_in_an_archive_lead_nowhere(name: str) -> None:
    now = Timestamp.of(datetime.now().astimezone())
    file = CertificateFile(UUID(int=1), "0123456789ABCDEF", name, name, now, "k", now)
    made = name_of(file)
    assert made.endswith("0123-4567-89AB-CDEF.pdf")
    assert not set(made) & set('/\\:*?"<>|\x00\u202e')
    assert not made.startswith(".")
    assert len(made) < 200
