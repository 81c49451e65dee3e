"""Links with which a portal opens a module: made by the API, used once, and what their session may do."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from training.learning.students import Student, article, student
from trilha.access.sessions.identity import LAUNCH_LINKS
from web.learn.signing_in import send, signed_in

PORTAL = "https://portal.example.com/treinamentos?aba=1"


async def make(ana: Student, **body: Any) -> httpx2.Response:
    return await ana.world.http.post(f"/v1/enrollments/{ana.id}/launch", json=body)


async def link(ana: Student, **body: Any) -> str:
    """Creates a link and returns its token."""
    answer = await make(ana, **body)
    assert answer.status_code == 201, answer.text
    page, _, token = answer.json()["data"]["url"].partition("#token=")
    assert page.endswith("/login/launch")
    return str(token)


def browser(world: World) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin"}
    client.cookies.set("trilha_locale", "en")
    return client


async def use(client: httpx2.AsyncClient, token: str, **more: str) -> httpx2.Response:
    return await client.post("/login/launch", data={"token": token, **more})


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def module(ana: Student, number: int = 0) -> str:
    return f"/learn/enrollments/{ana.id}/modules/{ana.modules[number]}"


async def test_a_link_signs_in_and_opens_the_module_once(world: World) -> None:
    ana = await student(world, article(10), article(10))
    token = await link(ana, module_id=str(ana.modules[1]))
    client = browser(world)
    page = await client.get("/login/launch")
    assert page.status_code == 200
    assert page.headers["referrer-policy"] == "same-origin"
    answer = await use(client, token)
    assert (answer.status_code, answer.headers["location"]) == (303, module(ana, 1))
    assert (await client.get(module(ana, 1))).status_code == 200
    again = await use(browser(world), token)
    assert again.status_code == 422
    assert "This link no longer works" in again.text


async def test_without_a_module_the_next_one_opens(world: World) -> None:
    ana = await student(world, article(10), article(10))
    player = await ana.open()
    world.clock.move(seconds=60)
    await player.tell(seconds=60, furthest=1, position=1)
    answer = await use(browser(world), await link(ana))
    assert answer.headers["location"] == module(ana, 1)


async def test_a_link_expires_after_five_minutes(world: World) -> None:
    ana = await student(world, article(10))
    token = await link(ana)
    world.clock.move(seconds=301)
    assert (await use(browser(world), token)).status_code == 422


async def test_two_browsers_cannot_both_have_the_session(world: World) -> None:
    ana = await student(world, article(10))
    token, first = await link(ana), browser(world)
    await use(first, token)
    world.clock.move(seconds=10)
    assert (await use(first, token)).status_code == 422
    assert (await first.get(module(ana))).status_code == 200  # Its own browser ends nothing.
    assert (await use(browser(world), token)).status_code == 422
    assert (await first.get(module(ana))).status_code == 303


async def test_links_that_are_no_links(world: World) -> None:
    for token in ("x", "x" * 43, "é" * 43):
        assert (await use(browser(world), token)).status_code == 422
    answer = await browser(world).post(
        "/login/launch", data={"token": "x" * 43}, headers={"sec-fetch-site": "cross-site"}
    )
    assert answer.status_code == 403


async def test_who_cannot_be_launched(world: World) -> None:
    ana = await student(world, article(10), article(10), regulation={"sequential": True})
    assert code(await make(ana, module_id=str(ana.modules[1]))) == (422, "module_locked")
    assert code(await make(ana, module_id=str(uuid4()))) == (404, "module_not_found")
    ana.id = uuid4()
    assert code(await make(ana)) == (404, "enrollment_not_found")


@pytest.mark.parametrize("role", ["admin", "gestor", "instrutor"])
async def test_a_leaked_key_opens_no_panel(world: World, role: str) -> None:
    ana = await student(world, article(10))
    token = await link(ana)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE users SET role = :role WHERE tenant_id = :tenant AND id = :id", role=role, id=ana.user_id
        )
    assert code(await make(ana)) == (403, "privileged_user")
    assert (await use(browser(world), token)).status_code == 422


async def test_a_suspended_person_is_not_signed_in(world: World) -> None:
    ana = await student(world, article(10))
    token = await link(ana)
    await world.http.post(f"/v1/users/{ana.user_id}/suspend")
    assert code(await make(ana)) == (422, "user_not_active")
    assert (await use(browser(world), token)).status_code == 422


async def test_an_expired_enrollment_is_not_opened(world: World) -> None:
    ana = await student(world, article(10), expires_at="2099-01-01T00:00:00Z")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant AND id = :id", id=ana.id
        )
    assert code(await make(ana)) == (409, "enrollment_expired")


async def test_the_way_back_is_that_of_the_link(world: World) -> None:
    ana = await student(world, article(10))
    client = browser(world)
    await use(client, await link(ana, return_url=PORTAL))
    for page in (module(ana), f"{module(ana)}/done"):
        text = (await client.get(page)).text
        assert f'href="{PORTAL}"' in text
        assert "Back to portal.example.com" in text
        assert 'href="https://evil' not in (await client.get(f"{page}?return_url=https://evil.example")).text
    # Another browser of the same person has no portal to go back to.
    user = (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]
    other = await signed_in(world, user["email"])
    assert "portal.example.com" not in (await other.get(f"{module(ana)}/done")).text


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "//portal.example.com",
        "https://ana@portal.example.com/",
        "https://portal.example.com\\@evil.example/",
        "https://portal.example.com/ x",
        "https://",
        "https://portal.example.com:99999/",
        "ftp://portal.example.com",
    ],
)
async def test_addresses_that_are_none(world: World, url: str) -> None:
    ana = await student(world, article(10))
    answer = await make(ana, return_url=url)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["field"] == "return_url"


async def test_somebody_else_in_the_browser_is_asked(world: World) -> None:
    ana, bia = await student(world, article(10)), await world.user(name="Bia Souza")
    client = await signed_in(world, bia["email"])
    token = await link(ana)
    asked = await use(client, token)
    assert asked.status_code == 200
    assert "You are signed in as Bia Souza in this browser." in asked.text
    assert (await client.get(module(ana))).status_code == 404
    assert (await use(client, token, switch="true")).headers["location"] == module(ana)
    assert (await client.get(module(ana))).status_code == 200


async def test_ones_own_session_goes_on(world: World) -> None:
    ana = await student(world, article(10))
    user = (await world.http.get(f"/v1/users/{ana.user_id}")).json()["data"]
    client = await signed_in(world, user["email"])
    before = dict(client.cookies)
    answer = await use(client, await link(ana, return_url=PORTAL))
    assert answer.headers["location"] == module(ana)
    assert dict(client.cookies) == before
    assert (await client.get("/learn/security")).status_code == 200
    assert PORTAL in (await client.get(f"{module(ana)}/done")).text


async def test_a_session_by_link_is_none_for_ones_own_account(world: World) -> None:
    ana = await student(world, article(10))
    client = browser(world)
    await use(client, await link(ana))
    for page in (
        "/learn/security",
        "/learn/my-data",
        "/learn/profile/documents",
        "/learn/security/authenticator",
        "/learn/notifications/channels",
        "/learn/calendar/subscribe",
    ):
        answer = await client.get(page)
        assert answer.status_code == 403, page
    assert "portal has signed you in." in answer.text, answer.text.partition("<main")[2][:900]
    export = await client.get("/api/users/me/data-export")
    assert code(export) == (403, "signed_in_by_link")
    chat = {"channel": "slack", "url": "https://hooks.slack.com/services/T/B/x"}
    assert (await send(client, "/learn/profile", "/learn/notifications/channels", **chat)).status_code == 403
    assert (await send(client, "/learn/profile", "/learn/calendar/subscribe")).status_code == 403
    assert (await client.get("/learn")).status_code == 200


async def test_a_promotion_does_not_open_the_panel_to_a_session_by_link(world: World) -> None:
    ana = await student(world, article(10))
    client = browser(world)
    await use(client, await link(ana))
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE users SET role = 'admin' WHERE tenant_id = :tenant AND id = :id", id=ana.user_id
        )
    assert (await client.get("/admin")).status_code == 403
    assert (await client.get("/learn")).status_code == 200


async def test_another_tenants_enrollment_is_not_there(world: World, stranger: World) -> None:
    ana = await student(world, article(10))
    answer = await stranger.http.post(f"/v1/enrollments/{ana.id}/launch", json={})
    assert code(answer) == (404, "enrollment_not_found")


async def test_the_token_is_in_no_log_and_no_table(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    ana = await student(world, article(10))
    token = await link(ana, return_url=PORTAL)
    await use(browser(world), token)
    await use(browser(world), token)
    assert token not in capfd.readouterr().err
    async with world.tx() as tx:
        for table in ("audit_records", "launch_links", "sessions"):
            rows = await tx.rows(f"SELECT t::text AS row FROM {table} t WHERE tenant_id = :tenant")
            assert token not in "".join(row["row"] for row in rows)


async def test_an_address_may_try_links_only_so_often(world: World) -> None:
    client = world.client(address="198.51.100.7")
    client.headers |= {"sec-fetch-site": "same-origin"}
    tried = [(await use(client, "x" * 43)).status_code for _ in range(LAUNCH_LINKS.requests + 1)]
    assert (set(tried[:-1]), tried[-1]) == ({422}, 429)
