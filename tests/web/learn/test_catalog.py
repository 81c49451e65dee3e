"""/learn/catalog and the pages of its courses."""

from uuid import UUID

from conftest import CPF, World
from training.enrollment_requests.asking import told
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import CoursePatch
from trilha.training.enrollment_requests import actions, queries
from web.panel.signing_in import browser_of, made, open_notification, send, signed_in

PATH = "/learn/catalog"


async def reject(world: World, user_id: UUID, course_id: UUID, reason: str) -> None:
    async with world.tx() as tx:
        request = await queries.find_last(tx, user_id, course_id)
        assert request is not None
        await actions.reject(tx, request.id, reason)


async def test_lists_what_people_may_choose(world: World) -> None:
    await world.course(
        title="Direção Defensiva", self_enrollment="OPEN", category="Trânsito", duration_hours=8
    )
    await world.course(title="Brigada", self_enrollment="APPROVAL", category="Segurança")
    await world.course(title="Fechado", category="Fechada")
    learner = await signed_in(world, "learner")
    page = (await learner.get(PATH)).text
    assert page.index("Brigada") < page.index("Direção Defensiva")
    assert all(each in page for each in ("8 h", "Trânsito", "Segurança", "Open to everyone", "With approval"))
    assert "Fechad" not in page
    assert f'<a href="{PATH}" aria-current="page">' in page
    found = (await learner.get(PATH, params={"q": "direcao"})).text
    assert "Direção Defensiva" in found
    assert "Brigada" not in found
    categories = (await world.http.get("/v1/categories")).json()["data"]
    (id,) = [each["id"] for each in categories if each["name"] == "Segurança"]
    found = (await learner.get(PATH, params={"category": id}, headers={"hx-request": "true"})).text
    assert "Brigada" in found
    assert "Direção Defensiva" not in found
    assert "<html" not in found
    assert "No results for these filters" in (await learner.get(PATH, params={"q": "xadrez"})).text


async def test_pages_of_cards(world: World) -> None:
    for number in range(21):
        await world.course(title=f"Curso {number:02}", self_enrollment="OPEN")
    learner = await signed_in(world, "learner")
    page = (await learner.get(PATH)).text
    assert page.count('class="course card"') == 20
    following = page.partition('data-hx-get="/learn/catalog?')[2].partition('"')[0].replace("&amp;", "&")
    more = (await learner.get(f"{PATH}?{following}", headers={"hx-request": "true"})).text
    assert "Curso 20" in more
    assert more.count('class="course card"') == 1


async def test_an_empty_catalog(world: World) -> None:
    assert "The catalog is empty" in (await (await signed_in(world, "learner")).get(PATH)).text


async def test_the_page_of_a_course(world: World) -> None:
    regulation = {
        "kind": "occupational_safety",
        "minimum_workload_minutes": 480,
        "minimum_score": 70,
        "required_profile_fields": ["cpf"],
    }
    course = await world.course(
        title="NR-35",
        description="Riscos\nResgate",
        self_enrollment="OPEN",
        category="Segurança",
        certificate_validity_months=24,
        regulation=regulation,
        modules=[{"title": "Ancoragem", "duration_minutes": 90}],
    )
    user = await made(world, "learner")
    learner = await browser_of(world, user)
    page = (await learner.get(f"{PATH}/{course}")).text
    for expected in ("Riscos\nResgate", "Ancoragem", "90 min", "480 min", "70", "Valid for 24 months", "CPF"):
        assert expected in page
    # The one button leads to what is missing, and back.
    documents = f"/learn/profile/documents?course={course}"
    assert documents.replace("&", "&amp;") in page
    assert f'action="{PATH}/{course}/enroll"' not in page
    assert (await send(learner, f"{PATH}/{course}/enroll")).status_code == 422
    answer = await send(learner, "/learn/profile/documents", cpf=CPF, course=str(course))
    assert answer.headers["location"].startswith(f"{PATH}/{course}")
    assert f'action="{PATH}/{course}/enroll"' in (await learner.get(f"{PATH}/{course}")).text


async def test_enrolling_in_an_open_course(world: World) -> None:
    course = await world.course(self_enrollment="OPEN")
    learner = await signed_in(world, "learner")
    answer = await send(learner, f"{PATH}/{course}/enroll")
    assert answer.status_code == 303
    (enrollment,) = (await world.http.get("/v1/enrollments")).json()["data"]
    assert answer.headers["location"].startswith(f"/learn/enrollments/{enrollment['id']}")
    page = (await learner.get(f"{PATH}/{course}")).text
    assert f'href="/learn/enrollments/{enrollment["id"]}"' in page
    assert "Continue" in (await learner.get(PATH)).text
    again = await send(learner, f"{PATH}/{course}/enroll")
    assert again.status_code == 422
    assert "You are enrolled in this course already." in again.text


async def test_asking_cancelling_and_being_refused(world: World) -> None:
    course = await world.course(self_enrollment="APPROVAL")
    user = await made(world, "learner")
    await made(world, "admin")
    learner = await browser_of(world, user)
    here = f"{PATH}/{course}"
    assert (await send(learner, f"{here}/enroll", message="Por favor")).status_code == 303
    assert "Awaiting approval" in (await learner.get(PATH)).text
    page = (await learner.get(here)).text
    assert "Your manager will answer." in page
    assert f"{here}/enroll" not in page
    assert (await send(learner, f"{here}/enroll")).status_code == 422
    assert len(await told(world)) == 1
    assert (await send(learner, f"{here}/cancel")).status_code == 303
    assert await told(world) == [], "nobody has to answer it"
    assert (await send(learner, f"{here}/cancel")).status_code == 404
    assert f"{here}/enroll" in (await learner.get(here)).text
    world.clock.move(minutes=1)
    await send(learner, f"{here}/enroll")
    await reject(world, user.id, course, "Faça antes a NR-06.")
    page = (await learner.get(here)).text
    assert all(each in page for each in ("Your request was refused", "Faça antes a NR-06.", f"{here}/enroll"))
    notes = (await learner.get("/learn/notifications")).text
    assert await open_notification(learner, "was refused") == here
    assert "Faça antes a NR-06." in notes


async def test_the_answer_stays_after_the_course_was_closed(world: World) -> None:
    course = await world.course(self_enrollment="APPROVAL")
    user = await made(world, "learner")
    learner = await browser_of(world, user)
    await send(learner, f"{PATH}/{course}/enroll")
    await reject(world, user.id, course, "Sem vagas")
    async with world.tx() as tx:
        await courses.change(tx, course, CoursePatch(self_enrollment="CLOSED"))
    page = await learner.get(f"{PATH}/{course}")
    assert page.status_code == 200
    assert "no longer accepts enrollments" in page.text
    assert (await (await signed_in(world, "learner")).get(f"{PATH}/{course}")).status_code == 404
    assert (await send(learner, f"{PATH}/{course}/enroll")).status_code == 422


async def test_the_home_without_courses_leads_there(world: World) -> None:
    learner = await signed_in(world, "learner")
    button = '<a class="btn btn--primary" href="/learn/catalog">'
    assert button not in (await learner.get("/learn")).text
    await world.course(self_enrollment="OPEN")
    assert button in (await learner.get("/learn")).text


async def test_a_closed_course_has_no_page(world: World) -> None:
    learner = await signed_in(world, "learner")
    for course in (await world.course(), await world.course(self_enrollment="OPEN", publish=False)):
        assert (await learner.get(f"{PATH}/{course}")).status_code == 404
