"""Classes and sessions over HTTP: created, read, changed and cancelled."""

from uuid import uuid4

import pytest

from conftest import World
from training.classes.classes import offer, refusal


async def test_a_class_is_created_with_its_sessions_in_order(world: World) -> None:
    classes = await offer(world)
    late, early = (
        classes.session(48, room="Sala 3"),
        classes.session(24, meeting_url="https://meet.example.com/x"),
    )
    made = await classes.create(late, early, minimum_people=2)
    assert [each["starts_at"] for each in made["sessions"]] == [early["starts_at"], late["starts_at"]]
    assert made | {"id": "", "sessions": [], "created_at": "", "updated_at": ""} == {
        "id": "",
        "course_id": str(classes.course_id),
        "module_id": str(classes.class_module),
        "title": "Turma 1",
        "status": "SCHEDULED",
        "minimum_people": 2,
        "maximum_people": 10,
        "waiting_list": True,
        "registered": 0,
        "waitlisted": 0,
        "cancel_reason": None,
        "sessions": [],
        "created_at": "",
        "updated_at": "",
    }
    session = made["sessions"][1]
    assert session | {"id": "", "created_at": "", "updated_at": ""} == {
        "id": "",
        "class_id": made["id"],
        "status": "SCHEDULED",
        "starts_at": late["starts_at"],
        "ends_at": late["ends_at"],
        "time_zone": "America/Sao_Paulo",
        "room": "Sala 3",
        "meeting_url": None,
        "instructor_ids": [],
        "cancel_reason": None,
        "created_at": "",
        "updated_at": "",
    }
    assert await classes.read(made) == made
    assert (await world.http.get(f"/v1/sessions/{session['id']}")).json()["data"] == session
    listed = (await world.http.get(f"/v1/classes/{made['id']}/sessions")).json()["data"]
    assert listed == made["sessions"]
    assert (await world.http.get("/v1/classes")).json()["data"] == [made]
    ids = {"class_id": made["id"], "course_id": str(classes.course_id)}
    assert await world.events("class.created") == [("class.created", ids)]


async def test_the_times_of_other_zones_are_stored_as_moments(world: World) -> None:
    """The clock goes back in Lisbon on 2031-10-26 at 01:00 UTC, and in New York on 2031-11-02."""
    classes = await offer(world)
    lisbon = {"starts_at": "2031-10-26T00:30:00+01:00", "ends_at": "2031-10-26T03:30:00+00:00"}
    new_york = {"starts_at": "2031-11-02T00:30:00-04:00", "ends_at": "2031-11-02T03:30:00-05:00"}
    made = await classes.create(
        {**lisbon, "time_zone": "Europe/Lisbon"}, {**new_york, "time_zone": "America/New_York"}
    )
    assert [(each["starts_at"], each["ends_at"], each["time_zone"]) for each in made["sessions"]] == [
        ("2031-10-25T23:30:00.000Z", "2031-10-26T03:30:00.000Z", "Europe/Lisbon"),
        ("2031-11-02T04:30:00.000Z", "2031-11-02T08:30:00.000Z", "America/New_York"),
    ]


async def test_without_a_time_zone_it_is_the_companys(world: World) -> None:
    classes = await offer(world)
    session = classes.session()
    del session["time_zone"]
    made = await classes.create(session)
    assert made["sessions"][0]["time_zone"] == "America/Sao_Paulo"


@pytest.mark.parametrize(
    ("session", "code"),
    [
        ({"time_zone": "Brasilia"}, "unknown_time_zone"),
        ({"time_zone": "posixrules"}, "unknown_time_zone"),
        ({"time_zone": "../etc/passwd"}, "unknown_time_zone"),
        ({"time_zone": "america/sao_paulo"}, "unknown_time_zone"),
        ({"ends_at": "2026-01-01T00:00:00Z"}, "ends_before_start"),
        ({"starts_at": "2031-01-01T10:00:00Z", "ends_at": "2031-01-01T10:00:59Z"}, "ends_before_start"),
        ({"starts_at": "2031-01-01T10:00:00Z", "ends_at": "2031-01-08T10:01:00Z"}, "session_too_long"),
        ({"starts_at": "0001-01-01T10:00:00Z", "ends_at": "0001-01-01T12:00:00Z"}, "out_of_range"),
        ({"starts_at": "9999-12-31T10:00:00Z", "ends_at": "9999-12-31T12:00:00Z"}, "out_of_range"),
        ({"starts_at": "2031-01-01T10:00:00"}, "invalid_date_time"),
        ({"room": ""}, "too_short"),
        ({"room": "x" * 121}, "too_long"),
        ({"room": "a\x00"}, "invalid_text"),
        ({"meeting_url": "http://meet.example.com/"}, "https_required"),
        ({"meeting_url": "javascript:alert(1)"}, "invalid_url"),
        ({"meeting_url": "https://"}, "invalid_url"),
        ({"meeting_url": "https://user@meet.example.com/"}, "invalid_url"),
        ({"meeting_url": "https://meet.example.com/\r\nX: y"}, "invalid_url"),
        ({"instructor_ids": ["x"]}, "invalid_uuid"),
        ({"instructor_ids": [str(uuid4())] * 2}, "duplicate_user"),
        ({"capacity": 3}, "unknown_field"),
    ],
)
async def test_a_wrong_session_is_refused(world: World, session: dict[str, object], code: str) -> None:
    classes = await offer(world)
    assert refusal(await classes.create_response(classes.session() | session)) == (400, code)
    assert (await world.http.get("/v1/classes")).json()["data"] == []


@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ({"sessions": []}, 400, "too_short"),
        ({"maximum_people": 0}, 400, "out_of_range"),
        ({"minimum_people": 11}, 400, "out_of_range"),
        ({"title": ""}, 400, "too_short"),
        ({"course_id": str(uuid4())}, 404, "course_not_found"),
        ({"module_id": str(uuid4())}, 404, "module_not_found"),
    ],
)
async def test_a_wrong_class_is_refused(
    world: World, members: dict[str, object], status: int, code: str
) -> None:
    classes = await offer(world)
    assert refusal(await classes.create_response(**members)) == (status, code)


async def test_only_a_module_of_the_type_class_has_classes(world: World) -> None:
    classes = await offer(world, {"title": "Um", "duration_minutes": 10})
    answer = await classes.create_response(module_id=str(classes.modules[0]))
    assert refusal(answer) == (422, "module_not_class")


async def test_instructors_must_exist_in_the_company(world: World, stranger: World) -> None:
    classes = await offer(world)
    theirs = (await stranger.user())["id"]
    answer = await classes.create_response(classes.session(instructor_ids=[theirs]))
    assert refusal(answer) == (404, "user_not_found")
    own = [(await world.user())["id"] for _ in range(3)]
    made = await classes.create(classes.session(instructor_ids=own))
    assert made["sessions"][0]["instructor_ids"] == own


async def test_a_class_ends_with_its_last_session(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-30), classes.session(-6))
    other = await classes.create(classes.session(1))
    assert made["status"] == "ENDED"
    assert [each["id"] for each in (await world.http.get("/v1/classes?status=ended")).json()["data"]] == [
        made["id"]
    ]
    listed = (await world.http.get("/v1/classes?status=SCHEDULED")).json()["data"]
    assert [each["id"] for each in listed] == [other["id"]]
    world.clock.move(hours=5)
    assert (await classes.read(other))["status"] == "ENDED"
    await classes.post(f"classes/{other['id']}/sessions", **classes.session(1))
    assert (await classes.read(other))["status"] == "SCHEDULED"


async def test_classes_are_listed_by_course(world: World) -> None:
    one, other = await offer(world), await offer(world)
    made = [await each.create() for each in (one, other)]
    answer = await world.http.get("/v1/classes", params={"course_id": str(other.course_id)})
    assert [each["id"] for each in answer.json()["data"]] == [made[1]["id"]]
    assert refusal(await world.http.get("/v1/classes?status=x")) == (400, "invalid_value")


async def test_a_class_is_changed(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    path = f"/v1/classes/{made['id']}"
    world.clock.move(seconds=1)
    body = {"title": "Turma 2", "minimum_people": 3, "maximum_people": 4, "waiting_list": False}
    answer = await world.http.patch(path, json=body)
    assert answer.status_code == 200, answer.text
    assert {name: answer.json()["data"][name] for name in body} == body
    assert len(await world.events("class.updated")) == 1
    again = await world.http.patch(path, json=body)
    assert again.json() == answer.json()
    assert len(await world.events("class.updated")) == 1
    assert refusal(await world.http.patch(path, json={"minimum_people": 5})) == (400, "out_of_range")
    assert refusal(await world.http.patch(path, json={"sessions": []})) == (400, "unknown_field")
    assert refusal(await world.http.patch(f"/v1/classes/{uuid4()}", json=body)) == (404, "class_not_found")
    assert (await world.http.delete(path)).status_code == 405


async def test_a_class_is_cancelled_once_with_its_sessions(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(24), classes.session(48))
    first = made["sessions"][0]["id"]
    assert (await classes.post(f"sessions/{first}/cancel", reason="Chuva")).status_code == 200
    path = f"classes/{made['id']}/cancel"
    assert refusal(await classes.post(path)) == (400, "required")
    assert refusal(await classes.post(path, reason=" ")) == (400, "too_short")
    answer = await classes.post(path, reason="O instrutor adoeceu.")
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert (data["status"], data["cancel_reason"]) == ("CANCELLED", "O instrutor adoeceu.")
    assert [(each["status"], each["cancel_reason"]) for each in data["sessions"]] == [
        ("CANCELLED", "Chuva"),
        ("CANCELLED", "O instrutor adoeceu."),
    ]
    world.clock.move(seconds=1)
    assert (await classes.post(path, reason="Outro")).json()["data"] == data
    assert len(await world.events("class.cancelled")) == 1
    assert refusal(await world.http.patch(f"/v1/classes/{made['id']}", json={"title": "X"})) == (
        422,
        "class_cancelled",
    )
    answer = await classes.post(f"classes/{made['id']}/sessions", **classes.session(1))
    assert refusal(answer) == (422, "class_cancelled")
    user = (await world.user())["id"]
    assert refusal(await classes.register_response(made, user)) == (422, "class_cancelled")
    listed = (await world.http.get("/v1/classes?status=cancelled")).json()["data"]
    assert [each["id"] for each in listed] == [made["id"]]


async def test_sessions_are_added_changed_and_cancelled(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    answer = await classes.post(f"classes/{made['id']}/sessions", **classes.session(12, room="Pátio"))
    assert answer.status_code == 201
    session = answer.json()["data"]
    assert [each["id"] for each in (await classes.read(made))["sessions"]] == [
        session["id"],
        made["sessions"][0]["id"],
    ]
    path = f"/v1/sessions/{session['id']}"
    changes = classes.session(13, room=None, meeting_url="https://meet.example.com/y", time_zone="UTC")
    answer = await world.http.patch(path, json=changes)
    assert answer.status_code == 200, answer.text
    assert {name: answer.json()["data"][name] for name in changes} == changes
    assert refusal(await world.http.patch(path, json={"ends_at": "2020-01-01T00:00:00Z"})) == (
        400,
        "ends_before_start",
    )
    before = len(await world.events("class.updated"))
    assert (await world.http.patch(path, json=changes)).status_code == 200
    assert len(await world.events("class.updated")) == before == 2
    answer = await classes.post(f"sessions/{session['id']}/cancel", reason="Chuva")
    assert (answer.json()["data"]["status"], answer.json()["data"]["cancel_reason"]) == ("CANCELLED", "Chuva")
    again = await classes.post(f"sessions/{session['id']}/cancel", reason="Sol")
    assert again.json() == answer.json()
    assert refusal(await world.http.patch(path, json=changes)) == (422, "session_cancelled")
    assert len(await world.events("class.updated")) == 3
    assert (await world.http.delete(path)).status_code == 405


async def test_a_revision_counts_changes_of_time_place_and_link(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    path = f"/v1/sessions/{made['sessions'][0]['id']}"
    teacher = (await world.user())["id"]
    for change, revision in (
        ({"room": "Sala 1"}, 1),
        ({"room": "Sala 1"}, 1),
        ({"time_zone": "America/Sao_Paulo"}, 1),
        ({"instructor_ids": [teacher]}, 1),
        ({"meeting_url": "https://meet.example.com/z"}, 2),
        ({"time_zone": "America/Manaus"}, 3),
        ({"time_zone": "Etc/UTC"}, 4),
    ):
        assert (await world.http.patch(path, json=change)).status_code == 200
        async with world.tx() as tx:
            stored = await tx.value("SELECT revision FROM class_sessions WHERE tenant_id = :tenant")
        assert stored == revision


async def test_overlaps_are_warned_about(world: World) -> None:
    classes = await offer(world)
    teacher = (await world.user())["id"]
    first = await classes.create(classes.session(10, 2, room="Sala 3", instructor_ids=[teacher]))
    taken = first["sessions"][0]["id"]
    answer = await classes.create_response(classes.session(12, 2, room="Sala 3", instructor_ids=[teacher]))
    assert answer.json()["_meta"] == {"warnings": []}  # it starts at the end of the other
    after = answer.json()["data"]["sessions"][0]["id"]
    answer = await classes.create_response(
        classes.session(11.9, 0.1, room="  sala  3 ", instructor_ids=[teacher])
    )
    assert answer.status_code == 201
    both = [{"code": code, "session_id": taken} for code in ("room_overlap", "instructor_overlap")]
    assert answer.json()["_meta"]["warnings"] == both
    session = answer.json()["data"]["sessions"][0]["id"]
    answer = await world.http.patch(f"/v1/sessions/{session}", json=classes.session(13, 2, room="Sala 4"))
    assert answer.json()["_meta"]["warnings"] == [{"code": "instructor_overlap", "session_id": after}]
    made = answer.json()["data"]["class_id"]
    answer = await classes.post(f"classes/{made}/sessions", **classes.session(10, 4, room="SALA 3"))
    assert {(each["code"], each["session_id"]) for each in answer.json()["_meta"]["warnings"]} == {
        ("room_overlap", taken),
        ("room_overlap", after),
    }
    await classes.post(f"classes/{first['id']}/cancel", reason="Chuva")
    answer = await classes.create_response(classes.session(10, 1, room="Sala 3"))
    assert [each["session_id"] for each in answer.json()["_meta"]["warnings"]] != [taken]


async def test_rooms_overlap_whose_names_grow_when_they_are_normalized(world: World) -> None:
    classes = await offer(world)
    name = "\ufdfa" * 45  # 810 characters under NFKC
    await classes.create(classes.session(10, 2, room=name))
    answer = await classes.create_response(classes.session(11, 2, room=f" {name} "))
    assert answer.status_code == 201, answer.text
    assert [each["code"] for each in answer.json()["_meta"]["warnings"]] == ["room_overlap"]


async def test_learners_in_two_sessions_are_warned_about(world: World) -> None:
    classes = await offer(world)
    one, other = await classes.create(classes.session(10, 2)), await classes.create(classes.session(11, 2))
    user = (await world.user())["id"]
    assert (await classes.register_response(one, user)).json()["_meta"] == {"warnings": []}
    answer = await classes.register_response(other, user)
    overlap = {"code": "learner_overlap", "session_id": one["sessions"][0]["id"]}
    assert answer.json()["_meta"]["warnings"] == [overlap]
    moved = await world.http.patch(f"/v1/sessions/{other['sessions'][0]['id']}", json=classes.session(12, 1))
    assert moved.json()["_meta"]["warnings"] == []
    moved = await world.http.patch(f"/v1/sessions/{other['sessions'][0]['id']}", json=classes.session(9, 2))
    assert moved.json()["_meta"]["warnings"] == [overlap]


async def test_learners_who_move_up_into_two_sessions_are_warned_about(world: World) -> None:
    classes = await offer(world)
    one = await classes.create(classes.session(10, 2))
    full = await classes.create(classes.session(11, 2), maximum_people=1)
    first, waiting = [(await world.user())["id"] for _ in range(2)]
    await classes.register_response(one, waiting)
    await classes.register_response(full, first)
    await classes.register_response(full, waiting)
    path = f"/v1/classes/{full['id']}"
    answer = await world.http.patch(path, json={"title": "Turma cheia"})
    assert answer.json()["_meta"] == {"warnings": []}
    answer = await world.http.patch(path, json={"maximum_people": 2})
    overlap = {"code": "learner_overlap", "session_id": one["sessions"][0]["id"]}
    assert answer.json()["_meta"] == {"warnings": [overlap]}


async def test_a_class_has_a_limited_number_of_sessions(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(*(classes.session(n, 0.5) for n in range(100)))
    answer = await classes.post(f"classes/{made['id']}/sessions", **classes.session())
    assert refusal(answer) == (422, "too_many_sessions")
    answer = await classes.create_response(*(classes.session(n, 0.5) for n in range(101)))
    assert refusal(answer) == (400, "too_long")


async def test_scopes_are_asked_for(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    reader = world.client(await world.key("classes:read"))
    assert (await reader.get(f"/v1/classes/{made['id']}")).status_code == 200
    assert refusal(await reader.post(f"/v1/classes/{made['id']}/cancel", json={"reason": "x"})) == (
        403,
        "insufficient_scope",
    )
    session = made["sessions"][0]["id"]
    assert refusal(await reader.get(f"/v1/sessions/{session}/check-in-code")) == (403, "insufficient_scope")
    other = world.client(await world.key("courses:read"))
    assert refusal(await other.get("/v1/classes")) == (403, "insufficient_scope")


async def test_a_class_module_over_http(world: World) -> None:
    course = await world.course()
    path = f"/v1/courses/{course}/modules"
    body = {"title": "Prática", "type": "CLASS", "duration_minutes": 240, "presence_percent": 75}
    answer = await world.http.post(path, json=body)
    assert answer.status_code == 201, answer.text
    assert {name: answer.json()["data"][name] for name in body} == body
    one = f"{path}/{answer.json()['data']['id']}"
    changed = await world.http.patch(one, json={"presence_percent": 80})
    assert changed.json()["data"]["presence_percent"] == 80
    plain = await world.http.post(path, json={"title": "Aula", "type": "CLASS"})
    assert (plain.json()["data"]["presence_percent"], plain.json()["data"]["duration_minutes"]) == (100, 0)
    for percent in (0, 101, 7.5, "75"):
        assert (await world.http.post(path, json=body | {"presence_percent": percent})).status_code == 400
    assert (await world.http.post(path, json=body | {"body": "x"})).status_code == 400
    article = {"title": "Texto", "body": "x", "presence_percent": 50}
    assert refusal(await world.http.post(path, json=article)) == (400, "invalid_value")
    first = (await world.http.get(path)).json()["data"][0]
    assert first["presence_percent"] is None
    answer = await world.http.patch(f"{path}/{first['id']}", json={"presence_percent": 50})
    assert refusal(answer) == (400, "invalid_value")
