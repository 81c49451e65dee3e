"""One object of every kind that a path may name."""

from datetime import timedelta
from typing import Any

from conftest import World
from training.certificates.holders import completed, stored
from training.practice.practices import make_admin
from trilha.core.types import Name
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.custom_fields import actions as custom_fields
from trilha.people.custom_fields.schema import FieldKey, NewCustomField
from trilha.training.requirements.jobs import JOBS

IMPORTED = {"title": "NR-35", "type": "DOCUMENT", "source_url": "https://files.example.com/nr-35.pdf"}


async def known_ids(world: World) -> dict[str, str]:
    """Returns ids by the name of the path parameter."""
    enrollment = await world.enrollment()
    new = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = await _made(world, "/v1/webhooks", json=new)
    delivery = await _made(world, f"/v1/webhooks/{webhook}/test")
    span = {"since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"}
    replay = await _made(world, f"/v1/webhooks/{webhook}/replay", json=span)
    await world.course(category="Segurança")
    async with world.tx() as tx:
        unit = await business_units.create(tx, NewBusinessUnit(name=Name("Own")))
    ids = {name: enrollment[name] for name in ("user_id", "course_id")}
    ids |= {"enrollment_id": enrollment["id"], "business_unit_id": str(unit.id)}
    # An optional module, which can be removed and moved.
    module = {"title": "Dois", "required": False, "body": "Dois"}
    ids["module_id"] = await _made(world, f"/v1/courses/{ids['course_id']}/modules", json=module)
    path = f"/v1/courses/{ids['course_id']}/modules"
    ids["module_import_id"] = await _made(world, path, json=IMPORTED)
    done = await world.enrollment(user_id=enrollment["user_id"])
    certificate = await completed(world, enrollment=done)
    ids |= {"certificate_id": str(certificate), "code": (await stored(world, certificate)).display_code}
    ids["export_id"] = await _made(world, "/v1/analytics/exports", json={"type": "csv"})
    ids["requirement_id"] = await _require(world, ids["course_id"])
    async with world.tx() as tx:
        await tx.execute("UPDATE courses SET self_enrollment = 'APPROVAL' WHERE tenant_id = :tenant")
    person = (await world.user())["id"]
    asked = {"course_id": ids["course_id"]}
    ids["enrollment_request_id"] = await _made(world, f"/v1/users/{person}/enrollment-requests", json=asked)
    await _put(world, f"/v1/courses/{ids['course_id']}/translations/en", title="Course")
    ids |= await _meet(world, ids)
    ids["qualification_id"] = await _made(world, "/v1/qualifications", json=_qualify(ids["user_id"]))
    ids |= await _assess(world, ids)
    return ids | {"language": "en", "webhook_id": webhook, "delivery_id": delivery, "replay_id": replay}


async def _require(world: World, course_id: str) -> str:
    """Requires a course of everybody, after the worker has seen it, and gives people a custom field."""
    async with world.tx() as tx:
        await custom_fields.create(tx, NewCustomField(key=FieldKey("area"), name=Name("Area"), type="text"))
    body = {"title": "NR-35", "rule": {"all": []}, "course_id": course_id, "due_days": 30}
    requirement = await _made(world, "/v1/requirements", json=body)
    for job in JOBS:
        await job.run_in(world.database, world.tenant.id)
    return requirement


async def _meet(world: World, ids: dict[str, str]) -> dict[str, str]:
    """Creates a class with a session that runs now, and registers the person."""
    module = {"title": "Prática", "type": "CLASS", "required": False}
    class_module = await _made(world, f"/v1/courses/{ids['course_id']}/modules", json=module)
    hour = timedelta(hours=1)
    session = {"starts_at": (world.clock() - hour).isoformat(), "ends_at": (world.clock() + hour).isoformat()}
    members = {"course_id": ids["course_id"], "module_id": class_module}
    new = {"title": "Turma", "maximum_people": 9, "sessions": [session], **members}
    answer = await world.http.post("/v1/classes", json=new)
    assert answer.is_success, answer.text
    made = answer.json()["data"]
    registered = {"user_id": ids["user_id"]}
    registration = await _made(world, f"/v1/classes/{made['id']}/registrations", json=registered)
    return {
        "class_id": made["id"],
        "class_module_id": class_module,
        "class_session_id": made["sessions"][0]["id"],
        "registration_id": registration,
    }


async def _assess(world: World, ids: dict[str, str]) -> dict[str, str]:
    """Adds two practices, and begins an assessment of the person in one of them, by another person."""
    module = {"title": "Prática", "type": "PRACTICE", "required": False, "items": [{"title": "Um"}]}
    path = f"/v1/courses/{ids['course_id']}/modules"
    begun, free = [await _made(world, path, json=module) for _ in range(2)]
    assessor = await make_admin(world)
    await _made(world, "/v1/qualifications", json=_qualify(assessor))
    body = {"enrollment_id": ids["enrollment_id"], "module_id": begun, "assessor_id": assessor}
    assessment = await _made(world, "/v1/practice-assessments", json=body)
    return {"practice_assessment_id": assessment, "practice_module_id": free, "assessor_id": assessor}


def _qualify(user_id: str) -> dict[str, str]:
    return {
        "user_id": user_id,
        "title": "Instrutor de NR-35",
        "issuing_body": "CREA-SP",
        "valid_from": "2026-01-01",
    }


async def _put(world: World, path: str, **body: str) -> None:
    answer = await world.http.put(path, json=body)
    assert answer.is_success, answer.text


async def _made(world: World, path: str, **sent: Any) -> str:
    answer = await world.http.post(path, **sent)
    assert answer.is_success, answer.text
    id: str = answer.json()["data"]["id"]
    return id
