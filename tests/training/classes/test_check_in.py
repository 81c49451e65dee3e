"""Check-in with the code that is shown in the room, and every way to cheat with it."""

import asyncio
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from uuid import UUID, uuid4

import httpx2

from conftest import World
from training.classes.classes import Classes, offer, refusal
from web.learn.signing_in import PASSWORD, send, signed_in


async def token_client(world: World, email: str) -> httpx2.AsyncClient:
    """Signs in through the API and returns a client with the session's token."""
    body = {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD}
    answer = await world.client().post("/api/auth/login", json=body)
    assert answer.status_code == 200, answer.text
    return world.client(answer.json()["session_token"])


async def participant(classes: Classes, made: dict[str, Any]) -> tuple[str, httpx2.AsyncClient]:
    user = await classes.world.user()
    await classes.register(made, user["id"])
    return user["id"], await token_client(classes.world, user["email"])


async def read_code(classes: Classes, made: dict[str, Any], number: int = 0) -> dict[str, Any]:
    path = f"/v1/sessions/{made['sessions'][number]['id']}/check-in-code"
    answer = await classes.world.http.get(path)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def check_in(client: httpx2.AsyncClient, code: str) -> httpx2.Response:
    return await client.post("/api/check-in", json={"code": code})


async def running(world: World, **members: Any) -> tuple[Classes, dict[str, Any]]:
    """A class whose only session began an hour ago and ends in three."""
    world.clock.now = world.clock.now.replace(second=0)
    classes = await offer(world)
    return classes, await classes.create(classes.session(-1, 4), **members)


async def test_a_check_in_records_the_minutes_to_the_end(world: World) -> None:
    classes, made = await running(world)
    user, client = await participant(classes, made)
    shown = await read_code(classes, made)
    assert shown["url"] == f"{shown['url'].partition('/learn/')[0]}/learn/check-in?code={shown['code']}"
    answer = await check_in(client, shown["code"])
    assert answer.status_code == 200, answer.text
    session = made["sessions"][0]["id"]
    assert (answer.json()["session_id"], answer.json()["minutes"]) == (session, 180)
    (recorded,) = await classes.list_attendance(session)
    assert (recorded["user_id"], recorded["minutes"], recorded["method"]) == (user, 180, "QR")
    assert [each[1]["minutes"] for each in await world.events("attendance.recorded")] == [180]
    assert refusal(await check_in(client, shown["code"])) == (409, "already_checked_in")
    world.clock.move(minutes=1)
    again = await read_code(classes, made)
    assert refusal(await check_in(client, again["code"])) == (409, "already_checked_in")
    assert (await classes.list_attendance(session)) == [recorded]


async def test_who_checks_in_within_the_first_minute_is_there_from_the_start(world: World) -> None:
    world.clock.now = world.clock.now.replace(second=0)
    classes = await offer(world)
    made = await classes.create(classes.session(1, 2))
    _, client = await participant(classes, made)
    world.clock.move(hours=1, seconds=40)
    answer = await check_in(client, (await read_code(classes, made))["code"])
    assert answer.json()["minutes"] == 120
    await classes.judge()
    enrollments = (await world.http.get("/v1/enrollments")).json()["data"]
    assert [each["status"] for each in enrollments] == ["COMPLETED"]


async def test_codes_change_every_15_seconds_and_last_at_most_30(world: World) -> None:
    classes, made = await running(world)
    first = await read_code(classes, made)
    assert first["expires_at"] == (await read_code(classes, made))["expires_at"]
    world.clock.move(seconds=14)
    assert (await read_code(classes, made)) == first
    world.clock.move(seconds=1)
    second = await read_code(classes, made)
    assert second["code"] != first["code"]
    _, early = await participant(classes, made)
    _, late = await participant(classes, made)
    world.clock.move(seconds=14)
    assert (await check_in(early, first["code"])).status_code == 200
    world.clock.move(seconds=1)
    assert refusal(await check_in(late, first["code"])) == (422, "check_in_code_invalid")
    assert (await check_in(late, second["code"])).status_code == 200


async def test_a_code_is_only_shown_during_the_session(world: World) -> None:
    world.clock.now = world.clock.now.replace(second=0)
    classes = await offer(world)
    made = await classes.create(classes.session(1, 1))
    path = f"/v1/sessions/{made['sessions'][0]['id']}/check-in-code"
    assert refusal(await world.http.get(path)) == (422, "outside_session")
    world.clock.move(hours=1)
    assert (await world.http.get(path)).status_code == 200
    world.clock.move(hours=1, seconds=-10)
    _, client = await participant(classes, made)
    last = await read_code(classes, made)
    world.clock.move(seconds=10)
    assert refusal(await world.http.get(path)) == (422, "outside_session")
    assert refusal(await check_in(client, last["code"])) == (422, "outside_session")
    assert refusal(await world.http.get(f"/v1/sessions/{uuid4()}/check-in-code")) == (
        404,
        "class_session_not_found",
    )


async def test_a_cancelled_session_takes_no_check_in(world: World) -> None:
    classes, made = await running(world)
    _, client = await participant(classes, made)
    shown = await read_code(classes, made)
    session = made["sessions"][0]["id"]
    await classes.post(f"sessions/{session}/cancel", reason="Chuva")
    assert refusal(await check_in(client, shown["code"])) == (422, "session_cancelled")
    path = f"/v1/sessions/{session}/check-in-code"
    assert refusal(await world.http.get(path)) == (422, "session_cancelled")


async def test_forged_codes_are_refused(world: World, stranger: World) -> None:
    classes, made = await running(world)
    user, client = await participant(classes, made)
    other = await classes.create(classes.session(-1, 4))
    code = (await read_code(classes, made))["code"]
    theirs = await offer(stranger)
    foreign = (await read_code(theirs, await theirs.create(theirs.session(-1, 4))))["code"]
    signature = urlsafe_b64decode(code)[16:]
    moved = urlsafe_b64encode(UUID(other["sessions"][0]["id"]).bytes + signature).decode()
    flipped = code[:-1] + ("A" if code[-1] != "A" else "B")
    unsigned = urlsafe_b64encode(urlsafe_b64decode(code)[:16] + bytes(32)).decode()
    forged = [
        foreign,
        moved,
        flipped,
        unsigned,
        code[:-1],
        code + "A",
        code.lower(),
        "A" * 64,
        "é" * 64,
        " " + code,
    ]
    for each in forged:
        assert refusal(await check_in(client, each)) == (422, "check_in_code_invalid"), each
    for body in ({}, {"code": ""}, {"code": 5}, {"code": "x" * 201}, {"code": code, "user_id": user}):
        answer = await client.post("/api/check-in", json=body)
        assert answer.status_code == 400, body
    assert [each["method"] for each in await classes.list_attendance(made["sessions"][0]["id"])] == [None]
    assert (await check_in(client, code)).status_code == 200


async def test_only_registered_people_who_are_signed_in_check_in(world: World, stranger: World) -> None:
    classes, made = await running(world, maximum_people=1)
    await participant(classes, made)
    code = (await read_code(classes, made))["code"]
    user = await world.user()
    client = await token_client(world, user["email"])
    assert refusal(await check_in(client, code)) == (422, "not_registered")
    waiting = await classes.register(made, user["id"])
    assert waiting["status"] == "WAITLISTED"
    assert refusal(await check_in(client, code)) == (422, "not_registered")
    assert (await check_in(world.client(), code)).status_code == 401
    assert (await check_in(world.http, code)).status_code == 401
    theirs = await stranger.user()
    answer = await check_in(await token_client(stranger, theirs["email"]), code)
    assert refusal(answer) == (422, "check_in_code_invalid")
    assert await world.events("attendance.recorded") == []


async def test_one_of_many_check_ins_at_once_counts(world: World) -> None:
    classes, made = await running(world)
    _, client = await participant(classes, made)
    code = (await read_code(classes, made))["code"]
    answers = await asyncio.gather(*(check_in(client, code) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    assert len(await world.events("attendance.recorded")) == 1


async def test_a_recorded_absence_is_not_undone_by_a_check_in(world: World) -> None:
    classes, made = await running(world)
    user, client = await participant(classes, made)
    session = made["sessions"][0]["id"]
    await classes.attend(session, {user: 0})
    code = (await read_code(classes, made))["code"]
    assert refusal(await check_in(client, code)) == (409, "already_checked_in")
    # The instructor corrects it.
    assert refusal(await classes.attend_response(session, {"user_id": user, "minutes": 9})) == (
        400,
        "required",
    )
    (corrected,) = await classes.attend(session, {user: 9}, reason="Chegou atrasada")
    assert (corrected["minutes"], corrected["method"]) == (9, "LIST")


async def test_the_page_of_the_code_checks_in(world: World) -> None:
    classes, made = await running(world)
    user = await world.user()
    registration = await classes.register(made, user["id"])
    browser = await signed_in(world, user["email"])
    code = (await read_code(classes, made))["code"]
    path = f"/learn/check-in?code={code}"
    page = await browser.get(path)
    assert page.status_code == 200
    assert "Turma 1" in page.text
    answer = await send(browser, path, "/learn/check-in", code=code)
    assert (answer.status_code, answer.headers["location"]) == (303, "/learn")
    assert [each["method"] for each in await classes.list_attendance(made["sessions"][0]["id"])] == ["QR"]
    again = await send(browser, path, "/learn/check-in", code=code)
    assert again.status_code == 422
    assert "Your attendance is already recorded." in again.text
    world.clock.move(seconds=60)
    assert "No session to check in to" in (await browser.get("/learn/check-in")).text
    for stale in (path, "/learn/check-in?code=x"):
        page = await browser.get(stale)
        assert page.status_code == 200
        assert "Scan the code again" in page.text
    assert (await classes.unregister(registration))["status"] == "CANCELLED"
