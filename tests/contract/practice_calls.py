"""Calls that return the error codes of qualifications and practice, by code."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import httpx2

from conftest import World
from contract.quiz_calls import answering
from training.practice.practices import DRAWING, make_admin, offer
from trilha.core.database import Tx
from trilha.training.practice import actions as practice_actions
from trilha.training.qualifications.actions import check_document

Call = Callable[[World], Awaitable[httpx2.Response]]
Act = Callable[[World], Awaitable[None]]


async def _qualify_backwards(world: World) -> httpx2.Response:
    body = {
        "user_id": (await world.user())["id"],
        "title": "NR-35",
        "issuing_body": "CREA",
        "valid_from": "2026-02-01",
        "valid_until": "2026-01-31",
    }
    return await world.http.post("/v1/qualifications", json=body)


def _recording(*ratings: str, **members: Any) -> Call:
    """A call that records an assessment, with other members than usual."""

    async def call(world: World) -> httpx2.Response:
        practice = await offer(world)
        return await practice.record(await practice.enroll(), *ratings, **members)

    return call


async def _record_twice(world: World) -> httpx2.Response:
    practice = await offer(world)
    enrollment = await practice.enroll()
    await practice.record(enrollment)
    return await practice.record(enrollment)


async def _record_after_passing(world: World) -> httpx2.Response:
    practice = await offer(world)
    enrollment = await practice.enroll()
    made = await practice.record(enrollment, "SATISFACTORY", "SATISFACTORY")
    await practice.sign(made.json()["data"]["id"])
    return await practice.record(enrollment)


async def _assess_oneself(world: World) -> httpx2.Response:
    practice = await offer(world)
    body = {"user_id": str(practice.assessor_id), "course_id": practice.course_id}
    return await practice.record((await practice.post("enrollments", **body)).json()["data"])


async def _assess_as_learner(world: World) -> httpx2.Response:
    practice = await offer(world)
    return await practice.record(await practice.enroll(), assessor_id=(await world.user())["id"])


async def _assess_unqualified(world: World) -> httpx2.Response:
    practice = await offer(world)
    other = await make_admin(world)
    return await practice.record(await practice.enroll(), assessor_id=other)


async def _assess_an_article(world: World) -> httpx2.Response:
    practice = await offer(world)
    article = {"title": "Teoria", "body": "Leia."}
    module = (await practice.post(f"courses/{practice.course_id}/modules", **article)).json()["data"]
    return await practice.record(await practice.enroll(), module_id=module["id"])


async def _assess_a_cancelled_one(world: World) -> httpx2.Response:
    practice = await offer(world)
    enrollment = await practice.enroll()
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_enrollments SET status = 'EXPIRED', current = NULL WHERE tenant_id = :tenant"
        )
    return await practice.record(enrollment)


def _signing(ratings: int, *, as_learner: bool = False, annulled: bool = False, twice: bool = False) -> Act:
    async def act(world: World) -> None:
        practice = await offer(world)
        enrollment = await practice.enroll()
        good = ["SATISFACTORY"] * ratings
        made = (await practice.record(enrollment, *good)).json()["data"]
        if annulled:
            await practice.post(f"practice-assessments/{made['id']}/annul", reason="A")
        async with world.tx() as tx:
            id, learner = UUID(made["id"]), UUID(enrollment["user_id"])
            if as_learner:
                await practice_actions.sign_as_learner(tx, id, learner, DRAWING)
            for _ in range(2 if twice else 1):
                await practice_actions.sign_as_assessor(tx, id, practice.assessor_id, DRAWING)

    return act


async def _sign_for_another(world: World) -> None:
    practice = await offer(world)
    enrollment = await practice.enroll()
    made = (await practice.record(enrollment)).json()["data"]
    async with world.tx() as tx:
        await practice_actions.sign_as_assessor(tx, UUID(made["id"]), UUID(enrollment["user_id"]), DRAWING)


_TWICE = str(uuid4())
PRACTICE_CALLS: dict[str, Call] = {
    "practice_assessment_not_found": lambda world: world.http.get(f"/v1/practice-assessments/{uuid4()}"),
    "duplicate_rating": _recording(ratings=[{"item_id": _TWICE, "rating": "SATISFACTORY"}] * 2),
    "unknown_item": _recording(ratings=[{"item_id": _TWICE, "rating": "SATISFACTORY"}]),
    "assessment_open": _record_twice,
    "practice_completed": _record_after_passing,
    "module_not_practice": _assess_an_article,
    "enrollment_not_open": _assess_a_cancelled_one,
    "assessor_is_learner": _assess_oneself,
    "assessor_may_not_teach": _assess_as_learner,
    "assessor_not_qualified": _assess_unqualified,
    "assessment_signed": answering(_signing(2, twice=True)),
    "assessment_incomplete": answering(_signing(1)),
    "assessment_not_assessed": answering(_signing(2, as_learner=True)),
    "assessment_annulled": answering(_signing(2, annulled=True)),
    "not_your_signature": answering(_sign_for_another),
    "qualification_not_found": lambda world: world.http.get(f"/v1/qualifications/{uuid4()}"),
    "ends_before_it_begins": _qualify_backwards,
}


async def _check_no_document(tx: Tx) -> None:
    check_document(b"MZ")


PRACTICE_ACTS: dict[str, Callable[[Tx], Awaitable[object]]] = {"document_not_readable": _check_no_document}
