"""Calls that return the error codes of requirements and custom fields."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2

from conftest import World
from contract.quiz_calls import Act, Call, acting
from training.reminders.test_channels import Browser
from training.requirements.settling import complete
from trilha.core.database import Tx
from trilha.core.types import Name, Title
from trilha.core.web.parsing import convert
from trilha.people.custom_fields import actions as custom_fields
from trilha.people.custom_fields.schema import FieldKey, NewCustomField
from trilha.people.users.reach import EVERYONE
from trilha.training.classes.attendance_lists import queries as attendance_lists
from trilha.training.classes.attendance_lists import scans, signing
from trilha.training.enrollments import extensions, learner
from trilha.training.enrollments.learner import MyCourse
from trilha.training.evaluations import actions as evaluations
from trilha.training.evaluations.schema import Reaction
from trilha.training.external_certificates import actions as certificates
from trilha.training.external_certificates.queries import File
from trilha.training.learner_questions import actions as learner_questions
from trilha.training.reminders import addresses, texts
from trilha.training.reminders.schema import ReminderText
from trilha.training.requirements import actions, queries
from trilha.training.requirements.field_deletion import delete_field
from trilha.training.requirements.schema import NewRequirement
from trilha.training.signatures import drawings

_CONDITION = {"field": "job_title", "op": "eq", "value": "x"}


def _rule(rule: dict[str, Any]) -> Act:
    async def act(tx: Tx) -> None:
        await actions.check_rule(tx, rule)

    return act


def _nest(levels: int) -> dict[str, Any]:
    rule: dict[str, Any] = _CONDITION
    for _ in range(levels):
        rule = {"not": rule}
    return rule


async def _use_a_personal_field(tx: Tx) -> None:
    await custom_fields.create(
        tx, NewCustomField(key=FieldKey("pis"), name=Name("PIS"), type="text", personal=True)
    )
    await actions.check_rule(tx, {"field": "custom_fields.pis", "op": "eq", "value": "1"})


async def _create_fields(tx: Tx, *keys: str) -> None:
    for key in keys:
        await custom_fields.create(tx, NewCustomField(key=FieldKey(key), name=Name("Area"), type="text"))


async def _delete_a_used_field(tx: Tx) -> None:
    await _create_fields(tx, "area")
    course_id = await _create_course(tx)
    rule = {"field": "custom_fields.area", "op": "eq", "value": "Sul"}
    new = NewRequirement(title=Title("NR-35"), rule=rule, course_id=course_id, due_days=30)
    await actions.create(tx, new)
    await delete_field(tx, "area")


async def _create_course(tx: Tx) -> UUID:
    course_id: UUID = await tx.value(
        """
        INSERT INTO courses (tenant_id, title, slug, status, created_at, updated_at)
        VALUES (:tenant, 'NR-35', 'nr-35-campos', 'PUBLISHED', :now, :now) RETURNING id
        """
    )
    return course_id


def _new_field(**members: Any) -> Act:
    async def act(tx: Tx) -> None:
        convert(NewCustomField, {"key": "area", "name": "Area", "type": "text"} | members, tx.today)

    return act


async def _check_unreadable_certificate(tx: Tx) -> None:
    certificates.check_file(b"<html>")


def _read_drawing(text: str) -> Act:
    async def act(tx: Tx) -> None:
        drawings.read(text)

    return act


async def _read_no_scan(tx: Tx) -> None:
    scans.read(Path("none"), 0, "a.pdf")


async def _add_a_scan_too_many(tx: Tx) -> None:
    scans.check_number(scans.MAX_SCANS)


async def _type_a_wrong_code(tx: Tx) -> None:
    signing.check_personal_code(tx, uuid4(), uuid4(), "1")


REQUIREMENT_ACTS: Mapping[str, Act] = {
    "invalid_rule": _rule({}),
    "rule_too_deep": _rule(_nest(10)),
    "too_many_conditions": _rule({"all": [_CONDITION] * 201}),
    "personal_field": _use_a_personal_field,
    "unknown_learning_group": _rule({"field": "learning_group_id", "op": "eq", "value": str(uuid4())}),
    "certificate_not_readable": _check_unreadable_certificate,
    "scan_not_readable": _read_no_scan,
    "too_many_scans": _add_a_scan_too_many,
    "personal_code_wrong": _type_a_wrong_code,
    "attendance_scan_not_found": lambda tx: attendance_lists.get_scan(tx, uuid4(), uuid4()),
    "signature_missing": _read_drawing("[[1,1]]"),
    "signature_not_readable": _read_drawing("[]"),
    "external_certificate_not_found": lambda tx: certificates.find_waiting(tx, uuid4(), EVERYONE),
    "learner_question_not_found": lambda tx: learner_questions.close(tx, uuid4()),
    "extension_request_not_found": lambda tx: extensions.refuse(tx, uuid4()),
    "reminder_address_not_found": lambda tx: addresses.remove_own(tx, uuid4(), uuid4()),
    "unknown_reminder_placeholder": lambda tx: texts.save(tx, ReminderText("due", "en", "A", "{nada}")),
    "requirement_not_found": lambda tx: queries.get(tx, uuid4()),
    "invalid_key": _new_field(key="Área"),
    "choices_required": _new_field(type="choice"),
    "custom_field_not_found": lambda tx: custom_fields.change(tx, "nada", "Nada", []),
    "custom_field_in_use": _delete_a_used_field,
    "custom_field_exists": lambda tx: _create_fields(tx, "area", "area"),
    "too_many_custom_fields": lambda tx: _create_fields(tx, *(f"area_{number}" for number in range(51))),
}
REQUIREMENT_BODIES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "one_target": ("/v1/requirements", {"title": "A", "rule": {"all": []}, "due_days": 1}),
    "one_due_date": ("/v1/requirements", {"title": "A", "rule": {"all": []}, "course_id": str(uuid4())}),
    "unknown_custom_field": (
        "/v1/users",
        {"email": "ana@example.com", "name": "Ana", "custom_fields": {"nada": "x"}},
    ),
}


async def remind_twice(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    for _ in range(2):
        answer = await world.http.post(f"/v1/enrollments/{enrollment['id']}/remind")
    return answer


async def subscribe_without_key(world: World) -> httpx2.Response:
    body = {"endpoint": "https://push.example.com/a", "keys": {"p256dh": "AAAA", "auth": "AAAA"}}
    return await world.http.post(f"/v1/users/{(await world.user())['id']}/push-subscriptions", json=body)


async def subscribe_often(world: World) -> httpx2.Response:
    user_id = (await world.user())["id"]
    for number in range(11):
        body = {"endpoint": f"https://push.example.com/{number}", "keys": Browser().keys}
        answer = await world.http.post(f"/v1/users/{user_id}/push-subscriptions", json=body)
    return answer


def _ask_for_extension(*, expire: bool) -> Call:
    """Asks twice for a new due date."""

    async def call(world: World) -> httpx2.Response:
        enrollment = await world.enrollment()
        id, user_id = UUID(enrollment["id"]), UUID(enrollment["user_id"])

        async def act(tx: Tx) -> None:
            if expire:
                await tx.execute(
                    "UPDATE all_enrollments SET status = 'EXPIRED', current = NULL "
                    "WHERE tenant_id = :tenant AND id = :id",
                    id=id,
                )
            for _ in range(2):
                await extensions.request(tx, user_id, id, None)

        return await acting(act)(world)

    return call


async def _upload_twice(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    user_id, course_id = UUID(enrollment["user_id"]), UUID(enrollment["course_id"])
    file = File("application/pdf", b"%PDF-")

    async def act(tx: Tx) -> None:
        for _ in range(2):
            await certificates.upload(tx, user_id, course_id, tx.today, "Senai", file)

    return await acting(act)(world)


async def _ask_once(world: World) -> tuple[UUID, UUID, MyCourse]:
    """Returns the id of a question, its learner, and their course."""
    enrollment = await world.enrollment()
    user_id = UUID(enrollment["user_id"])
    async with world.tx() as tx:
        course = await learner.get(tx, user_id, UUID(enrollment["id"]))
        return await learner_questions.ask(tx, user_id, course, None, "Why?"), user_id, course


async def _ask_too_often(world: World) -> httpx2.Response:
    _, user_id, course = await _ask_once(world)

    async def act(tx: Tx) -> None:
        for _ in range(learner_questions.MAX_WAITING):
            await learner_questions.ask(tx, user_id, course, None, "Why?")

    return await acting(act)(world)


async def _answer_too_often(world: World) -> httpx2.Response:
    id, user_id, _ = await _ask_once(world)

    async def act(tx: Tx) -> None:
        for _ in range(learner_questions.MAX_MESSAGES):
            await learner_questions.answer(tx, id, user_id, "Therefore.", close=False)

    return await acting(act)(world)


async def _close_twice(world: World) -> httpx2.Response:
    id, _, _ = await _ask_once(world)

    async def act(tx: Tx) -> None:
        for _ in range(2):
            await learner_questions.close(tx, id)

    return await acting(act)(world)


async def _evaluate_an_open_course(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    ids = UUID(enrollment["user_id"]), UUID(enrollment["id"])
    return await acting(lambda tx: evaluations.find_completed(tx, *ids))(world)


async def _evaluate_too_late(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    await complete(world, enrollment["id"])
    ids = UUID(enrollment["user_id"]), UUID(enrollment["id"])
    reaction = Reaction(content=5, clarity=5, instructor=5, platform=5, applicability=5, nps=10)
    async with world.tx() as tx:
        await evaluations.evaluate(tx, *ids, reaction)
    world.clock.move(days=8)
    return await acting(lambda tx: evaluations.evaluate(tx, *ids, reaction))(world)


async def _share_where_not_allowed(world: World) -> httpx2.Response:
    id, _, _ = await _ask_once(world)
    return await acting(lambda tx: learner_questions.set_shared(tx, id, shared=True))(world)


REMINDER_CALLS = {
    "evaluation_not_offered": _evaluate_an_open_course,
    "evaluation_final": _evaluate_too_late,
    "too_many_learner_questions": _ask_too_often,
    "too_many_messages": _answer_too_often,
    "learner_question_closed": _close_twice,
    "course_shares_no_questions": _share_where_not_allowed,
    "already_reminded": remind_twice,
    "invalid_push_key": subscribe_without_key,
    "too_many_reminder_addresses": subscribe_often,
    "external_certificate_waits": _upload_twice,
    "enrollment_not_expired": _ask_for_extension(expire=False),
    "extension_already_requested": _ask_for_extension(expire=True),
}
