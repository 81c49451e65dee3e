"""An hour in a room without a connection: what an instructor marks is merged with what others record."""

import re

from playwright.async_api import Locator, expect

from browser.flows import Visit, Visits, enter_as
from browser.test_keeping_state import said_nothing_else
from browser.test_offline import until
from conftest import World
from web.panel.signing_in import made, signed_in
from web.panel.test_attendance_pages import Session, held

_KEPT = """() => caches.keys().then(async (names) => {
  for (const name of names) {
    if (!name.startsWith("trilha.pages.")) continue;
    if (await (await caches.open(name)).match(location.pathname)) return true;
  }
  return false;
})"""
_NO_MARKS = "async () => !Object.keys(localStorage).some((key) => key.startsWith('trilha.marks.'))"
_NOTHING_KEPT = """() => caches.keys().then((all) => !all.some((each) => each.startsWith("trilha.pages.")))"""


async def _open(world: World, visits: Visits) -> tuple[Session, Visit]:
    teacher = await made(world, "instrutor", name="Carla Reis")
    session = await held(world, "Ana Lima", "Bruno Souza", "Caio Dias", "Dora Alves", instructors=[teacher])
    visit = await enter_as(world, visits, teacher)
    await visit.go(f"{session.path}/attendance")
    await until(visit.page, _KEPT)
    return session, visit


def _row(visit: Visit, session: Session, number: int) -> Locator:
    return visit.page.locator(f"[data-user='{session.people[number].id}']")


async def test_an_hour_without_network_is_merged(world: World, visits: Visits) -> None:
    session, visit = await _open(world, visits)
    page = visit.page
    await page.context.set_offline(True)
    # Opened again without a connection: the names are there.
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-saved-at", re.compile(r"\d+"))
    await _row(visit, session, 0).locator("[data-present]").click()
    await _row(visit, session, 1).locator("[data-absent]").click()
    await _row(visit, session, 2).locator("[name=minutes]").fill("100")
    await _row(visit, session, 2).locator("[name=minutes]").blur()
    await expect(page.locator("[data-said]")).to_have_attribute("data-state", "offline")
    assert set((await session.minutes()).values()) == {0}
    world.clock.move(minutes=60)
    other = await signed_in(world, name="Davi Melo")
    answer = await session.merge(other, session.mark(0, 240), session.mark(1, 120), session.mark(3, 30))
    assert answer.status_code == 200
    await page.reload()
    await expect(_row(visit, session, 2).locator("[name=minutes]")).to_have_value("100")
    await page.context.set_offline(False)
    conflict = _row(visit, session, 1).locator("[data-conflict]")
    await expect(conflict).to_be_visible(timeout=60_000)
    await expect(conflict).to_contain_text("Davi Melo")
    await expect(conflict).to_contain_text("120")
    minutes = await session.minutes()
    assert [minutes[str(each.id)] for each in session.people] == [240, 120, 100, 30]
    await expect(_row(visit, session, 3).locator("[name=minutes]")).to_have_value("30")
    # The instructor insists, with a reason.
    await conflict.locator("[data-mine]").click()
    row = _row(visit, session, 1)
    await row.locator("[data-why]").fill("Não veio")
    await row.locator("[data-explain]").click()
    await until(page, _NO_MARKS)
    assert (await session.minutes())[str(session.people[1].id)] == 0
    said_nothing_else(visit)


async def test_signing_out_clears_the_device(world: World, visits: Visits) -> None:
    session, visit = await _open(world, visits)
    page = visit.page
    await _row(visit, session, 0).locator("[data-present]").click()
    await until(page, _NO_MARKS)
    await page.context.set_offline(True)
    await _row(visit, session, 1).locator("[data-present]").click()
    page.on("dialog", lambda dialog: dialog.accept())
    await page.context.set_offline(False)
    await page.evaluate("document.querySelector('form[action=\"/logout\"]').requestSubmit()")
    await page.wait_for_url("**/login**")
    await until(page, _NOTHING_KEPT)
    await until(page, _NO_MARKS)
    said_nothing_else(visit)


async def test_a_refused_mark_waits_for_the_next_poll(world: World, visits: Visits) -> None:
    session, visit = await _open(world, visits)
    page = visit.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/marks" in request.url else None)
    await session.classes.post(f"sessions/{session.id}/cancel", reason="Chuva")
    await _row(visit, session, 0).locator("[data-present]").click()
    await expect(page.locator("[data-said]")).to_have_attribute("data-state", "closed")
    sent.clear()
    await page.wait_for_timeout(3000)
    assert len(sent) <= 1  # that of a poll
