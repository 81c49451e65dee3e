"""Modules of the type CLASS on pages of learners and authors."""

from conftest import World
from training.classes.classes import offer
from training.learning.students import article
from web.learn.signing_in import signed_in
from web.panel.training_pages import browsing


async def test_learners_see_a_class_and_open_nothing(world: World) -> None:
    classes = await offer(world, {"title": "Teoria", "duration_minutes": 10} | article(10))
    made = await classes.create(classes.session(-6))
    user = await world.user()
    registration = await classes.register(made, user["id"])
    browser = await signed_in(world, user["email"])
    here = f"/learn/enrollments/{registration['enrollment_id']}"
    page = (await browser.get(here)).text
    assert "Class · 240 min" in page
    assert f'href="{here}/modules/{classes.modules[0]}"' in page
    assert f'href="{here}/modules/{classes.class_module}"' not in page
    for address in ("/learn", f"{here}/offline"):
        assert (await browser.get(address)).status_code == 200
    assert (await browser.get(f"{here}/modules/{classes.class_module}")).status_code in (409, 422)
    await classes.attend(made["sessions"][0]["id"], {user["id"]: 120})
    await classes.judge()
    assert "50%" in (await browser.get(here)).text


async def test_a_course_of_classes_alone_has_nothing_to_start(world: World) -> None:
    classes = await offer(world, regulation={"kind": "other", "required_profile_fields": []})
    user = await world.user()
    registration = await classes.register(await classes.create(), user["id"])
    browser = await signed_in(world, user["email"])
    here = f"/learn/enrollments/{registration['enrollment_id']}"
    for address in ("/learn", here):
        page = await browser.get(address)
        assert page.status_code == 200
        assert f"{here}/modules/" not in page.text


async def test_authors_see_a_class(world: World) -> None:
    classes = await offer(world)
    browser = await browsing(world)
    course = f"/admin/courses/{classes.course_id}"
    assert "Class" in (await browser.get(course)).text
    assert (await browser.get(f"{course}/modules/{classes.class_module}")).status_code == 200
