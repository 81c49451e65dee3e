"""/learn/certificates"""

import re
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from conftest import World
from training.certificates.holders import attach, completed, reissue, revoke, stored
from trilha.core.file_store import FileStore, open_file_store
from trilha.settings import Settings
from trilha.web.learn.certificates.pages import MAX_POLLS
from web.learn.signing_in import learner, signed_in

LIST = "/learn/certificates"
POLLS = 'data-poll="2000"'


@pytest.fixture
def store(settings: Settings) -> FileStore:
    return open_file_store(settings.files_url, settings.data_dir / "files")


def titles(page: str) -> list[str]:
    return re.findall(r'class="cert__title"><a href="[^"]+">([^<]+)<', page)


async def test_my_own_alone_newest_first(world: World) -> None:
    user, client = await learner(world)
    assert "No certificates yet" in (await client.get(LIST)).text
    for title in ("Altura", "Fogo"):
        course = await world.course(title=title)
        await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
        world.clock.move(seconds=1)
    other = await completed(world, title="Another's")
    assert titles((await client.get(LIST)).text) == ["Fogo", "Altura"]
    for path in ("", "/pdf"):
        assert (await client.get(f"{LIST}/{other}{path}")).status_code == 404
    theirs = (await stored(world, other)).enrollment_id
    assert (await client.get(f"/learn/enrollments/{theirs}/certificate")).status_code == 404


async def test_a_long_list_goes_on(world: World) -> None:
    user, client = await learner(world)
    for number in range(21):
        course = await world.course(title=f"Curso {number}")
        await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
        world.clock.move(seconds=1)
    page = (await client.get(LIST)).text
    more = re.search(r'id="more"><a class="btn" href="([^"]+)"', page)
    assert more
    rest = (await client.get(more[1].replace("&amp;", "&"), headers={"hx-request": "true"})).text
    assert "<html" not in rest
    assert len(titles(page)) == 20
    assert titles(rest) == ["Curso 0"]


async def test_one_to_download_and_to_show_to_others(world: World, store: FileStore) -> None:
    user, client = await learner(world)
    course = await world.course(title="Direção defensiva & mais", certificate_validity_months=12)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    assert "We are preparing your certificate" in (await client.get(f"{LIST}/{id}")).text
    assert (await client.get(f"{LIST}/{id}/pdf")).status_code == 404
    await attach(world, store, id, b"%PDF " + id.bytes)
    page = (await client.get(f"{LIST}/{id}")).text
    held = await stored(world, id)
    public = f"/verify/{held.display_code}"
    assert page.count(public) >= 2
    link = re.search(r'href="(https://www\.linkedin\.com/[^"]+)"', page)
    assert link
    asked = parse_qs(urlsplit(link[1].replace("&amp;", "&")).query)
    assert asked["name"] == ["Direção defensiva & mais"]
    assert asked["organizationName"] == ["Test"]
    assert asked["certId"] == [held.display_code]
    assert asked["certUrl"][0].endswith(public)
    assert asked["issueYear"] == [held.issued_at[:4]]
    assert held.expires_at
    assert asked["expirationYear"] == [held.expires_at[:4]]
    file = await world.client().get((await client.get(f"{LIST}/{id}/pdf")).headers["location"])
    assert file.content == b"%PDF " + id.bytes


async def test_the_page_of_the_course_looks_until_it_is_there(world: World, store: FileStore) -> None:
    user, client = await learner(world)
    enrollment = await world.enrollment(user_id=user["id"])
    page = f"/learn/enrollments/{enrollment['id']}"
    assert 'id="certificate"' not in (await client.get(page)).text
    id = await completed(world, enrollment=enrollment)
    text = (await client.get(page)).text
    assert "We are preparing your certificate" in text
    assert f"{page}/certificate?looks=0" in text
    part = (await client.get(f"{page}/certificate?looks=0", headers={"hx-request": "true"})).text
    assert "<html" not in part
    assert POLLS in part
    assert "looks=1" in part
    last = (
        await client.get(f"{page}/certificate?looks={MAX_POLLS - 1}", headers={"hx-request": "true"})
    ).text
    assert POLLS not in last
    assert "is taking longer than usual" in last
    await attach(world, store, id, b"%PDF " + id.bytes)
    done = (await client.get(f"{page}/certificate?looks=2", headers={"hx-request": "true"})).text
    assert POLLS not in done
    assert f"{LIST}/{id}/pdf" in done
    # Without scripts, the same address is a page.
    assert "<html" in (await client.get(f"{page}/certificate")).text


async def test_one_that_expired_leads_to_taking_the_course_again(world: World) -> None:
    user, client = await learner(world)
    course = await world.course(certificate_validity_months=1)
    enrollment = await world.enrollment(user_id=user["id"], course_id=course)
    id = await completed(world, enrollment=enrollment)
    world.clock.move(days=40)
    client = await signed_in(world, user["email"])
    for page in (f"{LIST}/{id}", f"/learn/enrollments/{enrollment['id']}"):
        assert "To take the course again" in (await client.get(page)).text
    again = await world.enrollment(user_id=user["id"], course_id=course)
    for page in (f"{LIST}/{id}", f"/learn/enrollments/{enrollment['id']}"):
        assert f'href="/learn/enrollments/{again["id"]}"' in (await client.get(page)).text
    assert "linkedin" not in (await client.get(f"{LIST}/{id}")).text


async def test_one_that_was_revoked_and_one_that_was_replaced(world: World) -> None:
    user, client = await learner(world)
    id = await completed(world, enrollment=await world.enrollment(user_id=user["id"]))
    new = await reissue(world, id)
    assert titles((await client.get(LIST)).text) == ["Segurança"]
    assert (await client.get(f"{LIST}/{id}")).status_code == 404
    await revoke(world, new.id, "Answers were copied")
    page = (await client.get(f"{LIST}/{UUID(str(new.id))}")).text
    assert "This certificate was revoked on" in page
    assert "copied" not in page
    assert "/verify/" not in page
