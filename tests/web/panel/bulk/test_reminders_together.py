"""Reminders of many enrollments reach each person in one message, although they are made batch by batch."""

import pytest

from conftest import World
from training.reminders.test_reminders import MAIL, mails, sent
from trilha.platform.bulk_actions.jobs import BEGIN_HELD
from trilha.web.panel.bulk import running
from trilha.web.panel.bulk.jobs import run_next
from web.panel.training_pages import act, browsing


async def test_a_person_with_courses_far_apart_gets_one_message(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "BATCH", 2)
    admin = await browsing(world)
    people = [await world.user() for _ in range(3)]
    ids = []
    for course in [await world.course() for _ in range(2)]:
        for person in people:
            enrollment = await world.enrollment(user_id=person["id"], course_id=course)
            ids.append(enrollment["id"])
    await act(admin, "/admin/enrollments/bulk/remind", id=ids, text="Vamos?")
    world.clock.move(seconds=80)
    await BEGIN_HELD.run_in(world.database, world.tenant.id)
    while await run_next(world.database, world.tenant.id):
        while await MAIL.run_in(world.database, world.tenant.id):
            pass
    assert sorted(await mails(world)) == sorted(each["email"] for each in people)
    assert len(await sent(world)) == len(ids)
