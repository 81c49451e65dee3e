"""Previews of modules for authors, and the texts and images of articles."""

import html
import io
import re
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx2
import pytest
from PIL import Image

import media_files
from conftest import World
from contract.test_tenancy import OWN
from training.scorm.packages import package
from trilha.settings import Settings
from trilha.training.courses import module_actions
from trilha.training.courses.schema import ModulePatch
from web.panel.authoring import led_to, modules, upload
from web.panel.meanwhile import waiting
from web.panel.training_pages import browsing, flash, id_of, send, teach
from web.player.materials import article, document, image, stored, video
from web.player.playing import taught


class Frame:
    """The content inside the page of the player."""

    def __init__(self, world: World, page: str) -> None:
        found = re.search(r'<iframe id="content"[^>]* src="([^"]+)"', page)
        assert found, page
        self.address = urlsplit(html.unescape(found[1]))
        self.http = world.client()

    async def get(self, path: str = "") -> httpx2.Response:
        return await self.http.get(self.address.path + path, headers={"host": self.address.netloc})

    async def post(self, kind: str, **said: Any) -> httpx2.Response:
        body = said | {"launch": {"sequence": 1, "final": True, "sent_at": 0}}
        return await self.http.post(
            self.address.path + kind, json=body, headers={"host": self.address.netloc}
        )


async def opened(world: World, client: httpx2.AsyncClient, course_id: UUID, n: int = 0) -> Frame:
    module = (await modules(world, course_id))[n]
    answer = await client.get(f"/admin/courses/{course_id}/modules/{module.id}/preview")
    assert answer.status_code == 200, answer.text
    assert "Preview: nothing is saved" in answer.text
    assert f'href="/admin/courses/{course_id}/modules/{module.id}"' in answer.text
    return Frame(world, answer.text)


async def kept(world: World) -> list[str]:
    """Returns all data of the tenant, except the preview itself, the session, and the HTML of its
    articles.
    """
    async with world.tx() as tx:
        return [
            row["line"]
            for table in OWN
            if table not in ("previews", "sessions", "rendered_lessons")
            for row in await tx.rows(
                f"SELECT t::text AS line FROM {table} t WHERE tenant_id = :tenant ORDER BY line"
            )
        ]


async def test_a_package_is_played_and_leaves_no_trace(world: World, settings: Settings) -> None:
    admin = await browsing(world)
    course = await taught(world, settings, package())
    before = await kept(world)
    frame = await opened(world, admin, course.course_id)
    page = await frame.get()
    assert (page.status_code, '"review":false' in page.text) == (200, True)
    assert "runtime" in page.text or "scorm" in page.text
    assert (await frame.get("p/index.html")).status_code == 200
    for kind, said in (
        ("commit", {"cmi": {"core": {"lesson_status": "passed", "score": {"raw": "100"}}}}),
        ("heartbeat", {"visible": True}),
        ("trace", {"calls": [{"at": 1, "name": "LMSInitialize"}]}),
    ):
        answer = await frame.post(kind, **said)
        assert (answer.status_code, answer.json()["result"]) == (200, True), kind
    assert await kept(world) == before
    # A reload starts again, and opening the same module again ends the first preview.
    assert "passed" not in (await frame.get()).text
    await opened(world, admin, course.course_id)
    assert (await frame.get()).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-origin", "sec-purpose": "prefetch;prerender"},
        {"sec-fetch-site": "same-origin", "purpose": "prefetch"},
    ],
)
async def test_nothing_is_previewed_that_nobody_asked_for(
    world: World, settings: Settings, headers: dict[str, str]
) -> None:
    admin = await browsing(world)
    course = await taught(world, settings, package())
    address = f"/admin/courses/{course.course_id}/modules/{course.modules[0]}/preview"
    answer = await admin.get(address, headers=headers)
    assert (answer.status_code, f'href="{address}"' in answer.text) == (200, True)
    assert "Open module" in answer.text
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM previews WHERE tenant_id = :tenant") == 0
    assert "<iframe" in (await admin.get(address, headers={"sec-fetch-site": "same-origin"})).text


async def test_videos_documents_and_articles_are_shown(world: World, settings: Settings) -> None:
    admin = await browsing(world)
    film = await stored(world, settings, media_files.webm(2))
    words = await stored(world, settings, media_files.vtt("Um"))
    paper = await stored(world, settings, media_files.pdf(2))
    parts = [video(film, **{"pt-BR": words}), document(paper), article("# Olá\n\nTexto")]
    course_id = await world.course(
        publish=False, modules=[{"title": "M", "duration_minutes": 1, **each} for each in parts]
    )
    before = await kept(world)
    for n, (shown, kind, said) in enumerate(
        (
            (f'src="media/{film}"', "watched", {"ranges": [[0, 2]], "position": 2, "length": 2}),
            (str(paper), "dwelled", {"pages": {"1": 60, "2": 60}, "count": 2, "position": 2}),
            ("Olá</h2>", "read", {"seconds": 600, "furthest": 1, "position": 1}),
        )
    ):
        frame = await opened(world, admin, course_id, n)
        assert shown in (await frame.get()).text
        answer = await frame.post(kind, **said)
        assert (answer.status_code, answer.json()["result"]) == (200, True), kind
        if n < 2:
            assert (await frame.get(f"media/{(film, paper)[n]}")).status_code == 200
        assert (await frame.get(f"media/{(paper, film, film)[n]}")).status_code == 404
    assert await kept(world) == before


async def test_a_preview_ends_with_the_day_and_with_the_role(world: World, settings: Settings) -> None:
    teacher = await browsing(world, "instrutor")
    course = await taught(world, settings, package())
    await teach(world, course.course_id, await id_of(world, "instrutor"))
    frame = await opened(world, teacher, course.course_id)
    world.clock.move(hours=13)
    assert (await frame.get()).status_code == 409
    teacher = await browsing(world, "instrutor")
    await teach(world, course.course_id, await id_of(world, "instrutor"))
    frame = await opened(world, teacher, course.course_id)
    await world.http.post(f"/v1/users/{await id_of(world, 'instrutor')}/suspend")
    assert (await frame.get()).status_code == 409


async def test_who_may_not_change_the_course_previews_nothing(
    world: World, stranger: World, settings: Settings
) -> None:
    course = await taught(world, settings, package())
    path = f"/admin/courses/{course.course_id}/modules/{course.modules[0]}/preview"
    for client, status in (
        (await browsing(world, "instrutor"), 404),
        (await browsing(world, "gestor"), 403),
        (await browsing(world, "learner"), 403),
        (await browsing(stranger), 404),
    ):
        assert (await client.get(path)).status_code == status
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM previews WHERE tenant_id = :tenant") == 0


async def test_a_module_with_nothing_to_open_says_so(world: World) -> None:
    admin = await browsing(world)
    course_id = await world.course()
    (module,) = await modules(world, course_id)
    async with world.tx() as tx:
        await tx.execute("UPDATE all_modules SET type = 'VIDEO' WHERE tenant_id = :tenant")
    answer = await admin.get(f"/admin/courses/{course_id}/modules/{module.id}/preview")
    assert (answer.status_code, "Nothing to preview yet" in answer.text) == (409, True)


def png() -> tuple[str, bytes, str]:
    out = io.BytesIO()
    Image.new("RGB", (2000, 1000), "#0b6677").save(out, "PNG")
    return "Mapa [1].png", out.getvalue(), "image/png"


@pytest.fixture
async def written(world: World) -> tuple[httpx2.AsyncClient, str]:
    """Returns an administrator's browser, and the address of an article."""
    admin = await browsing(world)
    course_id = await world.course(modules=[], publish=False)
    here = f"/admin/courses/{course_id}/modules"
    id = led_to(await send(admin, f"{here}/new/article", title="Texto", body="Oi"))
    return admin, f"{here}/{id}"


async def test_an_image_is_sent_and_named_by_the_text(
    world: World, written: tuple[httpx2.AsyncClient, str]
) -> None:
    admin, address = written
    sent = await upload(admin, f"{address}/images", image=png())
    assert flash(sent) == "The image was uploaded."
    page = html.unescape((await admin.get(address)).text)
    line = re.search(r"!\[Mapa 1\]\(media/([0-9a-f-]{36})\)", page)
    assert line, page
    image = await admin.get(f"/admin/media/{line[1]}")
    assert image.headers["content-type"] == "image/webp"
    with Image.open(io.BytesIO(image.content)) as shown:
        assert shown.size == (1600, 800)
    looks = await send(admin, f"{address.rpartition('/')[0]}/text", body=f"# A\n\n{line[0]}\n\n<b>x</b>")
    assert f'<img src="/admin/media/{line[1]}" alt="Mapa 1"' in looks.text
    assert "&lt;b&gt;" in looks.text
    assert "<html" not in looks.text
    # Learners can load it because the text names it.
    await send(admin, address, title="Texto", body=line[0])
    course_id = UUID(address.split("/")[3])
    frame = await opened(world, admin, course_id)
    assert (await frame.get(f"media/{line[1]}")).content == image.content
    copied = led_to(await send(admin, f"/admin/courses/{course_id}/duplicate", title="Cópia"))
    assert (await modules(world, copied))[0].content == {"images": [line[1]]}


async def test_beside_the_text_an_image_is_added_to_the_list(
    world: World, written: tuple[httpx2.AsyncClient, str]
) -> None:
    admin, address = written
    headers = {"hx-request": "true", "x-csrf-token": admin.headers["x-csrf-token"]}
    sent = await admin.post(f"{address}/images", files={"image": png()}, headers=headers)
    assert (sent.status_code, "media/" in sent.text, "<html" in sent.text) == (200, True, False)
    wrong = await admin.post(f"{address}/images", files={"image": ("a.png", b"x", "")}, headers=headers)
    assert (wrong.status_code, "PNG, JPEG or WebP" in wrong.text, "media/" in wrong.text) == (422, True, True)
    missing = await upload(admin, f"{address}/images")
    assert missing.status_code == 422


async def test_an_image_that_was_sent_meanwhile_stays(
    world: World, written: tuple[httpx2.AsyncClient, str], settings: Settings
) -> None:
    admin, address = written
    other = await image(world, settings, b"RIFF")
    course_id, module_id = (UUID(each) for each in address.split("/")[3::2])
    async with world.tx() as tx:
        patch = ModulePatch(content={"images": [str(other)]})
        await module_actions.change(tx, course_id, module_id, patch)
        request = await waiting(tx, upload(admin, f"{address}/images", image=png()))
    assert flash(await request) == "The image was uploaded."
    (module,) = await modules(world, course_id)
    assert len(module.content["images"]) == 2
    assert module.content["images"][1] == str(other)


async def test_images_are_of_whoever_writes(
    world: World, stranger: World, written: tuple[httpx2.AsyncClient, str], settings: Settings
) -> None:
    admin, address = written
    await upload(admin, f"{address}/images", image=png())
    (module,) = await modules(world, UUID(address.split("/")[3]))
    (image,) = module.content["images"]
    assert (await (await browsing(stranger)).get(f"/admin/media/{image}")).status_code == 404
    assert (await (await browsing(world, "gestor")).get(f"/admin/media/{image}")).status_code == 403
    film = await stored(world, settings, media_files.webm(1))
    assert (await admin.get(f"/admin/media/{film}")).status_code == 404
    other = await world.course(modules=[{"title": "V", "duration_minutes": 1, **video(film)}])
    (module,) = await modules(world, other)
    sent = await upload(admin, f"/admin/courses/{other}/modules/{module.id}/images", image=png())
    assert sent.status_code == 404
