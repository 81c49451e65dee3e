"""/admin/courses/new, /edit and /picture"""

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from conftest import World
from web.panel.authoring import course, led_to, upload
from web.panel.signing_in import browser_of
from web.panel.signing_in import made as made_person
from web.panel.training_pages import browsing, flash, id_of, rows, send, teach


def picture(format: str = "PNG", size: tuple[int, int] = (1600, 900), **saved: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "#0b6677").save(out, format, **saved)
    return out.getvalue()


async def test_a_course_is_made_with_all_that_it_is(world: World) -> None:
    admin = await browsing(world)
    await world.course(category="Normas")
    page = (await admin.get("/admin/courses/new")).text
    assert '<option value="Normas">' in page
    made = await send(
        admin,
        "/admin/courses/new",
        title="  Trabalho em  altura ",
        description="NR-35",
        category="Normas",
        tags="nr-35, altura,, nr-35",
        difficulty="ADVANCED",
        duration_hours="8.5",
        certificate_validity_months="24",
        self_enrollment="APPROVAL",
        kind="occupational_safety",
        minimum_workload_minutes="480",
        minimum_score="70.5",
        sequential="true",
        required_profile_fields=["cpf", "birth_date"],
    )
    found = await course(world, led_to(made))
    assert (found.title, found.slug, found.status) == ("Trabalho em altura", "trabalho-em-altura", "DRAFT")
    assert (found.category, found.tags, found.duration_hours) == ("Normas", ["nr-35", "altura"], 8.5)
    assert found.certificate_validity_months == 24
    assert found.self_enrollment == "APPROVAL"
    assert found.regulation == {
        "kind": "occupational_safety",
        "minimum_workload_minutes": 480,
        "minimum_score": 70.5,
        "sequential": True,
        "required_profile_fields": ["cpf", "birth_date"],
    }
    # The form of an existing course has its present values, so submitting it changes nothing.
    page = (await admin.get(f"/admin/courses/{found.id}/edit")).text
    told = len(await world.events())
    sent = await send(admin, f"/admin/courses/{found.id}/edit", **filled(page))
    assert (sent.status_code, await course(world, found.id)) == (303, found)
    assert len(await world.events()) == told
    # Another course with the same title gets a different address.
    again = await send(admin, "/admin/courses/new", title="Trabalho em altura")
    assert (await course(world, led_to(again))).slug == "trabalho-em-altura-2"


def filled(page: str) -> dict[str, Any]:
    """Returns the fields of the page's form, as a browser would submit them."""
    form = page.partition('id="form"')[2].partition("</form>")[0]
    fields: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = (re.search(rf' {each}="([^"]*)"', tag) for each in ("name", "value"))
        is_chosen = " checked" in tag or not re.search('type="(checkbox|radio)"', tag)
        if name is None or name[1] == "csrf_token" or not is_chosen:
            continue
        fields.setdefault(name[1], []).append(value[1] if value else "")
    for name, inner in re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        fields[name] = [inner]
    for name, inner in re.findall(r'<select[^>]* name="(\w+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', inner)
        fields[name] = [chosen[1] if chosen else ""]
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


async def test_what_is_left_empty_is_cleared(world: World) -> None:
    admin = await browsing(world)
    id = await world.course(
        description="x", category="C", tags=["a"], regulation={"kind": "other"}, certificate_validity_months=1
    )
    before = await course(world, id)
    sent = await send(admin, f"/admin/courses/{id}/edit", title="Nova", slug="nova")
    assert flash(sent) == "The course was saved."
    found = await course(world, id)
    assert (found.title, found.slug, found.status) == ("Nova", "nova", before.status)
    assert (found.description, found.category, found.tags) == (None, None, [])
    assert (found.regulation, found.certificate_validity_months) == (None, None)


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"title": " "}, "title", "Enter a few more characters"),
        ({"title": "x" * 201}, "title", "Shorten"),
        ({"title": "A", "slug": "Não pode"}, "slug", "Choose one"),
        ({"title": "A", "category": "x" * 121}, "category", "Shorten"),
        ({"title": "A", "tags": ",".join(map(str, range(21)))}, "tags", "Shorten"),
        ({"title": "A", "tags": "x" * 61}, "tags", "Shorten"),
        ({"title": "A", "duration_hours": "-1"}, "duration_hours", "allowed range"),
        ({"title": "A", "certificate_validity_months": "0"}, "certificate_validity_months", "allowed range"),
        ({"title": "A", "kind": "other", "minimum_score": "101"}, "minimum_score", "allowed range"),
        ({"title": "A", "kind": "magic"}, "kind", "Choose one"),
        ({"title": "A\x00"}, "title", "Remove invisible or invalid characters"),
    ],
)
async def test_what_cannot_be_is_told_at_its_field(
    world: World, fields: dict[str, str], field: str, says: str
) -> None:
    admin = await browsing(world)
    answer = await send(admin, "/admin/courses/new", **fields)
    assert answer.status_code == 422
    found = re.search(rf'id="{field}-error".*?<span>(.*?)</span>', answer.text, re.DOTALL)
    assert found, answer.text
    assert says in found[1]
    assert (await world.http.get("/v1/courses")).json()["data"] == []


async def test_a_name_in_addresses_is_one_course_s(world: World) -> None:
    admin = await browsing(world)
    await world.course(slug="one")
    other = await world.course(slug="two")
    for address in ("/admin/courses/new", f"/admin/courses/{other}/edit"):
        answer = await send(admin, address, title="A", slug="one")
        assert (answer.status_code, "Another course already uses this address" in answer.text) == (422, True)


@pytest.mark.parametrize(("format", "saved"), [("PNG", {}), ("JPEG", {}), ("WEBP", {"lossless": True})])
async def test_a_picture_is_served_to_whoever_has_its_address(
    world: World, format: str, saved: dict[str, Any]
) -> None:
    admin = await browsing(world)
    id = await world.course()
    address = f"/admin/courses/{id}/picture"
    # Only the content of the file counts, not the name and type that a browser sends.
    sent = await upload(admin, address, picture=("x.txt", picture(format, **saved), "text/plain"))
    assert flash(sent) == "The picture was saved."
    path = (await course(world, id)).thumbnail_url
    assert path
    assert f'src="{path}"' in (await admin.get("/admin/courses")).text
    told = (await world.http.get(f"/v1/courses/{id}")).json()["data"]["thumbnail_url"]
    assert told.endswith(path)
    assert told.startswith("http")
    assert (await world.http.get("/v1/courses")).json()["data"][0]["thumbnail_url"] == told
    shown = await world.client().get(path)
    assert (shown.headers["content-type"], shown.headers["cache-control"]) == (
        "image/webp",
        "public, max-age=31536000, immutable",
    )
    with Image.open(io.BytesIO(shown.content)) as image:
        assert image.size == (1280, 720)
    await send(admin, f"{address}/remove")
    assert (await course(world, id)).thumbnail_url is None


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG, JPEG or WebP"),
        (lambda: picture("GIF"), "PNG, JPEG or WebP"),
        (lambda: picture()[:200], "PNG, JPEG or WebP"),
        (lambda: picture(size=(5000, 5000)), "up to 10 MB"),
        (lambda: b"x" * (10 * 1024 * 1024 + 1), "up to 10 MB"),
        (lambda: b"", "Fill in this field"),
    ],
    ids=["svg", "gif", "cut short", "too many pixels", "too large", "nothing"],
)
async def test_what_is_no_picture_is_refused(world: World, made: Callable[[], bytes], says: str) -> None:
    content = made()
    admin = await browsing(world)
    id = await world.course()
    name = "x.png" if content else ""
    answer = await upload(admin, f"/admin/courses/{id}/picture", picture=(name, content, "image/png"))
    assert (answer.status_code, says in answer.text) == (422, True), answer.text
    assert (await course(world, id)).thumbnail_url is None


async def test_no_other_address_is_a_picture(world: World) -> None:
    tenant = world.tenant.id
    for path in (f"/thumbnails/{tenant}/{'0' * 64}.webp", f"/thumbnails/{tenant}/..%2fx", "/thumbnails/a/b"):
        assert (await world.client().get(path)).status_code == 404


async def test_what_a_course_lacks_is_said_before_it_is_published(world: World) -> None:
    admin = await browsing(world)
    id = led_to(await send(admin, "/admin/courses/new", title="A", kind="other", minimum_workload_minutes=60))
    address = f"/admin/courses/{id}"
    page = (await admin.get(address)).text
    assert "The course cannot be published without one" in page
    assert "Publish course" not in page
    await send(admin, f"{address}/modules/new/article", title="Texto", duration_minutes=30, required="true")
    page = (await admin.get(address)).text
    assert "shorter than the minimum workload" in page
    assert "Add a description of what people learn" in page
    assert "Publish course" in page
    assert (
        flash(await send(admin, f"{address}/publish"))
        == "The course was published and is open for enrollment."
    )
    assert "Add a description of what people learn" not in (await admin.get(address)).text


async def test_a_copy_is_called_as_one_likes(world: World) -> None:
    admin = await browsing(world)
    id = await world.course(title="Altura")
    assert 'value="Altura"' in (await admin.get(f"/admin/courses/{id}/duplicate")).text
    copied = led_to(await send(admin, f"/admin/courses/{id}/duplicate", title="Altura 2"))
    assert (await course(world, copied)).title == "Altura 2"
    asked = await admin.get(f"/admin/courses/{id}/archive", headers={"hx-request": "true"})
    assert "Those already enrolled can finish." in asked.text
    assert "<html" not in asked.text


async def test_an_instructor_teaches_what_they_create_and_changes_no_other(world: World) -> None:
    teacher = await browsing(world, "instrutor")
    made = led_to(await send(teacher, "/admin/courses/new", title="Meu"))
    assert rows((await teacher.get("/admin/courses")).text) == ["Meu"]
    assert (await send(teacher, f"/admin/courses/{made}/edit", title="Meu curso")).status_code == 303
    other = await world.course()
    for page in ("edit", "picture", "duplicate", "archive"):
        assert (await teacher.get(f"/admin/courses/{other}/{page}")).status_code == 404
    assert (await send(teacher, f"/admin/courses/{other}/edit", title="X")).status_code == 404
    sent = await upload(teacher, f"/admin/courses/{other}/picture", picture=("x.png", picture(), "image/png"))
    assert sent.status_code == 404
    taught = await world.course()
    await teach(world, taught, await id_of(world, "instrutor"))
    assert (await teacher.get(f"/admin/courses/{taught}/edit")).status_code == 200


async def test_a_manager_changes_no_course(world: World) -> None:
    gestor = await browsing(world, "gestor")
    id = await world.course()
    assert (await gestor.get("/admin/courses/new")).status_code == 403
    assert (await send(gestor, "/admin/courses/new", title="X")).status_code == 403
    assert (await gestor.get(f"/admin/courses/{id}/edit")).status_code == 403
    assert "Create course" not in (await gestor.get("/admin/courses")).text


async def test_a_picture_is_in_the_card_of_whoever_takes_the_course(world: World) -> None:
    admin = await browsing(world)
    id = await world.course()
    await upload(admin, f"/admin/courses/{id}/picture", picture=("x.png", picture("PNG"), "image/png"))
    path = (await course(world, id)).thumbnail_url
    learner = await made_person(world, "learner")
    await world.enrollment(course_id=id, user_id=str(learner.id))
    other = await world.enrollment(user_id=str(learner.id))
    page = (await (await browser_of(world, learner)).get("/learn")).text
    assert page.count('<img class="cover"') == 1
    assert f'<img class="cover" src="{path}"' in page
    assert page.count('<svg class="cover"') == 1
    assert other["id"] in page


async def test_a_new_course_asks_for_the_cpf_alone(world: World) -> None:
    page = (await (await browsing(world)).get("/admin/courses/new")).text
    assert re.findall(r'name="required_profile_fields" value="(\w+)" checked', page) == ["cpf"]
