"""Calls that return the error codes of classes, by code."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx2

from conftest import World
from contract.session_calls import person
from training.classes.classes import Classes, offer

Call = Callable[[World], Awaitable[httpx2.Response]]
Act = Callable[[Classes], Awaitable[httpx2.Response]]


def _with_classes(act: Act) -> Call:
    async def call(world: World) -> httpx2.Response:
        return await act(await offer(world))

    return call


def _creating(**session: Any) -> Call:
    return _with_classes(lambda classes: classes.create_response(classes.session() | session))


async def _create_elsewhere(world: World) -> httpx2.Response:
    classes = await offer(world, {"title": "Um", "duration_minutes": 1})
    return await classes.create_response(module_id=str(classes.modules[0]))


def _missing(path: str) -> Call:
    return lambda world: world.http.get(f"/v1/{path.format(uuid4())}")


async def _find_no_registration(classes: Classes) -> httpx2.Response:
    made = await classes.create()
    return await classes.world.http.get(f"/v1/classes/{made['id']}/registrations/{uuid4()}")


async def _register_twice(classes: Classes) -> httpx2.Response:
    made = await classes.create()
    registration = await classes.register(made)
    return await classes.register_response(made, registration["user_id"])


async def _fill(classes: Classes) -> httpx2.Response:
    made = await classes.create(maximum_people=1, waiting_list=False)
    await classes.register(made)
    return await classes.register_response(made, (await classes.world.user())["id"])


async def _shrink(classes: Classes) -> httpx2.Response:
    made = await classes.create(maximum_people=2)
    for _ in range(2):
        await classes.register(made)
    return await classes.world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 1})


async def _move_what_was_attended(classes: Classes) -> httpx2.Response:
    made = await classes.create(classes.session(-6))
    session = made["sessions"][0]["id"]
    await classes.attend(session, {(await classes.register(made))["user_id"]: 1})
    return await classes.world.http.patch(f"/v1/sessions/{session}", json=classes.session(6))


async def _register_in_a_cancelled_class(classes: Classes) -> httpx2.Response:
    made = await classes.create()
    await classes.post(f"classes/{made['id']}/cancel", reason="A")
    return await classes.register_response(made, (await classes.world.user())["id"])


async def _change_a_cancelled_session(classes: Classes) -> httpx2.Response:
    session = (await classes.create())["sessions"][0]["id"]
    await classes.post(f"sessions/{session}/cancel", reason="A")
    return await classes.world.http.patch(f"/v1/sessions/{session}", json={"room": "A"})


def _attending(starts: float, *, registered: bool) -> Call:
    async def act(classes: Classes) -> httpx2.Response:
        made = await classes.create(classes.session(starts))
        user = (await classes.world.user())["id"]
        if registered:
            await classes.register(made, user)
        return await classes.attend_response(made["sessions"][0]["id"], {"user_id": user, "minutes": 1})

    return _with_classes(act)


async def _list_one_twice(classes: Classes) -> httpx2.Response:
    entry = {"user_id": str(uuid4()), "minutes": 1}
    return await classes.attend_response(str(uuid4()), entry, entry)


async def _show_a_code_too_early(classes: Classes) -> httpx2.Response:
    session = (await classes.create())["sessions"][0]["id"]
    return await classes.world.http.get(f"/v1/sessions/{session}/check-in-code")


async def _add_too_many_sessions(classes: Classes) -> httpx2.Response:
    made = await classes.create(*(classes.session(n, 0.5) for n in range(100)))
    return await classes.post(f"classes/{made['id']}/sessions", **classes.session())


async def _check_in_with_nothing(world: World) -> httpx2.Response:
    one = await person(world)
    return await one.http.post("/api/check-in", json={"code": "x"})


async def _check_in_twice(classes: Classes) -> httpx2.Response:
    world = classes.world
    made = await classes.create(classes.session(-1))
    one = await person(world)
    session = (await one.http.get("/api/auth/session")).json()
    await classes.register(made, session["user"]["id"])
    path = f"/v1/sessions/{made['sessions'][0]['id']}/check-in-code"
    code = (await world.http.get(path)).json()["data"]["code"]
    await one.http.post("/api/check-in", json={"code": code})
    return await one.http.post("/api/check-in", json={"code": code})


CLASS_CALLS: dict[str, Call] = {
    "ends_before_start": _creating(ends_at="2001-01-01T00:00:00Z"),
    "session_too_long": _creating(ends_at="2099-01-01T00:00:00Z"),
    "duplicate_user": _with_classes(_list_one_twice),
    "module_not_class": _create_elsewhere,
    "class_not_found": _missing("classes/{}"),
    "class_session_not_found": _missing("sessions/{}"),
    "registration_not_found": _with_classes(_find_no_registration),
    "already_registered": _with_classes(_register_twice),
    "class_full": _with_classes(_fill),
    "capacity_below_registered": _with_classes(_shrink),
    "attendance_recorded": _with_classes(_move_what_was_attended),
    "class_cancelled": _with_classes(_register_in_a_cancelled_class),
    "session_cancelled": _with_classes(_change_a_cancelled_session),
    "session_not_started": _attending(6, registered=True),
    "not_registered": _attending(-6, registered=False),
    "outside_session": _with_classes(_show_a_code_too_early),
    "too_many_sessions": _with_classes(_add_too_many_sessions),
    "check_in_code_invalid": _check_in_with_nothing,
    "already_checked_in": _with_classes(_check_in_twice),
}
