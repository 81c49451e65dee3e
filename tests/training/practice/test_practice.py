"""Practice completes a course once a qualified assessor and the learner have signed."""

from io import BytesIO
from uuid import UUID, uuid4

from PIL import Image

from conftest import World
from training.practice.practices import ITEMS, TITLE, build_photo, make_admin, offer
from trilha.app import PERSONAL_DATA
from trilha.settings import Settings
from trilha.training.practice import photos
from web.learn.signing_in import signed_in
from web.panel.training_pages import browsing, id_of, send
from web.player.playing import file_store

GOOD, BAD = "SATISFACTORY", "UNSATISFACTORY"
NO_PHOTO = {"photo": ("", b"")}


def code(answer: object) -> str:
    return str(answer.json()["error"]["code"])  # type: ignore[attr-defined]


async def test_a_course_completes_once_both_have_signed(world: World) -> None:
    practice = await offer(world)
    assert [each["title"] for each in practice.module["items"]] == [each["title"] for each in ITEMS]
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment, GOOD, GOOD)).json()["data"]
    assert (made["status"], made["result"], made["number"]) == ("OPEN", None, 1)
    await practice.judge()
    assert await practice.status(enrollment) == "NOT_STARTED"
    assert (await practice.sign(made["id"])).status_code == 303
    signed = await practice.read(made["id"])
    assert (signed["status"], signed["result"]) == ("ASSESSED", GOOD)
    assert signed["qualification"]["register_number"] == "5069"
    await practice.judge()
    assert await practice.status(enrollment) != "COMPLETED"
    assert await world.events("practice.assessed") == []
    learner = await signed_in(world, enrollment["email"])
    assert "Sign the assessment" in (await learner.get(f"/learn/enrollments/{enrollment['id']}")).text
    page = (await learner.get(f"/learn/enrollments/{enrollment['id']}/practice/{practice.module_id}")).text
    assert "Your signature is missing" in page
    done = await practice.sign_as_learner(learner, enrollment, made["id"])
    assert done.status_code == 303, done.text
    await practice.judge()
    assert await practice.status(enrollment) == "COMPLETED"
    ((_, event),) = await world.events("practice.assessed")
    assert (event["assessment_id"], event["result"]) == (made["id"], GOOD)
    again = await practice.sign_as_learner(learner, enrollment, made["id"])
    assert again.status_code in (409, 422)
    assert len(await world.events("practice.assessed")) == 1
    async with world.tx() as tx:
        kinds = await tx.rows(
            "SELECT kind FROM learning_log WHERE tenant_id = :tenant AND enrollment_id = :id ORDER BY number",
            id=UUID(enrollment["id"]),
        )
    assert [row["kind"] for row in kinds] == ["assessed", "assessed", "completed"]


async def test_an_unsatisfactory_item_asks_for_another_attempt(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    first = (await practice.record(enrollment, GOOD, BAD)).json()["data"]
    assert code(await practice.record(enrollment, GOOD)) == "assessment_open"
    assert (await practice.sign(first["id"])).status_code == 303
    ((_, event),) = await world.events("practice.assessed")
    assert event["result"] == BAD
    second = (await practice.record(enrollment, GOOD, GOOD)).json()["data"]
    assert second["number"] == 2
    await practice.sign(second["id"])
    assert code(await practice.record(enrollment, GOOD)) == "practice_completed"
    rows = (await world.http.get("/v1/practice-assessments")).json()["data"]
    assert sorted(each["number"] for each in rows) == [1, 2]
    await practice.judge()
    assert await practice.status(enrollment) == "IN_PROGRESS"


async def test_nobody_assesses_without_qualification(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    other = await make_admin(world)
    assert code(await practice.record(enrollment, GOOD, assessor_id=other)) == "assessor_not_qualified"
    await practice.qualify(other, valid_until="2020-12-31")
    assert code(await practice.record(enrollment, GOOD, assessor_id=other)) == "assessor_not_qualified"
    await practice.qualify(other, title="Instrutor de NR-10")
    assert code(await practice.record(enrollment, GOOD, assessor_id=other)) == "assessor_not_qualified"
    learner = (await world.user())["id"]
    await practice.qualify(learner)
    assert code(await practice.record(enrollment, GOOD, assessor_id=learner)) == "assessor_may_not_teach"
    assert code(await practice.record(enrollment, GOOD, assessor_id=str(uuid4()))) == "user_not_found"


async def test_an_expired_qualification_signs_nothing(world: World) -> None:
    practice = await offer(world, qualification=None)
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment, GOOD, GOOD)).json()["data"]
    for each in (await world.http.get("/v1/qualifications")).json()["data"]:
        await world.http.patch(f"/v1/qualifications/{each['id']}", json={"valid_until": "2020-06-01"})
    assert (await practice.sign(made["id"])).status_code == 422
    assert (await practice.read(made["id"]))["status"] == "OPEN"


async def test_nobody_assesses_themselves_or_signs_for_another(world: World) -> None:
    practice = await offer(world)
    own = await practice.post("enrollments", user_id=str(practice.assessor_id), course_id=practice.course_id)
    assert code(await practice.record(own.json()["data"], GOOD, GOOD)) == "assessor_is_learner"
    enrollment, other = await practice.enroll(), await practice.enroll()
    made = (await practice.record(enrollment, GOOD, GOOD)).json()["data"]
    stranger = await browsing(world)
    assert (await practice.sign(made["id"], stranger)).status_code == 403
    assert (await practice.read(made["id"]))["status"] == "OPEN"
    learner = await signed_in(world, enrollment["email"])
    early = await practice.sign_as_learner(learner, enrollment, made["id"])
    assert early.status_code == 422
    await practice.sign(made["id"])
    another = await signed_in(world, other["email"])
    for place in (enrollment, other):
        refused = await practice.sign_as_learner(another, place, made["id"])
        assert refused.status_code == 404
    assert (await practice.read(made["id"]))["status"] == "ASSESSED"


async def test_an_incomplete_or_signed_assessment_is_not_signed(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment, GOOD)).json()["data"]
    assert (await practice.sign(made["id"])).status_code == 422
    address = f"/admin/practice/assessments/{made['id']}"
    item = practice.module["items"][1]["id"]
    rated = await send(practice.assessor, f"{address}/items", NO_PHOTO, item_id=item, rating=GOOD, number="2")
    assert rated.status_code == 303
    assert (await send(practice.assessor, f"{address}/sign", signature="")).status_code == 422
    assert (await practice.sign(made["id"])).status_code == 303
    assert (await practice.sign(made["id"])).status_code == 422
    late = await send(practice.assessor, f"{address}/items", NO_PHOTO, item_id=item, rating=BAD, number="2")
    assert late.status_code == 422


async def test_an_annulled_assessment_no_longer_counts(world: World) -> None:
    practice = await offer(world)
    await practice.post(f"courses/{practice.course_id}/modules", title="Teoria", body="Leia.")
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment, GOOD, GOOD)).json()["data"]
    await practice.sign(made["id"])
    learner = await signed_in(world, enrollment["email"])
    await practice.sign_as_learner(learner, enrollment, made["id"])
    await practice.judge()
    before = (await world.http.get(f"/v1/enrollments/{enrollment['id']}")).json()["data"]["progress"]
    done = await send(
        practice.assessor, f"/admin/practice/assessments/{made['id']}/annul", reason="Outra pessoa"
    )
    assert done.status_code == 303, done.text
    await practice.judge()
    left = await practice.read(made["id"])
    assert (left["status"], left["annul_reason"]) == ("ANNULLED", "Outra pessoa")
    async with world.tx() as tx:
        completed = await tx.value(
            "SELECT completed_at FROM module_progress WHERE tenant_id = :tenant AND module_id = :id",
            id=UUID(practice.module_id),
        )
    assert before > 0
    assert completed is None
    assert (await practice.record(enrollment, GOOD, GOOD)).status_code == 201


async def test_the_checklist_of_an_assessment_stays(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment, GOOD)).json()["data"]
    path = f"/v1/courses/{practice.course_id}/modules/{practice.module_id}"
    kept = practice.module["items"][0]
    changed = await world.http.patch(
        path, json={"items": [{"id": kept["id"], "title": "Outro"}, {"title": "Novo"}], "qualification": None}
    )
    items = changed.json()["data"]["items"]
    assert [each["title"] for each in items] == ["Outro", "Novo"]
    assert items[0]["id"] == kept["id"]
    assert changed.json()["data"]["qualification"] is None
    assert [each["title"] for each in (await practice.read(made["id"]))["items"]] == [
        each["title"] for each in ITEMS
    ]
    assert (await world.http.patch(path, json={"items": []})).status_code == 400


async def test_an_instructor_assesses_only_in_their_courses(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    instructor = await browsing(world, "instrutor")
    teacher = await id_of(world, "instrutor")
    await practice.qualify(teacher)
    assert code(await practice.record(enrollment, GOOD, assessor_id=str(teacher))) == "assessor_may_not_teach"
    here = f"/admin/practice/modules/{practice.module_id}"
    assert (await instructor.get(here)).status_code == 404
    begun = await send(instructor, f"{here}/assess", enrollment_id=enrollment["id"])
    assert begun.status_code == 404
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO course_teachers (tenant_id, course_id, user_id) VALUES (:tenant, :course, :user)",
            course=UUID(practice.course_id),
            user=teacher,
        )
    page = (await instructor.get(here)).text
    assert TITLE in page
    begun = await send(instructor, f"{here}/assess", enrollment_id=enrollment["id"])
    assert begun.status_code == 303
    again = await send(instructor, f"{here}/assess", enrollment_id=enrollment["id"])
    assert again.headers["location"] == begun.headers["location"]
    assert (await instructor.get(begun.headers["location"])).status_code == 200
    assert (
        await send(practice.assessor, f"{here}/assess", enrollment_id=enrollment["id"])
    ).status_code == 409


async def test_an_erasure_keeps_results_without_notes(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    item = practice.module["items"][0]["id"]
    notes = [{"item_id": item, "rating": GOOD, "note": "Ana tem medo."}]
    made = (await practice.record(enrollment, ratings=notes)).json()["data"]
    assert made["items"][0]["note"] == "Ana tem medo."
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(enrollment["user_id"]))
    left = await practice.read(made["id"])
    assert (left["status"], left["items"][0]["note"]) == ("ANNULLED", None)


async def test_a_photo_is_stored_without_metadata(world: World, settings: Settings) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment)).json()["data"]
    address = f"/admin/practice/assessments/{made['id']}"
    item = practice.module["items"][0]["id"]
    fields = {"item_id": item, "rating": GOOD, "number": "1"}
    bad = await send(practice.assessor, f"{address}/items", {"photo": ("a.jpg", b"MZ")}, **fields)
    assert bad.status_code == 422
    photo = {"photo": ("a.jpg", build_photo())}
    assert (await send(practice.assessor, f"{address}/items", photo, **fields)).status_code == 303
    (rated, _) = (await practice.read(made["id"]))["items"]
    shown = await practice.assessor.get(f"{address}/photos/{rated['photo_id']}")
    assert shown.status_code == 200
    with Image.open(BytesIO(shown.content)) as image:
        assert (image.format, dict(image.getexif())) == ("WEBP", {})
    key = photos.build_key(world.tenant.id, UUID(rated["photo_id"]))
    stored = b"".join([piece async for piece in file_store(settings).read(key)])
    assert b"WEBP" not in stored
    assert (await practice.assessor.get(f"{address}/photos/{uuid4()}")).status_code == 404
