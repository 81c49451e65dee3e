"""/admin/courses/{id}/modules"""

import hashlib
import re
from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import World
from media_files import mp4, pdf, vtt, webm
from training.learning.learners import learner
from trilha.settings import Settings
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses.schema import AuthoredModule, ModulePatch
from web.panel.authoring import led_to, modules, stored, upload
from web.panel.meanwhile import waiting
from web.panel.training_pages import browsing, flash, id_of, send, teach
from web.player import materials

VIDEO = ("Aula 1.mp4", mp4(90), "video/mp4")
CAPTIONS = ("aula.vtt", vtt("Olá"), "text/vtt")


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await browsing(world)


@pytest.fixture
async def course_id(world: World) -> UUID:
    return await world.course(modules=[], publish=False)


async def only(world: World, course_id: UUID) -> AuthoredModule:
    (found,) = await modules(world, course_id)
    async with world.tx() as tx:
        return await module_queries.get(tx, course_id, found.id)


async def test_the_kinds_are_offered(admin: httpx2.AsyncClient, course_id: UUID) -> None:
    page = (await admin.get(f"/admin/courses/{course_id}/modules/new")).text
    for kind in ("video", "document", "article"):
        assert f'href="/admin/courses/{course_id}/modules/new/{kind}"' in page
    assert f'href="/admin/packages/new?course={course_id}"' in page


async def test_a_video_with_captions_in_two_languages(
    world: World, admin: httpx2.AsyncClient, course_id: UUID, settings: Settings
) -> None:
    new = f"/admin/courses/{course_id}/modules/new/video"
    added = await upload(admin, new, file=VIDEO, captions=CAPTIONS, language="pt-BR", required="true")
    assert flash(added) == "The video was added."
    module = await only(world, course_id)
    assert (module.title, module.type, module.duration_minutes, module.required) == (
        "Aula 1",
        "VIDEO",
        2,
        True,
    )
    assert [each["language"] for each in module.content["captions"]] == ["pt-BR"]
    assert len(stored(settings, world)) == 2
    address = f"/admin/courses/{course_id}/modules/{module.id}"
    for language, line in (("en", "Hello"), ("pt-BR", "Oi"), ("en", "Hi")):
        sent = await upload(admin, f"{address}/captions", file=("x.vtt", vtt(line), ""), language=language)
        assert flash(sent) == "The captions were saved."
    module = await only(world, course_id)
    assert [each["language"] for each in module.content["captions"]] == ["pt-BR", "en"]
    page = (await admin.get(address)).text
    assert "Portuguese (Brazil)" in page
    assert "Aula 1.mp4" in page
    first = module.content["captions"][0]["file_id"]
    await send(admin, f"{address}/captions/remove", file_id=first)
    assert [each["language"] for each in (await only(world, course_id)).content["captions"]] == ["en"]
    replaced = await upload(admin, f"{address}/file", file=("b.webm", webm(1), "video/webm"))
    assert flash(replaced) == "The file was replaced."
    after = await only(world, course_id)
    assert after.content["file_id"] != module.content["file_id"]
    assert after.content["captions"] == [
        each for each in module.content["captions"] if each["file_id"] != first
    ]


@pytest.mark.parametrize(
    ("form", "fields", "left"),
    [
        ("file", {"file": ("b.webm", webm(1), "video/webm")}, ["pt-BR", "fr"]),
        ("captions", {"file": ("x.vtt", vtt("Hi"), ""), "language": "en"}, ["pt-BR", "fr", "en"]),
        ("captions/remove", {}, ["fr"]),
    ],
)
async def test_captions_that_were_added_meanwhile_stay(
    world: World,
    admin: httpx2.AsyncClient,
    settings: Settings,
    form: str,
    fields: dict[str, Any],
    left: list[str],
) -> None:
    film = await materials.stored(world, settings, mp4(1))
    words = {each: await materials.stored(world, settings, vtt(each)) for each in ("pt-BR", "fr")}
    shown = materials.video(film, **{"pt-BR": words["pt-BR"]})
    course_id = await world.course(modules=[{"title": "V", "duration_minutes": 1, **shown}])
    module = await only(world, course_id)
    removed = {"file_id": str(words["pt-BR"])}
    change = ModulePatch(content=materials.video(film, **words)["content"])
    address = f"/admin/courses/{course_id}/modules/{module.id}/{form}"
    async with world.tx() as tx:
        await module_actions.change(tx, course_id, module.id, change)
        sending = upload(admin, address, **fields) if fields else send(admin, address, **removed)
        request = await waiting(tx, sending)
    assert (await request).status_code == 303
    assert [each["language"] for each in (await only(world, course_id)).content["captions"]] == left


async def test_a_document_tells_its_pages(world: World, admin: httpx2.AsyncClient, course_id: UUID) -> None:
    new = f"/admin/courses/{course_id}/modules/new/document"
    added = await upload(
        admin, new, file=("manual.pdf", pdf(3), "application/pdf"), title="Manual", duration_minutes="15"
    )
    assert flash(added) == "The document was added."
    module = await only(world, course_id)
    assert (module.title, module.type, module.duration_minutes, module.required) == (
        "Manual",
        "DOCUMENT",
        15,
        False,
    )
    page = (await admin.get(f"/admin/courses/{course_id}/modules/{module.id}")).text
    assert re.search(r"<dt>Pages</dt><dd>3</dd>", page)


@pytest.mark.parametrize(
    ("kind", "name", "content", "says"),
    [
        ("video", "a.mp4", pdf(1), "another format"),
        ("video", "a.mp4", b"<html>", "another format"),
        ("document", "a.pdf", mp4(1), "another format"),
        ("document", "a.pdf", b"%PDF-1.7\nnothing", "cannot be read"),
        ("video", "", b"", "Choose a file"),
    ],
)
async def test_another_file_is_refused_and_not_kept(
    world: World,
    admin: httpx2.AsyncClient,
    course_id: UUID,
    settings: Settings,
    kind: str,
    name: str,
    content: bytes,
    says: str,
) -> None:
    answer = await upload(admin, f"/admin/courses/{course_id}/modules/new/{kind}", file=(name, content, ""))
    assert (answer.status_code, says in answer.text) == (422, True), answer.text
    assert await modules(world, course_id) == []
    assert stored(settings, world) == set()


async def test_wrong_captions_keep_nothing(
    world: World, admin: httpx2.AsyncClient, course_id: UUID, settings: Settings
) -> None:
    new = f"/admin/courses/{course_id}/modules/new/video"
    answer = await upload(admin, new, file=VIDEO, captions=("x.srt", b"1\n00:00", ""))
    assert (answer.status_code, 'id="captions-error"' in answer.text) == (422, True)
    assert await modules(world, course_id) == []
    assert stored(settings, world) == set()


async def test_a_file_that_another_upload_names_meanwhile_stays(
    world: World, admin: httpx2.AsyncClient, settings: Settings
) -> None:
    film = await materials.stored(world, settings, mp4(1))
    part = {"title": "V", "duration_minutes": 1, **materials.video(film)}
    course_id = await world.course(modules=[part], publish=False)
    module = await only(world, course_id)
    before = stored(settings, world)
    content = webm(3)
    address = f"/admin/courses/{course_id}/modules/{module.id}/file"
    async with world.tx() as tx:
        await module_actions.remove(tx, course_id, module.id)
        sha256 = hashlib.sha256(content).hexdigest()
        await module_queries.insert_media(
            tx, sha256=sha256, media_type="video/webm", size=len(content), name="a.webm"
        )
        request = await waiting(tx, upload(admin, address, file=("b.webm", content, "video/webm")))
    assert (await request).status_code == 404
    assert len(stored(settings, world) - before) == 1


async def test_an_article_is_written_and_changed(
    world: World, admin: httpx2.AsyncClient, course_id: UUID
) -> None:
    new = f"/admin/courses/{course_id}/modules/new/article"
    added = await send(admin, new, title="Texto", body="# Olá <b>", duration_minutes="5", required="true")
    module_id = led_to(added)
    address = f"/admin/courses/{course_id}/modules/{module_id}"
    assert "# Olá &lt;b&gt;" in (await admin.get(address)).text
    changed = await send(admin, address, title="Outro", body="*Oi*", duration_minutes="7")
    assert flash(changed) == "The module was saved."
    module = await only(world, course_id)
    assert (module.title, module.body, module.duration_minutes, module.required) == (
        "Outro",
        "*Oi*\n",
        7,
        False,
    )
    refused = await send(admin, address, title="", body="Fica")
    assert (refused.status_code, ">Fica</textarea>" in refused.text) == (422, True)


async def test_a_module_is_dragged_to_its_place_and_says_which(
    world: World, admin: httpx2.AsyncClient
) -> None:
    parts = [{"title": each, "duration_minutes": 1} for each in "ABC"]
    course_id = await world.course(modules=parts)
    address = f"/admin/courses/{course_id}/modules"
    first, _, last = await modules(world, course_id)
    headers = {"hx-request": "true", "x-csrf-token": admin.headers["x-csrf-token"]}
    moved = await admin.post(f"{address}/{last.id}/move", data={"position": "1"}, headers=headers)
    assert "C: 1 of 3" in moved.text
    assert "<html" not in moved.text
    titles = re.findall(r'<input class="input outline__title"[^>]* value="([^"]+)"', moved.text)
    assert titles == ["C", "A", "B"]
    await send(admin, f"{address}/{first.id}/move", position=2, move="down")
    assert [each.title for each in await modules(world, course_id)] == ["C", "B", "A"]
    await send(admin, f"{address}/{first.id}/move", position=3, move="down")
    assert [each.title for each in await modules(world, course_id)] == ["C", "B", "A"]
    assert (await send(admin, f"{address}/{first.id}/move", move="down")).status_code == 422


async def test_removing_says_how_many_have_begun(world: World, admin: httpx2.AsyncClient) -> None:
    ana = await learner(world, 10, 30)
    await ana.launch()
    course_id = UUID((await ana.read())["course_id"])
    address = f"/admin/courses/{course_id}/modules/{{}}/remove"
    begun, other = (address.format(each) for each in ana.modules)
    assert "People who have started it: 1." in (await admin.get(begun)).text
    assert "People who have started it: 0." in (await admin.get(other)).text
    assert flash(await send(admin, begun)) == "M0 was removed."
    assert (await admin.get(begun)).status_code == 404
    refused = await send(admin, other)
    assert (refused.status_code, "needs at least one required module" in refused.text) == (422, True)
    assert [each.title for each in await modules(world, course_id)] == ["M1"]


async def test_who_may_not_change_modules(world: World, stranger: World) -> None:
    course_id = await world.course()
    (module,) = await modules(world, course_id)
    teacher, manager, other = (
        await browsing(world, "instrutor"),
        await browsing(world, "gestor"),
        await browsing(stranger),
    )
    here = f"/admin/courses/{course_id}/modules"
    for client, status in ((teacher, 404), (manager, 403), (other, 404)):
        for page in (
            "new",
            "new/video",
            "new/document",
            "new/article",
            f"{module.id}",
            f"{module.id}/remove",
        ):
            assert (await client.get(f"{here}/{page}")).status_code == status, page
        assert (await send(client, f"{here}/{module.id}", title="X")).status_code == status
        assert (await send(client, f"{here}/{module.id}/remove")).status_code == status
        assert (await send(client, f"{here}/new/article", title="X")).status_code == status
        assert (await upload(client, f"{here}/new/video", file=VIDEO)).status_code == status
        assert (await upload(client, f"{here}/{module.id}/file", file=VIDEO)).status_code == status
    await teach(world, course_id, await id_of(world, "instrutor"))
    assert (await teacher.get(f"{here}/{module.id}")).status_code == 200
    assert [each.title for each in await modules(world, course_id)] == ["Um"]
