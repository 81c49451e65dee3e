"""Questions of learners to the instructors of a course, and their answers."""

import csv
import io
import json
from uuid import UUID

import pytest

from conftest import World
from people.personal_data.test_erase import PERSONAL_DATA
from trilha.people.users.schema import User
from trilha.training.courses import actions as courses
from trilha.training.reminders.jobs import build_mail_job
from web.panel.signing_in import browser_of, made, open_notification, send, signed_in

PATH = "/admin/learner-questions"


async def taught(world: World, *teachers: User) -> UUID:
    """Returns a course of these instructors."""
    course = await world.course(title="NR-35")
    async with world.tx() as tx:
        await courses.set_teachers(tx, course, [each.id for each in teachers])
    return course


async def enrolled(world: World, user: User, course: UUID) -> str:
    """Returns the address of the person's questions in the course."""
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course)
    return f"/learn/enrollments/{enrollment['id']}/questions"


async def asked(world: World, user: User, page: str, text: str = "Por quê?", **form: object) -> str:
    """Asks a question, and returns its id."""
    answer = await send(await browser_of(world, user), page, text=text, **form)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].rpartition("/")[2]


async def mail_to(world: World, user: User) -> tuple[str, str]:
    """Hands reminders over to the outbox, and returns the subject and content of the person's e-mail."""
    await build_mail_job("https://trilha.test").run_in(world.database, world.tenant.id)
    async with world.tx() as tx:
        (row,) = await tx.rows(
            """
            SELECT id, content FROM mail_messages
            WHERE tenant_id = :tenant AND to_email = :email AND kind = 'reminders'
            """,
            email=user.email,
        )
    content = world.database.keyring.open(row["content"], world.tenant.id, "mail_messages", row["id"])
    return json.loads(content)["message"]["own_subject"], content


async def test_a_question_is_asked_answered_and_both_are_told(world: World) -> None:
    teacher, user = await made(world, "instrutor", name="Rui Prado"), await made(world, name="Ana Lima")
    page = await enrolled(world, user, await taught(world, teacher))
    learner, instructor = await browser_of(world, user), await browser_of(world, teacher)
    assert page in (await learner.get(page.removesuffix("/questions"))).text
    sent = await send(learner, page, text="Um cinto\r\nou dois? <b>http://x.example</b>")
    own = sent.headers["location"]
    question = own.rpartition("/")[2]
    shown = (await learner.get(own)).text
    assert "Um cinto\nou dois? &lt;b&gt;http://x.example&lt;/b&gt;" in shown
    assert 'href="http://x.example' not in shown
    bell = (await instructor.get("/learn/notifications")).text
    assert await open_notification(instructor, "Ana Lima has a question") == f"{PATH}/{question}"
    assert "Ana Lima has a question about NR-35." in bell
    assert "Um cinto" in bell
    listed = (await instructor.get(PATH)).text
    assert all(each in listed for each in ("Ana Lima", "NR-35", "Um cinto"))
    world.clock.move(minutes=95)
    answer = await send(instructor, f"{PATH}/{question}", text="Dois.")
    assert answer.status_code == 303
    assert "Um cinto" not in (await instructor.get(PATH)).text
    assert "1 h" in (await instructor.get(f"{PATH}?state=all")).text
    bell = (await learner.get("/learn/notifications")).text
    assert await open_notification(learner, "Your question about NR-35") == own
    assert "Your question about NR-35 was answered." in bell
    shown = (await learner.get(own)).text
    assert "Dois." in shown
    assert "Rui Prado" in shown
    assert (await send(learner, own, text="E a corda?")).status_code == 303
    assert "E a corda?" in (await instructor.get(f"{PATH}/{question}")).text
    assert "Um cinto" in (await instructor.get(PATH)).text, "it waits again"


async def test_the_mail_leads_to_the_question_and_brings_the_answer(world: World) -> None:
    teacher, user = await made(world, "instrutor"), await made(world)
    page = await enrolled(world, user, await taught(world, teacher))
    question = await asked(world, user, page, "Um ou dois?")
    subject, content = await mail_to(world, teacher)
    assert subject == "Dúvida em NR-35"
    assert "Um ou dois?" in content
    assert f"https://trilha.test{PATH}/{question}" in content
    client = world.client()
    lead = await client.get(f"{PATH}/{question}", headers={"sec-fetch-site": "none"})
    assert lead.status_code == 303
    assert f"%2Flearner-questions%2F{question}" in lead.headers["location"].replace("/", "%2F")
    await send(await browser_of(world, teacher), f"{PATH}/{question}", text="Dois talabartes.")
    subject, content = await mail_to(world, user)
    assert subject == "Resposta à sua dúvida em NR-35"
    assert "Dois talabartes." in content
    assert f"https://trilha.test{page}/{question}" in content


async def test_an_answer_leads_to_the_next_question(world: World) -> None:
    teacher, user = await made(world, "instrutor"), await made(world)
    page = await enrolled(world, user, await taught(world, teacher))
    first, second = await asked(world, user, page), await asked(world, user, page)
    instructor = await browser_of(world, teacher)
    await send(instructor, f"{PATH}/{first}", text="Sim.")
    assert f'href="{PATH}/{second}"' in (await instructor.get(f"{PATH}/{first}")).text
    assert f'href="{PATH}/{first}"' not in (await instructor.get(f"{PATH}/{second}")).text


async def test_without_an_instructor_administrators_are_told(world: World) -> None:
    admin, user = await made(world, "admin"), await made(world)
    question = await asked(world, user, await enrolled(world, user, await world.course()))
    assert await open_notification(await browser_of(world, admin), "has a question") == f"{PATH}/{question}"


async def test_nobody_else_sees_a_question(world: World) -> None:
    teacher, other = await made(world, "instrutor"), await made(world, "instrutor")
    user, colleague = await made(world, name="Ana Lima"), await made(world)
    course = await taught(world, teacher)
    await taught(world, other)
    page, others = await enrolled(world, user, course), await enrolled(world, colleague, course)
    question = await asked(world, user, page, "Segredo meu")
    strange = await browser_of(world, colleague)
    assert (await strange.get(f"{page}/{question}")).status_code == 404
    assert (await strange.get(f"{others}/{question}")).status_code == 404
    assert (await send(strange, f"{others}/{question}", text="Eu também")).status_code == 404
    assert "Segredo meu" not in (await strange.get(f"{others}?show=shared")).text
    wrong = await browser_of(world, other)
    told = "learner's question waits for an answer"
    assert told in (await (await browser_of(world, teacher)).get("/admin")).text
    assert told not in (await wrong.get("/admin")).text
    assert "Segredo meu" not in (await wrong.get(f"{PATH}?state=all")).text
    assert (await wrong.get(f"{PATH}/{question}")).status_code == 404
    assert (await send(wrong, f"{PATH}/{question}", text="Sim.")).status_code == 404
    assert (await send(wrong, f"{PATH}/{question}/close")).status_code == 404
    assert (await send(wrong, f"{PATH}/{question}/share", shared="true")).status_code == 404
    assert (await send(wrong, f"/admin/courses/{course}/question-sharing", shared="true")).status_code == 404
    assert "Segredo meu" not in (await wrong.get(f"{PATH}.csv?state=all")).text
    assert question not in (await wrong.get(f"{PATH}.csv?state=all")).text
    for role in ("gestor", "learner"):
        assert (await (await signed_in(world, role)).get(f"{PATH}/{question}")).status_code in (403, 404)


async def test_an_answer_for_everyone_never_names_the_asker(world: World) -> None:
    teacher, user = await made(world, "instrutor"), await made(world, name="Ana Lima")
    colleague, stranger = await made(world), await made(world)
    course = await taught(world, teacher)
    page, others = await enrolled(world, user, course), await enrolled(world, colleague, course)
    elsewhere = await enrolled(world, stranger, await world.course())
    question = await asked(world, user, page, "Um cinto ou dois?")
    instructor = await browser_of(world, teacher)
    await send(instructor, f"{PATH}/{question}", text="Dois.")
    assert (await send(instructor, f"{PATH}/{question}/share", shared="true")).status_code == 422
    await send(instructor, f"/admin/courses/{course}/question-sharing", shared="true")
    assert (await send(instructor, f"{PATH}/{question}/share", shared="true")).status_code == 303
    reader = await browser_of(world, colleague)
    for address in (f"{others}?show=shared", f"{others}/{question}"):
        shown = (await reader.get(address)).text
        assert "Um cinto ou dois?" in shown
        assert "Ana Lima" not in shown
        assert str(user.id) not in shown
    assert (await send(reader, f"{others}/{question}", text="Eu também")).status_code == 404
    world.clock.move(seconds=1)
    asker = await browser_of(world, user)
    await send(asker, f"{page}/{question}", text="Sou a Ana da expedição.")
    await send(instructor, f"{PATH}/{question}", text="Dois, em qualquer altura.")
    assert "Sou a Ana" in (await asker.get(f"{page}/{question}")).text
    assert "Sou a Ana" in (await instructor.get(f"{PATH}/{question}")).text
    shown = (await reader.get(f"{others}/{question}")).text
    assert "Sou a Ana" not in shown, "nobody has read it before it would be shown to everyone"
    assert "Dois, em qualquer altura." in shown
    outside = await browser_of(world, stranger)
    assert (await outside.get(f"{elsewhere}/{question}")).status_code == 404
    await send(instructor, f"/admin/courses/{course}/question-sharing", shared="false")
    assert (await reader.get(f"{others}/{question}")).status_code == 404
    await send(instructor, f"/admin/courses/{course}/question-sharing", shared="true")
    await send(instructor, f"{PATH}/{question}/share", shared="false")
    assert (await reader.get(f"{others}/{question}")).status_code == 404


async def test_instructors_do_not_answer_themselves(world: World) -> None:
    teacher = await made(world, "instrutor")
    page = await enrolled(world, teacher, await taught(world, teacher))
    question = await asked(world, teacher, page)
    browser = await browser_of(world, teacher)
    assert "Send answer" not in (await browser.get(f"{PATH}/{question}")).text
    assert (await send(browser, f"{PATH}/{question}", text="Dois.")).status_code == 403
    assert (await send(await signed_in(world, "admin"), f"{PATH}/{question}", text="Um.")).status_code == 303


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2001, "a\x00b"])
async def test_a_wrong_question_is_refused(world: World, text: str) -> None:
    user = await made(world)
    page = await enrolled(world, user, await world.course())
    answer = await send(await browser_of(world, user), page, text=text)
    assert answer.status_code in (400, 422)
    assert "No question" not in answer.text


async def test_lines_count_once(world: World) -> None:
    user = await made(world)
    page = await enrolled(world, user, await world.course())
    await asked(world, user, page, "\r\n".join(["x"] * 1000))


async def test_a_module_of_another_course_is_refused(world: World) -> None:
    user = await made(world)
    page = await enrolled(world, user, await world.course())
    modules = (await world.http.get(f"/v1/courses/{await world.course()}/modules")).json()["data"]
    answer = await send(await browser_of(world, user), page, text="Por quê?", module_id=modules[0]["id"])
    assert answer.status_code in (404, 422)


async def test_a_closed_question_takes_no_more_messages(world: World) -> None:
    user = await made(world)
    page = await enrolled(world, user, await world.course())
    question = await asked(world, user, page)
    admin, learner = await signed_in(world), await browser_of(world, user)
    assert (await send(admin, f"{PATH}/{question}", text="Porque sim.", close="true")).status_code == 303
    assert (await send(learner, f"{page}/{question}", text="Mas…")).status_code in (409, 422)
    assert (await send(admin, f"{PATH}/{question}", text="Mesmo.")).status_code in (409, 422)
    assert (await send(admin, f"{PATH}/{question}/close")).status_code == 409


async def test_the_log_has_the_dates(world: World) -> None:
    user = await made(world, name="=Ana")
    page = await enrolled(world, user, await world.course(title="NR-10"))
    question = await asked(world, user, page)
    admin = await signed_in(world, name="Rui Prado")
    world.clock.move(hours=26)
    admin = await signed_in(world, name="Rui Prado")
    await send(admin, f"{PATH}/{question}", text="Porque sim.")
    text = (await admin.get(f"{PATH}.csv?state=all")).content.decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["person"], row["course"], row["state"]) == ("'=Ana", "NR-10", "ANSWERED")
    assert (row["minutes_to_first_answer"], row["answered_by"]) == (str(26 * 60), "Rui Prado")
    assert "Porque" not in text
    asked_at = (await admin.get(f"{PATH}.csv?state=waiting")).content.decode("utf-8-sig")
    assert not list(csv.DictReader(io.StringIO(asked_at)))


async def test_waiting_questions_come_oldest_first(world: World) -> None:
    user = await made(world)
    course = await world.course()
    page = await enrolled(world, user, course)
    for text in ("Primeira", "Segunda"):
        await asked(world, user, page, text)
        world.clock.move(minutes=1)
    admin = await signed_in(world)
    listed = (await admin.get(f"{PATH}?course={course}")).text
    assert 0 < listed.index("Primeira") < listed.index("Segunda")
    assert "Primeira" not in (await admin.get(f"{PATH}?course={await world.course()}")).text
    overview = (await admin.get("/admin")).text
    assert "2 learners' questions wait for an answer" in overview
    assert f'href="{PATH}"' in overview


async def test_an_erased_person_leaves_dates_but_no_texts(world: World) -> None:
    user = await made(world, name="Ana Lima")
    page = await enrolled(world, user, await world.course())
    question = await asked(world, user, page, "Sou a Ana")
    admin = await signed_in(world)
    await send(admin, f"{PATH}/{question}", text="Oi, Ana")
    export = await (await browser_of(world, user)).get("/api/users/me/data-export")
    (own,) = export.json()["learner_questions"]
    assert own["messages"] == ["Sou a Ana", "Oi, Ana"]
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, user.id)
    shown = (await admin.get(f"{PATH}/{question}")).text
    assert "Sou a Ana" not in shown
    assert "Oi, Ana" not in shown
    assert "Text removed" in shown
    assert "Sou a Ana" not in (await admin.get("/learn/notifications")).text
