"""Videos, documents and articles on the content origin: their pages, files and reports."""

import httpx2
import pytest

import media_files
from conftest import World
from training.learning.students import Student, StudyPlayer
from trilha.settings import Settings
from trilha.web.player.origin import ContentOrigin
from web.player.materials import article, document, image, stored, taking, video

FILM = media_files.webm(3)
PAPER = media_files.pdf(2)


class Content:
    """A launch, as its browser uses it."""

    def __init__(self, ana: Student, player: StudyPlayer) -> None:
        world = ana.world
        origin = ContentOrigin("http://*.content.localhost:8000", "", world.database.keyring)
        self.host = f"{origin.label(world.tenant.id, None)}.content.localhost:8000"
        self.path = f"/l/{player.launched.token}/"
        self.http = world.client()

    async def get(self, path: str = "", **headers: str) -> httpx2.Response:
        return await self.http.get(self.path + path, headers={"host": self.host, **headers})

    async def post(self, kind: str, sequence: int = 1, **said: object) -> httpx2.Response:
        body = said | {"launch": {"sequence": sequence, "final": False, "sent_at": 0}}
        return await self.http.post(self.path + kind, json=body, headers={"host": self.host})


async def opened(ana: Student, module: int = 0) -> Content:
    return Content(ana, await ana.open(module))


async def test_a_film_and_its_captions_are_sent_whole_or_in_part(world: World, settings: Settings) -> None:
    film = await stored(world, settings, FILM)
    words = await stored(world, settings, media_files.vtt("Um", "Dois"))
    content = await opened(await taking(world, None, video(film, **{"pt-BR": words})))
    page = (await content.get()).text
    assert f'src="media/{film}"' in page
    assert f'<track kind="captions" src="media/{words}" srclang="pt-BR"' in page
    whole = await content.get(f"media/{film}")
    assert (whole.status_code, whole.content) == (200, FILM)
    assert whole.headers["content-type"] == "video/webm"
    assert whole.headers["x-content-type-options"] == "nosniff"
    part = await content.get(f"media/{film}", range="bytes=10-19")
    assert (part.status_code, part.content) == (206, FILM[10:20])
    known = await content.get(f"media/{film}", **{"if-none-match": whole.headers["etag"]})
    assert known.status_code == 304
    assert (await content.get(f"media/{words}")).headers["content-type"].startswith("text/vtt")


async def test_a_launch_reaches_the_files_of_its_module_alone(
    world: World, stranger: World, settings: Settings
) -> None:
    film, paper = await stored(world, settings, FILM), await stored(world, settings, PAPER)
    foreign = await stored(stranger, settings, FILM)
    ana = await taking(world, None, video(film), document(paper))
    first, second = await opened(ana), await opened(ana, 1)
    assert (await first.get(f"media/{paper}")).status_code == 404
    assert (await second.get(f"media/{paper}")).status_code == 200
    for other in (film, foreign, "nothing", "../../master.key"):
        assert (await second.get(f"media/{other}")).status_code == 404
    content = await opened(ana)
    world.clock.move(minutes=10, seconds=1)
    assert (await content.get(f"media/{film}")).status_code == 409


async def test_what_is_told_is_taken_and_answered(world: World, settings: Settings) -> None:
    ana = await taking(world, None, video(await stored(world, settings, FILM)))
    content = await opened(ana)
    world.clock.move(seconds=1)
    first = await content.post("watched", ranges=[[0, 1.5]], position=1.5, length=3)
    assert first.json() == {
        "result": True,
        "errorCode": 0,
        "outcome": "APPLIED",
        "superseded": False,
        "expired": False,
        "completed": False,
        "progress": 50,
    }
    assert '"position":1.5' in (await content.get()).text
    world.clock.move(seconds=1)
    done = (await content.post("watched", 2, ranges=[[0, 3]], position=3, length=3)).json()
    assert (done["completed"], done["progress"]) == (True, 100)
    stale = await content.post("watched", 1, ranges=[])
    assert (stale.status_code, stale.json()["outcome"]) == (200, "STALE")


@pytest.mark.parametrize("body", [b"", b"[]", b'{"ranges": 1, "launch": {"sequence": 1}}', b"\xff" * 10])
async def test_what_is_no_report_is_refused_in_json(world: World, settings: Settings, body: bytes) -> None:
    content = await opened(await taking(world, None, video(await stored(world, settings, FILM))))
    answer = await content.http.post(content.path + "watched", content=body, headers={"host": content.host})
    assert (answer.status_code, answer.json()["result"]) == (400, False)


async def test_a_report_of_another_type_is_refused(world: World, settings: Settings) -> None:
    content = await opened(await taking(world, None, article("Olá")))
    for kind in ("watched", "dwelled"):
        answer = await content.post(kind)
        assert (answer.status_code, answer.json()["result"]) == (404, False)
    world.clock.move(seconds=3)
    assert (await content.post("read", seconds=3, furthest=1)).json()["completed"]


async def test_an_article_is_shown_as_text_with_its_images_alone(world: World, settings: Settings) -> None:
    picture = await image(world, settings, b"RIFFxxxxWEBP")
    other = await image(world, settings, b"RIFFyyyyWEBP")
    body = (
        f"# Título\n\n<script>alert(1)</script>\n\n[mal](javascript:alert(1)) [bem](https://example.com)\n\n"
        f"![Mapa](media/{picture}) ![fora](https://evil.example/x.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    content = await opened(await taking(world, None, article(body)))
    page = (await content.get()).text
    assert "<h2>Título</h2>" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert 'javascript:alert(1)"' not in page
    assert '<a href="https://example.com" target="_blank" rel="noopener noreferrer">bem</a>' in page
    assert f'<img src="media/{picture}" alt="Mapa" loading="lazy">' in page
    assert 'evil.example/x.png"' not in page
    assert "<td>1</td>" in page
    shown = await content.get(f"media/{picture}")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/webp")
    assert (await content.get(f"media/{other}")).status_code == 404
