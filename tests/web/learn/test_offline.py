"""What makes learners' pages an app that works without a connection: manifest, icons, workers, the switch."""

import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image

from conftest import World
from training.learning.quiz_takers import CHOICE, VOICE, quiz_learner
from trilha.app import create_app
from trilha.platform.tenants import actions as tenants
from trilha.platform.tenants.schema import BrandSettings, Colour
from trilha.settings import Settings
from trilha.training.learning.quizzes.offline import find_obstacle
from web.panel.signing_in import browser_of, made
from web.player.contents import sco
from web.player.materials import taking
from web.player.playing import enrolled, taught

SCRIPT = {"service-worker": "script", "sec-fetch-dest": "serviceworker"}


async def test_the_manifest_is_the_companys(world: World) -> None:
    browser = await browser_of(world, await made(world, "learner"))
    page = (await browser.get("/learn")).text
    assert '<link rel="manifest" href="/learn/manifest.webmanifest" crossorigin="use-credentials">' in page
    async with world.tx() as tx:
        await tenants.change(tx, BrandSettings(brand_colour=Colour("#b3541e")))
    answer = await browser.get("/learn/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["start_url"], manifest["scope"], manifest["theme_color"]) == ("/learn", "/", "#b3541e")
    assert world.tenant.slug in manifest["id"]
    shown = {(each["sizes"], each["purpose"]) for each in manifest["icons"]}
    assert shown == {(size, kind) for size in ("192x192", "512x512") for kind in ("any", "maskable")}
    for each in manifest["icons"]:
        icon = await world.client().get(each["src"])
        assert icon.headers["content-type"] == "image/png"
        with Image.open(BytesIO(icon.content)) as image:
            assert f"{image.width}x{image.height}" == each["sizes"]
            corner = image.convert("RGBA").getpixel((0, 0))
        assert corner == ((0xB3, 0x54, 0x1E, 255) if each["purpose"] == "maskable" else (0, 0, 0, 0))


async def test_nobody_has_other_icons_drawn(world: World) -> None:
    browser = await browser_of(world, await made(world, "learner"))
    (icon, *_) = (await browser.get("/learn/manifest.webmanifest")).json()["icons"]
    for other in (icon["src"].replace("0b6677", "0b6678"), icon["src"].replace("-192", "-512")):
        assert other != icon["src"]
        assert (await world.client().get(other)).status_code == 404


async def test_pages_name_their_person(world: World) -> None:
    user = await made(world, "learner")
    browser = await browser_of(world, user)
    for path in ("/learn", "/learn/offline"):
        assert (await browser.get(path)).headers["x-trilha-person"] == str(user.id)
    admin = await browser_of(world, await made(world, "admin"))
    assert "x-trilha-person" not in (await admin.get("/admin")).headers


async def test_the_worker_serves_push_and_pages(world: World) -> None:
    browser = await browser_of(world, await made(world, "learner"))
    answer = await browser.get("/learn/push-worker.js")
    assert answer.headers["service-worker-allowed"] == "/learn"
    assert answer.headers["cache-control"] == "no-store"
    assert "showNotification" in answer.text
    assert "trilha.pages." in answer.text


async def test_an_installation_turns_it_off(world: World, settings: Settings) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, {"type": "ARTICLE", "body": "Um texto"})
    world.app = create_app(replace(settings, offline="off"), world.database, world.clock)
    browser = await browser_of(world, user)
    page = await browser.get(f"/learn/enrollments/{ana.id}")
    assert "x-trilha-person" not in page.headers
    assert "offline-support" not in page.text
    assert "manifest.webmanifest" in page.text
    script = (await browser.get("/learn/push-worker.js")).text
    assert "showNotification" in script
    assert "caches.delete" in script
    assert 'addEventListener("fetch"' not in script
    assert (await browser.get(f"/learn/enrollments/{ana.id}/offline")).status_code == 404
    path = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/launches"
    made_here = (await browser.post(path)).json()
    assert made_here["offline"] is False
    address = urlsplit(made_here["address"])
    frame = await world.client().get(address.path, headers={"host": address.netloc})
    assert "offline-worker" not in frame.text


async def test_only_media_hosts_have_a_worker(world: World, settings: Settings) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, {"type": "ARTICLE", "body": "Um texto"})
    package = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    browser = await browser_of(world, user)
    path = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/launches"
    made_here = (await browser.post(path)).json()
    assert made_here["offline"] is True
    address = urlsplit(made_here["address"])
    frame = await world.client().get(address.path, headers={"host": address.netloc})
    found = re.search(r"/offline-worker/[0-9a-f]{20}\.js", frame.text)
    assert found
    answer = await world.client().get(found[0], headers={"host": address.netloc} | SCRIPT)
    assert answer.status_code == 200
    assert answer.headers["service-worker-allowed"] == "/"
    theirs = (await browser.post(f"{package.path()}/launches")).json()
    assert theirs["offline"] is False
    other = urlsplit(theirs["address"])
    for host in (address.netloc, other.netloc):
        assert "offline-worker" not in (await world.client().get("/offline", headers={"host": host})).text
    for host, worker in ((other.netloc, found[0]), (address.netloc, "/offline-worker/" + "0" * 20 + ".js")):
        answer = await world.client().get(worker, headers={"host": host} | SCRIPT)
        assert answer.status_code == 403
        assert (await world.client().get(worker, headers={"host": host})).status_code == 404


@pytest.mark.parametrize(
    ("question", "asked", "obstacle"),
    [(CHOICE, {}, ""), (VOICE, {}, "voice"), (CHOICE | {"pool": "a"}, {"draws": {"a": 1}}, "pool")],
)
async def test_which_quizzes_need_a_connection(
    world: World, question: dict[str, object], asked: dict[str, object], obstacle: str
) -> None:
    learner = await quiz_learner(world, question, **asked)
    async with world.tx() as tx:
        assert await find_obstacle(tx, learner.modules[0]) == obstacle


async def test_the_page_of_downloads(world: World, settings: Settings) -> None:
    user = await made(world, "learner")
    learner = await quiz_learner(world, VOICE, user_id=str(user.id))
    browser = await browser_of(world, user)
    page = (await browser.get(f"/learn/enrollments/{learner.id}/offline")).text
    assert "asks for a recording" in page
    assert "data-module=" not in page
    stranger = await browser_of(world, await made(world, "learner"))
    assert (await stranger.get(f"/learn/enrollments/{learner.id}/offline")).status_code == 404


def test_the_workers_agree_on_names() -> None:
    """The two origins have caches of their own, whose names the pages and the switch rely on."""
    root = Path(__file__).parents[3] / "src/trilha"
    scripts = [root / "web/learn/offline/worker.js", root / "web/player/offline/worker.js"]
    for each in [*scripts, root / "web/player/offline/store.js"]:
        assert re.findall(r'"(trilha\.[a-z]+)', each.read_text()) != []
        assert "trilha.assets" in each.read_text()
