"""The attendance of a session on pages: its list, marks of devices, signatures, the printed list, scans."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from training.classes.classes import Classes, offer
from training.classes.test_check_in import running
from trilha import app as trilha_app
from trilha.app import PERSONAL_DATA
from trilha.core.database import Database
from trilha.core.types import Name, Timestamp
from trilha.core.web.rate_limits import Limit
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.users.schema import Role, User
from trilha.settings import Settings
from trilha.training.classes.attendance_lists import scans
from trilha.web.panel.class_sessions import attendance
from web.panel.signing_in import PASSWORD, browser_of, made, send, signed_in

DRAWING = json.dumps([[10, 10, 200, 100, 300, 20], [310, 20, 400, 90]])


class Session:
    """A class whose only session began an hour ago and ends in three, and its people."""

    def __init__(self, classes: Classes, made_class: dict[str, Any], people: list[User]) -> None:
        self.world = classes.world
        self.classes = classes
        self.id = made_class["sessions"][0]["id"]
        self.made = made_class
        self.people = people
        self.path = f"/admin/sessions/{self.id}"

    async def minutes(self) -> dict[str, Any]:
        return {each["user_id"]: each["minutes"] for each in await self.classes.list_attendance(self.id)}

    async def method(self, number: int = 0) -> str | None:
        listed = await self.classes.list_attendance(self.id)
        found: str | None = next(
            each["method"] for each in listed if each["user_id"] == str(self.people[number].id)
        )
        return found

    async def merge(self, client: httpx2.AsyncClient, *marks: dict[str, Any]) -> httpx2.Response:
        return await client.post(f"{self.path}/attendance/marks", json={"marks": list(marks)})

    def mark(self, number: int, minutes: int, before: int | None = None, **members: Any) -> dict[str, Any]:
        person = str(self.people[number].id)
        return {"id": str(uuid4()), "user_id": person, "minutes": minutes, "before": before} | members


async def held(world: World, *names: str, instructors: list[User] | None = None, **members: Any) -> Session:
    world.clock.now = world.clock.now.replace(second=0)
    classes = await offer(world)
    ids = [str(each.id) for each in instructors or []]
    made_class = await classes.create(classes.session(-1, 4, instructor_ids=ids), **members)
    people = [await made(world, name=each) for each in names or ("Ana Lima", "Bruno Souza")]
    for each in people:
        await classes.register(made_class, each.id)
    return Session(classes, made_class, people)


async def fill(
    client: httpx2.AsyncClient, session: Session, *rows: tuple[int, str, str], **fields: str
) -> httpx2.Response:
    """Sends the form without scripts: of each row the person, what the page showed, and the minutes."""
    body: list[tuple[str, str]] = []
    for number, before, minutes in rows:
        body += [("user_id", str(session.people[number].id)), ("before", before), ("minutes", minutes)]
    data: dict[str, Any] = {"csrf_token": client.headers["x-csrf-token"], **fields}
    for name, value in body:
        data.setdefault(name, []).append(value)
    return await client.post(f"{session.path}/attendance", data=data)


def outcomes(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [each["outcome"] for each in answer.json()["results"]]


async def test_the_list_works_without_scripts(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    page = (await admin.get(f"{session.path}/attendance")).text
    assert page.index("Ana Lima") < page.index("Bruno Souza")
    assert (await fill(admin, session, (0, "", "90"), (1, "", ""))).status_code == 303
    assert await session.minutes() == {str(session.people[0].id): 90, str(session.people[1].id): 0}
    answer = await fill(admin, session, (0, "90", "90"), (1, "", ""), all_present="true")
    assert answer.status_code == 303
    assert sorted((await session.minutes()).values()) == [90, 240]
    refused = await fill(admin, session, (0, "90", "60"))
    assert refused.status_code == 422
    assert "Give a reason" in refused.text
    assert (await fill(admin, session, (0, "90", "60"), reason="Saiu antes")).status_code == 303
    assert sorted((await session.minutes()).values()) == [60, 240]
    person = (await admin.get(f"{session.path}/attendance/{session.people[0].id}")).text
    assert "From 90 to 60 min" in person
    assert "Saiu antes" in person


@pytest.mark.parametrize("minutes", ["-1", "1.5", "x", "999999", "241", "²"])
async def test_minutes_that_are_none_are_refused(world: World, minutes: str) -> None:
    session = await held(world)
    answer = await fill(await signed_in(world), session, (0, "", minutes))
    assert answer.status_code == 422
    assert set((await session.minutes()).values()) == {0}


async def test_a_form_shows_what_somebody_else_changed(world: World) -> None:
    session = await held(world)
    one, other = await signed_in(world, name="Carla"), await signed_in(world, name="Davi")
    assert (await fill(other, session, (0, "", "30"))).status_code == 303
    answer = await fill(one, session, (0, "", "60"), (1, "", "240"))
    assert answer.status_code == 200
    assert "Davi recorded 30 min. You typed 60 min." in answer.text
    assert await session.minutes() == {str(session.people[0].id): 30, str(session.people[1].id): 240}
    assert (await fill(one, session, (0, "30", "60"), reason="Estava na sala")).status_code == 303
    assert (await session.minutes())[str(session.people[0].id)] == 60


async def test_marks_of_a_device_are_merged(world: World) -> None:
    session = await held(world, "Ana", "Bruno", "Caio")
    one, other = await signed_in(world, name="Carla"), await signed_in(world, name="Davi")
    mine = [session.mark(0, 240), session.mark(1, 0), session.mark(2, 100)]
    # Meanwhile, somebody else records: the same, another value, and nothing.
    await session.merge(other, session.mark(0, 240), session.mark(1, 120))
    world.clock.move(minutes=60)
    answer = await session.merge(one, *mine)
    assert outcomes(answer) == ["UNCHANGED", "CONFLICT", "RECORDED"]
    (conflict,) = [each for each in answer.json()["results"] if each["recorded"]]
    assert (conflict["recorded"]["minutes"], conflict["recorded"]["recorded_by"]) == (120, "Davi")
    # Sent again, because the answer was lost: nothing is recorded twice, and what was corrected stays.
    assert outcomes(await session.merge(one, *mine)) == ["UNCHANGED", "CONFLICT", "UNCHANGED"]
    corrected = session.mark(2, 90, before=100, reason="Saiu antes")
    assert outcomes(await session.merge(other, corrected)) == ["RECORDED"]
    assert outcomes(await session.merge(one, *mine))[2] == "UNCHANGED"
    # Who insists says why.
    assert outcomes(await session.merge(one, session.mark(1, 0, before=120))) == ["REFUSED"]
    insists = session.mark(1, 0, before=120, reason="Não veio")
    assert outcomes(await session.merge(one, insists)) == ["RECORDED"]
    assert sorted((await session.minutes()).values()) == [0, 90, 240]
    assert len(await world.events("attendance.recorded")) == 5


async def test_marks_of_one_person_build_on_each_other(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    marks = [session.mark(0, 240), session.mark(0, 60, before=240, reason="Saiu")]
    assert outcomes(await session.merge(admin, *marks)) == ["RECORDED", "RECORDED"]
    assert (await session.minutes())[str(session.people[0].id)] == 60
    assert outcomes(await session.merge(admin)) == []


async def test_marks_that_cannot_be_recorded_are_told(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    stranger = session.mark(0, 1) | {"user_id": str(uuid4())}
    assert outcomes(await session.merge(admin, session.mark(0, 241), stranger)) == ["REFUSED", "REFUSED"]
    bodies: list[Any] = [{"marks": 1}, {"marks": [{"id": "x"}]}, [], {"marks": [session.mark(0, -1)]}]
    for body in bodies:
        answer = await admin.post(f"{session.path}/attendance/marks", json=body)
        assert answer.status_code in (400, 422), body
    nested = b'{"x":' + b"[" * 5000
    broken = json.dumps({"marks": [session.mark(0, 1, reason="?")]}).encode().replace(b"?", b"\xff")
    for content in (nested, broken):
        answer = await admin.post(f"{session.path}/attendance/marks", content=content)
        assert answer.status_code in (400, 422), content
    timeless = session.mark(0, 1, marked_at="2026-01-01T00:00:00")
    assert (await session.merge(admin, timeless)).status_code in (400, 422)
    early = await session.classes.create(session.classes.session(5))
    await session.classes.register(early, session.people[0].id)
    later = Session(session.classes, early, session.people)
    assert (await later.merge(admin, later.mark(0, 1))).status_code == 422
    assert "has not started" in (await admin.get(f"{later.path}/attendance")).text


@pytest.mark.parametrize(
    ("marked_at", "hours"),
    [("0001-01-01T00:00:00+14:00", -25), ("9999-12-31T23:59:59-14:00", 0)],
)
async def test_a_device_with_a_wrong_clock_marks_about_the_time_of_the_session(
    world: World, marked_at: str, hours: int
) -> None:
    session = await held(world)
    admin = await signed_in(world)
    assert outcomes(await session.merge(admin, session.mark(0, 60, marked_at=marked_at))) == ["RECORDED"]
    async with world.tx() as tx:
        moment = await tx.value("SELECT marked_at FROM attendance_marks WHERE tenant_id = :tenant")
    assert moment == Timestamp.of(world.clock() + timedelta(hours=hours))


async def test_who_opens_a_list(world: World) -> None:
    teacher, colleague = await made(world, "instrutor"), await made(world, "instrutor")
    manager, stranger = await made(world, "gestor"), await made(world, "gestor")
    session = await held(world, instructors=[teacher])
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Fábrica")))
        await units.set_managers(tx, unit.id, [manager.id])
        await tx.execute(
            "UPDATE users SET business_unit_id = :unit WHERE tenant_id = :tenant AND id = :id",
            unit=unit.id,
            id=session.people[0].id,
        )
    for person, status in ((teacher, 200), (manager, 200), (colleague, 404), (stranger, 404)):
        browser = await browser_of(world, person)
        assert (await browser.get(f"{session.path}/attendance")).status_code == status
    assert (await (await signed_in(world, "learner")).get(f"{session.path}/attendance")).status_code == 403
    # A manager sees and marks their own people only, and nothing that concerns everybody.
    browser = await browser_of(world, manager)
    page = (await browser.get(f"{session.path}/attendance")).text
    assert "Ana Lima" in page
    assert "Bruno Souza" not in page
    answer = await session.merge(browser, session.mark(0, 10), session.mark(1, 10))
    assert sorted(outcomes(answer)) == ["RECORDED", "REFUSED"]
    assert [each["name"] for each in answer.json()["people"]] == ["Ana Lima"]
    for path in ("check-in", "check-in/code", "list.pdf", "scans", f"attendance/{session.people[1].id}"):
        assert (await browser.get(f"{session.path}/{path}")).status_code == 404, path
    assert (await (await browser_of(world, teacher)).get(f"{session.path}/check-in")).status_code == 200


@pytest.mark.parametrize("role", ["instrutor", "admin"])
async def test_instructors_do_not_record_their_own_attendance(world: World, role: Role) -> None:
    teacher = await made(world, role, name="Zilda Reis")
    session = await held(world, instructors=[teacher])
    await session.classes.register(session.made, teacher.id)
    session.people.append(teacher)
    browser = await browser_of(world, teacher)
    answer = await session.merge(browser, session.mark(2, 240), session.mark(0, 240))
    assert sorted(outcomes(answer)) == (
        ["RECORDED", "REFUSED"] if role == "instrutor" else ["RECORDED", "RECORDED"]
    )
    if role == "admin":
        return
    codes = {each["user_id"]: each["minutes"] for each in answer.json()["people"]}
    assert codes[str(teacher.id)] is None
    assert "own_attendance" in answer.text
    refused = await fill(browser, session, (2, "", "240"))
    assert refused.status_code == 403
    done = await fill(browser, session, (1, "", ""), (2, "", ""), all_present="true")
    assert done.status_code == 303
    minutes = await session.minutes()
    assert minutes[str(session.people[1].id)] == 240
    assert minutes[str(teacher.id)] == 0


async def test_a_device_is_told_the_page_that_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attendance, "PER_PAGE", 1)
    session = await held(world)
    admin = await signed_in(world)
    for page, name in ((1, "Ana Lima"), (2, "Bruno Souza")):
        assert f'data-page="{page}"' in (await admin.get(f"{session.path}/attendance?page={page}")).text
        answer = await admin.post(f"{session.path}/attendance/marks?page={page}", json={"marks": []})
        assert [each["name"] for each in answer.json()["people"]] == [name]


async def test_the_code_of_the_room_renews_itself(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    codes = set()
    for _ in range(3):
        page = (await admin.get(f"{session.path}/check-in/code")).text
        assert '<svg class="qr qr--room"' in page or 'class="qr qr--room"' in page
        (code,) = re.findall(r"<code>([0-9A-Za-z_-]{64})</code>", page)
        codes.add(code)
        world.clock.move(seconds=15)
    assert len(codes) == 3
    learner = await browser_of(world, session.people[0])
    page = f"/learn/check-in?code={code}"
    assert "Check in" in (await learner.get(page)).text
    body = {"csrf_token": learner.headers["x-csrf-token"], "code": code}
    answer = await learner.post("/learn/check-in", data=body)
    assert answer.status_code == 303
    assert "<strong>1</strong> of 2 people are in" in (await admin.get(f"{session.path}/check-in")).text
    world.clock.move(hours=4)
    over = (await (await signed_in(world)).get(f"{session.path}/check-in")).text
    assert "only during the session" in over
    assert "<code>" not in over


async def test_a_learner_signs_on_their_own_device(world: World) -> None:
    session = await held(world)
    learner = await browser_of(world, session.people[0])
    page = f"/learn/sessions/{session.id}/signature"
    assert page in (await learner.get("/learn/check-in")).text
    for drawing in ("", "[[1,1]]", "x"):
        assert (await send(learner, page, signature=drawing)).status_code == 422
    assert (await send(learner, page, signature=DRAWING)).status_code == 303
    assert (await session.minutes())[str(session.people[0].id)] == 180
    assert await session.method() == "SIGNATURE"
    # Once: a signature is not sent again.
    token = learner.headers["x-csrf-token"]
    again = await learner.post(page, data={"csrf_token": token, "signature": DRAWING})
    assert again.status_code in (404, 409, 422)
    admin = await signed_in(world)
    person = f"{session.path}/attendance/{session.people[0].id}"
    shown = (await admin.get(person)).text
    assert 'd="M10 10L200 100L300 20 M310 20L400 90"' in shown
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, session.people[0].id)
    shown = (await admin.get(person)).text
    assert "M10 10L200" not in shown


async def test_a_signature_needs_a_place_and_the_time_of_the_session(world: World) -> None:
    session = await held(world)
    stranger = await signed_in(world, "learner")
    page = f"/learn/sessions/{session.id}/signature"
    body = {"csrf_token": stranger.headers["x-csrf-token"], "signature": DRAWING}
    assert (await stranger.get(page)).status_code == 404
    assert (await stranger.post(page, data=body)).status_code in (404, 422)
    world.clock.move(hours=3)
    learner = await browser_of(world, session.people[0])
    body["csrf_token"] = learner.headers["x-csrf-token"]
    assert (await learner.get(page)).status_code == 404
    assert (await learner.get(f"/learn/sessions/{session.id}/code")).status_code == 404
    assert (await learner.post(page, data=body)).status_code in (404, 422)
    assert set((await session.minutes()).values()) == {0}
    assert await session.method() is None


async def _read_code(world: World, session: Session, number: int) -> str:
    learner = await browser_of(world, session.people[number])
    page = (await learner.get(f"/learn/sessions/{session.id}/code")).text
    (code,) = re.findall(r"<strong>(\d{4} \d{4})</strong>", page)
    return str(code)


async def test_nobody_signs_for_another_on_the_instructors_device(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    page = f"{session.path}/attendance/{session.people[0].id}/signature"
    code = await _read_code(world, session, 1)
    wrong = (
        {"proof": "code", "code": code},  # of another person
        {"proof": "code", "code": "0000 0000"},
        {"proof": "code", "code": ""},
        {"proof": "code", "code": "१२३४५६७८"},
        {"proof": "password", "password": "wrong"},
        {"proof": "password", "password": ""},
        {"proof": "password", "code": code},
    )
    for each in wrong:
        assert (await send(admin, page, signature=DRAWING, **each)).status_code == 422, each
    own = await _read_code(world, session, 0)
    assert (await send(admin, page, signature="", proof="code", code=own)).status_code == 422
    world.clock.move(minutes=2)
    assert (await send(admin, page, signature=DRAWING, proof="code", code=own)).status_code == 422
    assert set((await session.minutes()).values()) == {0}


async def test_a_person_proves_who_they_are_and_signs(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    ana, bruno = session.people
    page = f"{session.path}/attendance/{ana.id}/signature"
    code = await _read_code(world, session, 0)
    assert (await send(admin, page, signature=DRAWING, proof="code", code=code)).status_code == 303
    page = f"{session.path}/attendance/{bruno.id}/signature"
    answer = await send(admin, page, signature=DRAWING, proof="password", password=PASSWORD)
    assert answer.status_code == 303
    assert [await session.method(0), await session.method(1)] == ["SIGNATURE", "SIGNATURE"]
    again = await send(admin, page, signature=DRAWING, proof="password", password=PASSWORD)
    assert again.status_code in (409, 422)


async def test_a_room_with_one_address_signs_within_a_minute(
    world: World, settings: Settings, database: Database
) -> None:
    world.app = trilha_app.create_app(replace(settings, limit_login=Limit(5, 60)), database, world.clock)
    session = await held(world, *(f"Pessoa {number}" for number in range(7)))
    admin, other = await signed_in(world), await signed_in(world)
    pages = [f"{session.path}/attendance/{each.id}/signature" for each in session.people]
    for page in pages[:6]:
        answer = await send(admin, page, signature=DRAWING, proof="password", password=PASSWORD)
        assert answer.status_code == 303
    # Guesses of one person's password count together, however the address is written.
    tried = [pages[6], pages[6].replace(session.id, str(uuid4())), f"{session.path}/attendance/"]
    tried[2] += f"{str(session.people[6].id).upper()}/signature/"
    guess = {"signature": DRAWING, "proof": "password", "password": "wrong"}
    statuses = [(await send(admin, tried[number % 3], **guess)).status_code for number in range(6)]
    assert statuses == [422, 404, 422, 422, 404, 429]
    assert (await send(other, pages[6], **guess)).status_code == 422
    # An address without a person's id is not counted as a person.
    for wrong in ("%00", "x" * 5000, "%E2%80%AE"):
        assert (await send(other, f"{session.path}/attendance/{wrong}/signature", **guess)).status_code == 404
    # So do those of many people's.
    statuses = [(await send(admin, page, **guess)).status_code for page in pages[:6] for _ in range(2)]
    assert statuses == [422] * 8 + [429] * 4


async def test_the_list_is_printed(world: World) -> None:
    session = await held(world, "Ana #strong[Lima]", "Zoë 北京", title='Turma "1" <b>')
    admin = await signed_in(world)
    answer = await admin.get(f"{session.path}/list.pdf")
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(b"%PDF-")
    assert answer.headers["content-disposition"].startswith("attachment")


async def test_scans_are_kept_sealed(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world, name="Carla")
    path = f"{session.path}/scans"
    for content in (b"", b"<html>", b"GIF89a", b"PK\x03\x04"):
        answer = await send(admin, path, file=("a.pdf", content, "application/pdf"))
        assert answer.status_code == 422, content
    scanned = {"pdf": b"%PDF-1.7 x", "jpeg": b"\xff\xd8\xff x", "png": b"\x89PNG\r\n\x1a\n x"}
    for kind, content in scanned.items():
        # The name and the declared type say nothing.
        file = ("../../lista\x00.exe", content, "text/html")
        assert (await send(admin, path, file=file)).status_code == 303
        newest = (await admin.get(path)).text.split(f'href="{path}/')[1][:36]
        answer = await admin.get(f"{path}/{newest}/download")
        assert answer.content == content
        assert answer.headers["content-type"].endswith(kind)
        assert answer.headers["content-disposition"].startswith("attachment")
        world.clock.move(seconds=1)
    one = f"{path}/{newest}"
    assert (await send(admin, f"{one}/remove", reason=" ")).status_code == 422
    assert (await send(admin, f"{one}/remove", reason="Lista errada")).status_code == 303
    assert (await admin.get(f"{one}/download")).status_code == 404
    page = (await admin.get(path)).text
    assert "Lista errada" in page
    async with world.tx() as tx:
        actions = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant AND action LIKE 'attendance.scan%'"
        )
    assert sorted(each["action"] for each in actions) == [
        *["attendance.scan_added"] * 3,
        "attendance.scan_removed",
    ]


async def test_a_removed_scan_makes_room_for_another(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "MAX_SCANS", 1)
    session = await held(world)
    admin = await signed_in(world)
    path, file = f"{session.path}/scans", ("a.pdf", b"%PDF-1.7 x", "application/pdf")
    assert (await send(admin, path, file=file)).status_code == 303
    assert (await send(admin, path, file=file)).status_code == 422
    one = (await admin.get(path)).text.split(f'href="{path}/')[1][:36]
    assert (await send(admin, f"{path}/{one}/remove", reason="Lista errada")).status_code == 303
    assert (await send(admin, path, file=file)).status_code == 303


async def test_the_device_keeps_the_page_for_its_person(world: World) -> None:
    session = await held(world)
    admin = await signed_in(world)
    answer = await admin.get(f"{session.path}/attendance")
    assert answer.headers["x-trilha-person"] == admin.headers["x-user-id"]
    worker = await admin.get("/admin/attendance-worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert "x-trilha-person" in worker.text


async def test_a_cancelled_session_takes_nothing(world: World) -> None:
    classes, made_class = await running(world)
    user = await made(world)
    await classes.register(made_class, user.id)
    session = Session(classes, made_class, [user])
    await classes.post(f"sessions/{session.id}/cancel", reason="Chuva")
    admin = await signed_in(world)
    assert "canceled" in (await admin.get(f"{session.path}/attendance")).text
    assert (await session.merge(admin, session.mark(0, 1))).status_code == 422
