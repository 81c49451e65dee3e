"""The content origin: its hosts, its tokens and its files, and that it serves nothing else."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from conftest import World
from training.scorm.packages import package
from trilha.core import logs
from trilha.core.variables import SettingError
from trilha.core.web.routes import Route
from trilha.platform.tenants import actions as tenants
from trilha.platform.tenants.schema import BrandSettings, Colour
from trilha.settings import Settings, check_content, load
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses.schema import ModulePatch
from trilha.training.learning.launches.pages import load_launch
from trilha.training.learning.previews.queries import find_context
from trilha.web.player import assets
from trilha.web.player.origin import ContentOrigin
from trilha.web.player.surface import FEATURES
from web.panel.signing_in import browser_of, made
from web.player.playing import Enrolled, enrolled, taught

SENSORS = {
    *("accelerometer", "autoplay", "clipboard-write", "fullscreen"),
    *("gyroscope", "magnetometer", "unload"),
}
HTML = ("docs/Índice.html", "<p>Olá</p>")


@pytest.fixture
async def ana(world: World, settings: Settings) -> Enrolled:
    return await enrolled(world, await taught(world, settings, package(HTML, ("a.bin", bytes(range(200))))))


class Content:
    """A client at the host of a launch's content."""

    def __init__(self, world: World, host: str, token: str) -> None:
        self.host = host
        self.token = token
        self.http = world.client()

    async def get(self, path: str = "", host: str = "", **headers: str) -> httpx2.Response:
        return await self.http.get(f"/l/{self.token}/{path}", headers={"host": host or self.host, **headers})

    async def post(self, path: str, body: object, **headers: str) -> httpx2.Response:
        return await self.http.post(
            f"/l/{self.token}/{path}", json=body, headers={"host": self.host, **headers}
        )


async def content_of(ana: Enrolled) -> Content:
    launched = await ana.launch()
    async with ana.world.tx() as tx:
        material = await find_context(tx, launched.launch_id)
    assert material is not None
    label = origin_of(ana.world).label(ana.world.tenant.id, material.sha256)
    return Content(ana.world, f"{label}.content.localhost:8000", launched.token)


def origin_of(world: World) -> ContentOrigin:
    return ContentOrigin("http://*.content.localhost:8000", "", world.database.keyring)


async def test_a_file_is_found_whatever_its_case(ana: Enrolled) -> None:
    content = await content_of(ana)
    whole = await content.get("p/docs/Índice.html?x=1#y")
    assert (whole.status_code, whole.text) == (200, "<p>Olá</p>")
    assert whole.headers["content-type"] == "text/html"
    assert (await content.get("p/DOCS/I\u0301NDICE.HTML")).text == "<p>Olá</p>"
    assert (await content.get("p/docs")).status_code == 404
    assert (await content.get("p/docs/")).status_code == 404
    assert (await content.get("p/imsmanifest.xml/..%2f..%2fmaster.key")).status_code == 404


async def test_a_part_of_a_file_and_nothing_where_it_is_known(ana: Enrolled) -> None:
    content = await content_of(ana)
    part = await content.get("p/a.bin", range="bytes=10-19")
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    assert part.headers["content-range"] == "bytes 10-19/200"
    known = await content.get("p/a.bin", **{"if-none-match": part.headers["etag"]})
    assert known.status_code == 304
    beyond = await content.get("p/a.bin", range="bytes=200-")
    assert beyond.status_code == 416


async def test_every_answer_says_what_content_may(ana: Enrolled) -> None:
    content = await content_of(ana)
    for answer in (await content.get("p/a.bin"), await content.get("p/none"), await content.get()):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["permissions-policy"] == "unload=(self), camera=(), microphone=()"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in headers


async def test_a_service_worker_is_refused(ana: Enrolled) -> None:
    content = await content_of(ana)
    assert (await content.get("p/a.bin", **{"service-worker": "script"})).status_code == 403
    # This includes our own scripts.
    asset = f"{assets.prefix()}scripts/recovery.js"
    for headers, status in (({}, 200), ({"service-worker": "script"}, 403)):
        answer = await content.http.get(asset, headers={"host": content.host, **headers})
        assert answer.status_code == status


async def test_a_token_is_of_its_own_host_alone(ana: Enrolled) -> None:
    content = await content_of(ana)
    assert (await content.get()).status_code == 200
    for host in ("x.content.localhost:8000", f"a.{content.host}"):
        assert (await content.get(host=host)).status_code == 404
    assert (await content.get(host="trilha.test")).status_code == 404
    other = Content(ana.world, content.host, content.token[:-2] + "AA")
    assert (await other.get()).status_code == 404
    assert (await other.post("commit", {})).json()["result"] is False


@pytest.mark.parametrize(
    "path", ["/", "/v1/users", "/login", "/admin", "/learn", "/docs", "/healthz", "/api"]
)
async def test_nothing_of_the_application_answers_there(world: World, path: str) -> None:
    answer = await world.http.get(path, headers={"host": "0123456789abcdef0123.content.localhost:8000"})
    assert (answer.status_code, answer.text) == (404, "")


async def test_a_commit_is_saved_and_told(ana: Enrolled) -> None:
    content = await content_of(ana)
    body = {"cmi": {"suspend_data": "p3"}, "launch": {"sequence": 1, "final": False, "sent_at": 0}}
    first = await content.post("commit", body)
    assert first.json() == {
        "result": True,
        "errorCode": 0,
        "outcome": "APPLIED",
        "superseded": False,
        "expired": False,
        "completed": False,
    }
    assert (await content.post("commit", body)).json()["outcome"] == "REPEATED"
    assert '"suspend_data":"p3"' in (await content.get()).text
    assert (await content.post("commit", [])).status_code == 400
    assert (await content.post("commit", {"x": "y" * 2**21})).status_code == 413


async def test_what_is_late(ana: Enrolled) -> None:
    content = await content_of(ana)
    ana.world.clock.move(minutes=10, seconds=1)
    late = await content.post("commit", {"cmi": {}, "launch": {"sequence": 1, "final": False}})
    assert (late.status_code, late.json()["outcome"]) == (409, "EXPIRED")
    assert (await content.get()).status_code == 409
    page = await content.get(**{"sec-fetch-dest": "iframe"})
    assert "não está mais aberto" in page.text or "no longer open" in page.text


async def test_one_person_cannot_flood(ana: Enrolled) -> None:
    contents = [await content_of(ana), await content_of(ana)]
    answers = [await contents[number % 2].post("heartbeat", {"visible": True}) for number in range(31)]
    assert [each.status_code for each in answers[:30]] == [200] * 30
    assert answers[30].status_code == 429
    assert answers[30].json()["result"] is False
    assert int(answers[30].headers["retry-after"]) > 0


def large_commit(sequence: int, size: int) -> dict[str, Any]:
    return {"cmi": {"suspend_data": "x" * size}, "launch": {"sequence": sequence, "final": False}}


async def test_one_person_cannot_flood_with_large_commits(ana: Enrolled) -> None:
    content, other = await content_of(ana), await content_of(ana)
    statuses = []
    for number in range(1, 17):
        answer = await content.post("commit", large_commit(number, 1_600_000))
        statuses.append(answer.status_code)
    assert statuses == [200] * 15 + [429]
    assert answer.json()["result"] is False
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert (await other.post("commit", large_commit(1, 1_600_000))).status_code == 429
    # Small reports are still saved, and the others a minute later.
    assert (await other.post("commit", large_commit(1, 100))).json()["outcome"] == "APPLIED"
    ana.world.clock.move(minutes=1)
    assert (await other.post("commit", large_commit(2, 1_600_000))).json()["outcome"] == "APPLIED"


async def test_the_longest_suspend_data_every_second_is_saved(ana: Enrolled) -> None:
    content = await content_of(ana)
    for number in range(1, 61):
        answer = await content.post("commit", large_commit(number, 64_000))
        assert (answer.status_code, answer.json()["outcome"]) == (200, "APPLIED")


async def test_a_body_of_unknown_length_counts_as_the_largest(ana: Enrolled) -> None:
    content = await content_of(ana)

    async def pieces() -> AsyncIterator[bytes]:
        yield b"{}"

    sent = [
        await content.http.post(
            f"/l/{content.token}/commit", content=pieces(), headers={"host": content.host}
        )
        for _ in range(13)
    ]
    assert [each.status_code for each in sent] == [400] * 12 + [429]


# These contain what the browser stores, and nothing of the server.
_OWN = ("/held", "/offline")
ROUTES = [route for feature in FEATURES for route in feature.all if route.path not in _OWN]


@pytest.mark.parametrize("route", ROUTES, ids=[f"{each.method} {each.path}" for each in ROUTES])
async def test_no_token_opens_nothing_and_is_not_logged(
    world: World, route: Route, capfd: pytest.CaptureFixture[str]
) -> None:
    token = "x" * 43
    path = re.sub(r"{[^}]+}", "1b4e28ba-2fa1-41d2-883f-0016d3cca427", route.path.replace("{token}", token))
    logs.configure("json")
    capfd.readouterr()
    headers = {"host": "0123456789abcdef0123.content.localhost:8000"}
    answer = await world.http.request(route.method, path, headers=headers, json={})
    assert answer.status_code == 404
    assert token not in capfd.readouterr().err
    if route.method != "GET":
        assert answer.json() | {"outcome": ""} == {
            "result": False,
            "errorCode": 101,
            "outcome": "",
            "superseded": False,
            "expired": False,
            "completed": False,
        }
    with capfd.disabled():
        logs.configure("json")


@pytest.mark.parametrize(
    ("url", "base", "is_right"),
    [
        (None, "https://learn.example.com", False),
        ("https://*.content.example.com", "https://learn.example.com", True),
        ("https://*.example.com", "https://learn.example.com", False),
        ("https://*.learn.example.com", "https://learn.example.com", False),
        ("http://*.content.example.com", "https://learn.example.com", False),
    ],
)
def test_production_keeps_content_apart(url: str | None, base: str, is_right: bool) -> None:
    current = Settings(env="production", base_url=base, content_url=url)
    if is_right:
        check_content(current)
        return
    with pytest.raises(SettingError, match="TRILHA_CONTENT_URL"):
        check_content(current)


@pytest.mark.parametrize(
    "text", ["https://content.example", "*.content.example", "ftp://*.x", "https://*.x/y"]
)
def test_a_content_url_is_an_origin_with_a_wildcard(text: str) -> None:
    with pytest.raises(SettingError, match="TRILHA_CONTENT_URL"):
        load({"TRILHA_CONTENT_URL": text})


async def test_half_of_a_character_costs_nothing_else(ana: Enrolled) -> None:
    content = await content_of(ana)
    raw = (
        b'{"cmi": {"suspend_data": "page 3", "core": {"lesson_location": "\\ud83d"}},'
        b' "launch": {"sequence": 1, "final": false}}'
    )
    headers = {"host": content.host, "content-type": "application/json"}
    taken = await content.http.post(f"/l/{content.token}/commit", content=raw, headers=headers)
    assert (taken.status_code, taken.json()["outcome"]) == (200, "APPLIED")
    async with ana.world.tx() as tx:
        scorm = (await load_launch(tx, (await ana.launch()).launch_id)).scorm
    assert scorm is not None
    assert scorm.cmi["suspend_data"] == "page 3"
    assert scorm.cmi["core"]["lesson_location"] == "?"


async def test_a_trace_holds_what_can_be_stored(ana: Enrolled) -> None:
    content = await content_of(ana)
    call = {"at": 1, "name": "LMSSetValue", "value": "a\0b"}
    assert (await content.post("trace", {"calls": [call]})).json()["result"] is True
    too_large = await content.post("trace", {"calls": [call | {"error": 99_999_999_999}]})
    assert (too_large.status_code, too_large.json()["result"]) == (400, False)


async def test_content_has_sensors_and_devices_only_where_its_author_says_so(ana: Enrolled) -> None:
    user = await made(ana.world, "learner")
    ana = await enrolled(ana.world, ana.taught, user)
    learner = await browser_of(ana.world, user)
    page = await learner.get(ana.path())
    assert frame_of(page.text) == SENSORS
    policy = page.headers["permissions-policy"]
    assert "camera=()" in policy
    assert "microphone=()" in policy
    assert re.search(r'gyroscope=\(self "http://\w+\.content\.localhost:8000"\)', policy)
    content = await content_of(ana)
    assert frame_of((await content.get()).text) == SENSORS

    async with ana.world.tx() as tx:
        (module,) = await module_queries.list_all(tx, ana.taught.course_id)
        patch = ModulePatch(content=module.content | {"camera": True})
        await module_actions.change(tx, ana.taught.course_id, module.id, patch)
    page = await learner.get(ana.path())
    assert frame_of(page.text) == {*SENSORS, "camera"}
    policy = page.headers["permissions-policy"]
    assert re.search(r'camera=\(self "http://\w+\.content\.localhost:8000"\)', policy)
    assert "microphone=()" in policy
    content = await content_of(ana)
    inside = await content.get()
    assert frame_of(inside.text) == {*SENSORS, "camera"}
    for answer in (inside, await content.get("p/docs/índice.html")):
        assert answer.headers["permissions-policy"] == "unload=(self), microphone=()"


async def test_content_has_the_colors_of_its_company(ana: Enrolled) -> None:
    async with ana.world.tx() as tx:
        await tenants.change(tx, BrandSettings(brand_colour=Colour("#aa1155")))
    user = await made(ana.world, "learner")
    ana = await enrolled(ana.world, ana.taught, user)
    browser = await browser_of(ana.world, user)
    page = (await browser.get(ana.path())).text
    style = re.search(r'href="(/brand/aa1155-[0-9a-f]{8}\.css)"', page)
    launch = (await browser.post(f"{ana.path()}/launches")).json()
    address = re.fullmatch(r"http://([^/]+)(/l/.+)", launch["address"])
    assert style
    assert address
    host = {"host": address[1]}
    inside = await ana.world.client().get(address[2], headers=host)
    assert f'href="{style[1]}"' in inside.text
    colors = await ana.world.client().get(style[1], headers=host)
    assert "--brand:#aa1155" in colors.text
    assert colors.headers["content-type"] == "text/css; charset=utf-8"
    assert (await ana.world.client().get("/brand/aa1155-00000000.css", headers=host)).status_code == 404
    wrong = await ana.world.client().get(f"{address[2].partition('?')[0]}?brand=red", headers=host)
    assert wrong.status_code == 400


def frame_of(page: str) -> set[str]:
    """Returns the permissions of its frame."""
    found = re.search(r'<iframe[^>]* allow="([^"]*)"', page)
    assert found
    return set(found[1].split("; "))
