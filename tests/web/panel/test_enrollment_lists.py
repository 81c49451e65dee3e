"""/admin/enrollments: the states that the overview counts, the export, and bulk enrollment above
the limit.
"""

import csv
import io
import re
from datetime import timedelta
from uuid import UUID

import httpx2
import pytest

from conftest import World
from trilha.core.clock import civil_date
from trilha.core.types import Timestamp
from trilha.training.enrollments import actions
from trilha.web.panel.enrollments import bulk_enroll
from web.panel.test_enrollments import LIST, enrolled
from web.panel.training_pages import browsing, id_of, manage, rows, send, teach, unit


async def test_what_needs_somebody_is_found(world: World) -> None:
    """In progress, ending soon, overdue, and completed this month: as counted on the overview."""
    admin = await browsing(world)
    course = await world.course(title="Altura")
    places = {}
    for name, days in (("Ana", 3), ("Bia", 13), ("Caio", 15), ("Davi", None), ("Eva", 1), ("Gil", None)):
        ends = None if days is None else Timestamp.of(world.clock.now + timedelta(days=days))
        user = await world.user(name=name)
        body = {"user_id": user["id"], "course_id": course} | ({"expires_at": ends} if ends else {})
        places[name] = (await world.enrollment(**body))["id"]
        world.clock.move(seconds=1)

    async def found(status: str) -> list[str]:
        return rows((await admin.get(LIST, params={"status": status})).text)

    async with world.tx() as tx:
        for name in ("Davi", "Gil"):
            await actions.start(tx, UUID(places[name]))
            await actions.complete(tx, UUID(places[name]))
        await tx.execute(
            """
            UPDATE all_enrollments SET completed_at = completed_at - interval '40 days'
            WHERE tenant_id = :tenant AND id = :id
            """,
            id=UUID(places["Gil"]),
        )
    world.clock.move(days=1)
    admin = await browsing(world)
    assert await found("open") == ["Caio", "Bia", "Ana"]
    assert await found("ending") == ["Ana", "Bia", "Caio"]  # soonest first
    assert await found("expired") == ["Eva"]
    assert set(await found("completed")) == {"Davi", "Gil"}
    this_month = civil_date(world.clock.now).day > 1
    assert await found("completed_this_month") == (["Davi"] if this_month else [])


async def test_the_list_as_a_file(world: World) -> None:
    manager, teacher = await browsing(world, "gestor"), await browsing(world, "instrutor")
    factory = await unit(world, "Fábrica")
    await manage(world, factory, await id_of(world, "gestor"))
    own = await world.user(name="=Ana", email="ana@example.com", business_unit_id=str(factory))
    taught = await world.course(title="Fogo")
    await teach(world, taught, await id_of(world, "instrutor"))
    await world.enrollment(user_id=own["id"], course_id=await world.course(title="Altura"))
    other = await world.user(name="Bia")
    await world.enrollment(user_id=other["id"], course_id=taught)

    async def lines(client: httpx2.AsyncClient, **params: str) -> list[list[str]]:
        answer = await client.get(f"{LIST}.csv", params=params)
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert ".csv" in answer.headers["content-disposition"]
        return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))

    head, only = await lines(manager)
    assert head[:6] == ["Person", "E-mail", "Employee number", "Business unit", "Manager", "Course"]
    assert only[:2] == ["'=Ana", "ana@example.com"]
    assert only[5:9] == ["Altura", "Not started", "0%", ""]
    assert [each[0] for each in (await lines(teacher))[1:]] == ["Bia"]
    admin = await browsing(world)
    assert [each[0] for each in (await lines(admin, q="bia"))[1:]] == ["Bia"]
    assert (await (await browsing(world, "learner")).get(f"{LIST}.csv")).status_code == 403


async def test_more_people_than_are_enrolled_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_enroll, "MAX_PEOPLE", 2)
    admin = await browsing(world)
    for name in ("Ana", "Bia", "Caio"):
        await world.user(name=name)
    course = await world.course(title="Altura")
    first = await send(admin, f"{LIST}/many", course_id=str(course), role="learner")
    assert "More people to enroll" in first.text
    assert len(await enrolled(world)) == 2
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', first.text))
    del fields["csrf_token"]
    last = await send(admin, f"{LIST}/many", **fields)
    assert "More people to enroll" not in last.text
    assert len(await enrolled(world)) == 3
