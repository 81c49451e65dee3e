"""/admin/reports and the pages below it."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import World
from trilha.core.file_store import open_file_store
from trilha.people.users import actions as users
from trilha.settings import Settings
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions
from trilha.training.reports import mails
from trilha.training.reports.exports.jobs import MakeExports
from web.panel.training_pages import browsing, flash, id_of, manage, rows, send, teach, unit

ALL = ("", "/deadlines", "/questions", "/compliance", "/files")


def text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


async def complete(world: World, enrollment: dict[str, Any]) -> None:
    async with world.tx() as tx:
        await actions.start(tx, UUID(enrollment["id"]))
        assert await actions.complete(tx, UUID(enrollment["id"]))


async def get(http: httpx2.AsyncClient, path: str) -> str:
    answer = await http.get(f"/admin/reports{path}")
    assert answer.status_code == 200, answer.text
    return answer.text


def columns(page: str) -> list[list[tuple[str, str]]]:
    """Returns the columns of each chart. They match the rows of the table below it, and have the height of
    their numbers.
    """
    charts = []
    for figure in re.findall(r"<figure.*?</figure>", page, re.S):
        drawn = re.findall(r"<rect class=\"chart__column\"[^>]*><title>(.*?): ([\d.,]+)</title>", figure)
        if not drawn:
            continue
        assert drawn == re.findall(r'<th scope="row">([^<]+)</th><td class="number">([\d.,]+)</td>', figure)
        heights = [float(each) for each in re.findall(r'chart__column"[^>]* height="([\d.]+)%"', figure)]
        counts = [int(count) for _, count in drawn]
        assert heights == pytest.approx([each * max(heights) / max(counts) for each in counts], abs=0.01)
        charts.append(drawn)
    return charts


@pytest.mark.parametrize("role", ["admin", "gestor", "instrutor"])
async def test_a_tenant_without_training_is_told_what_to_do(world: World, role: Any) -> None:
    http = await browsing(world, role)
    for path in ALL:
        await get(http, path)
    await http.aclose()


async def test_not_for_learners(world: World) -> None:
    http = await browsing(world, "learner")
    assert {(await http.get(f"/admin/reports{path}")).status_code for path in ALL} == {403}
    await http.aclose()


async def test_a_charts_numbers_are_those_of_its_table(world: World) -> None:
    for title, done in (("Altura", 3), ("Zelo", 1)):
        course = await world.course(title=title)
        for number in range(4):
            enrollment = await world.enrollment(course_id=course)
            if number < done:
                await complete(world, enrollment)
    http = await browsing(world)
    page = await get(http, "")
    (drawn,) = columns(page)
    assert len(drawn) == 12
    assert drawn[-1][1] == "4"
    bars = re.findall(
        r'<tr><th scope="row">([^<]+)</th>.*?<rect width="([\d.]+)%".*?<td class="number">(.*?)</td>', page
    )
    assert bars == [("Altura", "75.0", "75%"), ("Zelo", "25.0", "25%")]
    by_course = text(page[page.index("By course") :])
    assert "Altura" in by_course
    assert "75%" in by_course
    # For two years, every second month and the last one have labels.
    page = await get(http, "?months=24")
    (drawn,) = columns(page)
    named = re.findall(r'<text class="chart__label"[^>]*>([^<]+)<', page)
    assert named == [month for month, _ in drawn][1::2]
    await http.aclose()


async def test_a_manager_counts_their_own_people(world: World) -> None:
    http = await browsing(world, "gestor")
    branch, other = await unit(world, "Filial"), await unit(world, "Outra")
    await manage(world, branch, await id_of(world, "gestor"))
    course = await world.course(title="Altura")
    for place, count in ((branch, 2), (other, 3)):
        for _ in range(count):
            user = (await world.user(business_unit_id=str(place)))["id"]
            await complete(world, await world.enrollment(course_id=course, user_id=user))
    assert "Enrollments 2 Completed 2" in text(await get(http, ""))
    assert "Enrollments 2 Completed 2" in text(await get(http, f"?unit={branch}&course={course}&months=3"))
    for path in ALL:
        assert (await http.get(f"/admin/reports{path}?unit={other}")).status_code == 404
    admin = await browsing(world)
    assert "Enrollments 5 Completed 5" in text(await get(admin, ""))
    assert "Enrollments 3 Completed 3" in text(await get(admin, f"?unit={other}"))
    for each in (http, admin):
        await each.aclose()


async def test_what_became_overdue_and_what_will_expire(world: World) -> None:
    world.clock.now = datetime(2026, 7, 10, 12, tzinfo=UTC)
    http = await browsing(world)
    branch = await unit(world, "Filial")
    yearly = await world.course(title="Altura", certificate_validity_months=3)
    other = await world.course(title="Zelo")
    placed = (await world.user(business_unit_id=str(branch)))["id"]
    for person in (placed, None):
        enrollment = await world.enrollment(course_id=yearly, user_id=person)
        await complete(world, enrollment)
        async with world.tx() as tx:
            await certificates.issue_all(tx, {UUID(enrollment["id"]): None}, announced=False)
    for course, person in ((yearly, None), (other, placed)):
        ends = "2026-08-20T12:00:00Z"
        await world.enrollment(course_id=course, user_id=person, expires_at=ends)
    world.clock.now = datetime(2026, 9, 10, 12, tzinfo=UTC)
    not_yet_stored = await get(await browsing(world), "/deadlines")
    async with world.tx() as tx:
        assert await actions.expire_due(tx) == 2
    http = await browsing(world)
    page = await get(http, "/deadlines")
    assert columns(page) == columns(not_yet_stored)
    overdue, expiring = columns(page)
    assert [count for _, count in overdue] == ["0"] * 10 + ["2", "0"]
    assert [count for _, count in expiring] == ["0", "2"] + ["0"] * 10
    assert (overdue[-2][0], expiring[1][0]) == ("Aug 26", "Oct 26")
    assert rows(page) == rows(not_yet_stored) == ["Altura", "Zelo"]
    assert "Altura 1 2" in text(page[page.index("By course") :])
    # With few people, counting one by one gives the same result.
    of_unit = await get(http, f"/deadlines?unit={branch}&months=3")
    assert [[count for _, count in each] for each in columns(of_unit)] == [
        ["0", "1", "0"],
        ["0", "1"] + ["0"] * 10,
    ]
    of_course = await get(http, f"/deadlines?course={other}")
    assert len(columns(of_course)) == 1
    assert rows(of_course) == ["Zelo"]
    await http.aclose()


async def test_filters_are_kept_from_page_to_page(world: World) -> None:
    http = await browsing(world)
    branch = await unit(world, "Filial")
    course = await world.course(title="Altura")
    query = f"?course={course}&unit={branch}&months=3"
    for path in ALL:
        page = html.unescape(await get(http, path + query))
        tabs = re.findall(r'href="/admin/reports([^"?]*)(\?[^"]*)"', page[page.index('class="tabs"') :])
        assert tabs[: len(ALL)] == [(each, query) for each in ALL]
        printed = text(page[page.index("printonly") :])
        assert "Altura · Filial · Last 3 months" in printed
    # Filters that a page does not use are kept in its form.
    page = await get(http, f"/compliance{query}")
    assert 'name="months" value="3"' not in page  # no course is regulated: there is no form
    await world.course(title="NR-35", regulation={"kind": "occupational_safety"})
    page = await get(http, f"/compliance{query}")
    assert 'type="hidden" name="months" value="3"' in page
    assert "not regulated" in text(page)
    await http.aclose()


async def test_questions_and_times_of_some_people_in_some_time(world: World) -> None:
    world.clock.now = datetime(2026, 7, 10, 12, tzinfo=UTC)
    branch = await unit(world, "Filial")
    course = await world.course(title="Altura")
    placed = (await world.user(business_unit_id=str(branch)))["id"]
    for person in (placed, None):
        await complete(world, await world.enrollment(course_id=course, user_id=person))
    world.clock.now = datetime(2026, 10, 10, 12, tzinfo=UTC)
    await complete(world, await world.enrollment(course_id=course))
    http = await browsing(world)
    for filters, count in (
        ("", "all 3 people"),
        (f"&unit={branch}", "the 1 person"),
        ("&months=3", "the 1 person"),
    ):
        page = text(await get(http, f"/questions?course={course}{filters}"))
        assert f"Of {count} who began this course" in page
    await http.aclose()


@pytest.mark.parametrize(
    ("begun", "said"), [(400, "Of all 400 people"), (401, "Only the last attempts of the 400")]
)
async def test_the_page_says_of_whom_its_questions_are(world: World, begun: int, said: str) -> None:
    course, user = await world.course(title="Altura"), (await world.user())["id"]
    async with world.tx() as tx:
        await tx.execute(
            """INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, current, started_at,
                                            completed_at, created_at, updated_at)
               SELECT :tenant, :user, :course, 'COMPLETED', NULL, :now, :now, :now, :now
               FROM generate_series(1, CAST(:begun AS int))
               RETURNING tenant_id""",
            user=user,
            course=course,
            begun=begun,
        )
    http = await browsing(world)
    page = text(await get(http, f"/questions?course={course}"))
    assert said in page
    assert "Within a day 400 2 to 7 days 0" in page
    await http.aclose()


async def test_who_lacks_documents_in_a_unit(world: World) -> None:
    branch = await unit(world, "Filial")
    course = await world.course(title="NR-35", regulation={"kind": "other", "minimum_workload_minutes": 60})
    cnh = {"numero": "98765432109", "categoria": "AB", "validade": "2030-01-31", "ear": True}
    for name, place, cpf in (("Ana", str(branch), "529.982.247-25"), ("Rui", None, "111.444.777-35")):
        user = (await world.user(name=name, business_unit_id=place, cpf=cpf, cnh=cnh))["id"]
        await world.enrollment(course_id=course, user_id=user)
    http = await browsing(world)
    assert set(rows(await get(http, "/compliance"))) == {"Ana", "Rui"}
    assert rows(await get(http, f"/compliance?unit={branch}&course={course}")) == ["Ana"]
    await http.aclose()


async def test_a_file_of_one_unit(world: World, settings: Settings, tmp_path: Path) -> None:
    http = await browsing(world)
    branch = await unit(world, "Filial")
    for name, place in (("Ana da Filial", str(branch)), ("Outra Pessoa", None)):
        await world.enrollment(user_id=(await world.user(name=name, business_unit_id=place))["id"])
    assert f'<option value="{branch}" selected>' in await get(http, f"/files?unit={branch}")
    led = await send(
        http, "/admin/reports/files", type="csv", course="", unit=str(branch), group="", status=""
    )
    store = open_file_store(settings.files_url, settings.data_dir / "files")
    await MakeExports(store, tmp_path / "scratch").run_next(world.database, world.tenant.id)
    link = (await http.get(f"{led.headers['location']}/download")).headers["location"]
    file = (await http.get(link)).text
    assert "Ana da Filial" in file
    assert "Outra Pessoa" not in file
    await http.aclose()


async def test_the_mail_is_of_what_the_page_shows(world: World) -> None:
    world.clock.now = datetime(2026, 11, 25, 12, tzinfo=UTC)
    http = await browsing(world)
    admin = await id_of(world, "admin")
    branch = await unit(world, "Filial")
    course = await world.course(title="Altura & Cia")
    user = (await world.user(business_unit_id=str(branch)))["id"]
    await complete(world, await world.enrollment(course_id=course, user_id=user))
    await world.enrollment(course_id=course)
    filters = {"course": str(course), "unit": str(branch), "months": "3"}
    await send(http, "/admin/reports/mail", every="week", **filters)
    assert "Current filters: Altura & Cia · Filial · Last 3 months" in html.unescape(
        text(await get(http, ""))
    )
    world.clock.now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
    async with world.tx() as tx:
        assert await mails.send_due(tx, address="https://trilha.test") == 1
        (row,) = await tx.rows(
            """SELECT id, content FROM mail_messages
               WHERE tenant_id = :tenant AND kind = 'report_summary' AND user_id = :id""",
            id=admin,
        )
        opened = tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"])
    message = json.loads(opened)["message"]
    named = ("course", "unit", "group", "enrollments", "completed_lately", "months")
    assert {each: message[each] for each in named} == {
        "course": "Altura & Cia",
        "unit": "Filial",
        "group": None,
        "enrollments": 1,
        "completed_lately": 1,
        "months": 3,
    }
    address, _, asked = message["link"].partition("?")
    assert address == "https://trilha.test/admin/reports"
    again = await browsing(world)
    assert "Enrollments 1 Completed 1" in text(await get(again, f"?{asked}"))
    for each in (http, again):
        await each.aclose()


async def test_a_mail_ends_with_what_it_is_of(world: World) -> None:
    http = await browsing(world)
    branch = await unit(world, "Filial")
    await send(http, "/admin/reports/mail", every="week", unit=str(branch))
    assert (await send(http, "/admin/reports/mail", every="week", unit=str(uuid4()))).status_code == 404
    async with world.tx() as tx:
        await tx.execute("DELETE FROM business_units WHERE tenant_id = :tenant AND id = :id", id=branch)
        assert await mails.find(tx, await id_of(world, "admin")) is None
    await http.aclose()


async def test_an_instructor_counts_their_own_courses(world: World, stranger: World) -> None:
    http = await browsing(world, "instrutor")
    own, other = await world.course(title="Altura"), await world.course(title="Zelo")
    await teach(world, own, await id_of(world, "instrutor"))
    for course in (own, other, other):
        await world.enrollment(course_id=course)
    page = await get(http, "")
    assert rows(page) == ["Altura"]
    foreign = await stranger.course()
    for id in (other, foreign):
        for path in ALL:
            assert (await http.get(f"/admin/reports{path}?course={id}")).status_code == 404
    await http.aclose()


async def test_who_lacks_documents_or_time(world: World) -> None:
    course = await world.course(
        title="Trânsito", regulation={"kind": "traffic", "minimum_workload_minutes": 60}
    )
    documents = {
        "cpf": "529.982.247-25",
        "cnh": {"numero": "98765432109", "categoria": "AB", "validade": "2030-01-31", "ear": True},
    }
    user = (await world.user(name="Ana Lima", **documents))["id"]
    await world.enrollment(course_id=course, user_id=user)
    http = await browsing(world)
    page = await get(http, "/compliance")
    assert rows(page) == ["Ana Lima"]
    assert "0 of 60" in text(page)
    table = page[page.index("<tbody") :]
    assert "Driver's license" not in table
    world.clock.move(days=365 * 5)
    again = await browsing(world)
    assert "Driver's license" in (await get(again, "/compliance"))
    for each in (http, again):
        await each.aclose()


async def test_a_file_is_asked_for_made_and_fetched(world: World, settings: Settings, tmp_path: Path) -> None:
    http = await browsing(world, "gestor")
    branch = await unit(world, "Filial")
    await manage(world, branch, await id_of(world, "gestor"))
    user = (await world.user(name="Ana da Filial", business_unit_id=str(branch)))["id"]
    await world.enrollment(user_id=user)
    await world.enrollment(user_id=(await world.user(name="Outra Pessoa"))["id"])
    led = await send(http, "/admin/reports/files", type="csv", course="", status="")
    assert led.status_code == 303, led.text
    place = led.headers["location"]
    assert "Creating the file" in (await http.get(place)).text
    store = open_file_store(settings.files_url, settings.data_dir / "files")
    await MakeExports(store, tmp_path / "scratch").run_next(world.database, world.tenant.id)
    assert "Download file" in (await http.get(place)).text
    link = (await http.get(f"{place}/download")).headers["location"]
    file = (await http.get(link)).text
    assert "Ana da Filial" in file
    assert "Outra Pessoa" not in file
    other = await browsing(world, "gestor")
    assert (await other.get(place)).status_code == 404
    assert (await other.get(f"{place}/download")).status_code == 404
    for each in (http, other):
        await each.aclose()


async def test_questions_and_times_of_a_course(world: World) -> None:
    course = await world.course(title="Altura")
    for days in (0, 3):
        enrollment = await world.enrollment(course_id=course)
        async with world.tx() as tx:
            await actions.start(tx, UUID(enrollment["id"]))
        world.clock.now += timedelta(days=days)
        async with world.tx() as tx:
            assert await actions.complete(tx, UUID(enrollment["id"]))
    http = await browsing(world)
    shown = text(await get(http, f"/questions?course={course}"))
    assert "Within a day 1 2 to 7 days 1 8 to 30 days 0" in re.sub(r" +", " ", shown)
    await http.aclose()


async def test_a_report_comes_by_mail_as_often_as_asked_for(world: World) -> None:
    world.clock.now = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday
    http = await browsing(world, "gestor")
    manager = await id_of(world, "gestor")
    branch = await unit(world, "Filial")
    await manage(world, branch, manager)
    user = (await world.user(business_unit_id=str(branch)))["id"]
    await complete(world, await world.enrollment(user_id=user))
    await world.enrollment()
    told = flash(await send(http, "/admin/reports/mail", every="week"))
    assert "30" in told
    assert '<option value="week" selected>' in await get(http, "")

    async def written() -> list[str]:
        async with world.tx() as tx:
            rows = await tx.rows(
                "SELECT kind FROM mail_messages WHERE tenant_id = :tenant AND user_id = :id",
                id=manager,
            )
        return [row["kind"] for row in rows if row["kind"] == "report_summary"]

    async def work() -> int:
        async with world.tx() as tx:
            return await mails.send_due(tx, address="https://trilha.test")

    assert await work() == 0
    world.clock.now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)  # seven o'clock in São Paulo
    assert (await work(), await work()) == (1, 0)
    assert len(await written()) == 1
    world.clock.move(days=7)
    assert await work() == 1
    assert len(await written()) == 2
    async with world.tx() as tx:
        await users.suspend(tx, manager)
    world.clock.move(days=7)
    assert await work() == 1
    assert len(await written()) == 2
    world.clock.move(days=7)
    assert await work() == 0
    await http.aclose()


async def test_never_again_when_it_is_not_wanted(world: World) -> None:
    http = await browsing(world)
    await send(http, "/admin/reports/mail", every="month")
    assert "no longer receive" in flash(await send(http, "/admin/reports/mail", every="never"))
    world.clock.move(days=40)
    async with world.tx() as tx:
        assert await mails.send_due(tx, address="") == 0
    await http.aclose()


@pytest.mark.parametrize(
    ("every", "now", "then"),
    [
        ("week", "2026-11-30T09:59:00Z", "2026-12-07T10:00:00Z"),
        ("week", "2026-11-30T02:59:00Z", "2026-11-30T10:00:00Z"),  # still a Sunday in São Paulo
        ("month", "2026-12-31T23:00:00Z", "2027-01-01T10:00:00Z"),
        ("month", "2027-01-01T02:59:00Z", "2027-01-01T10:00:00Z"),
    ],
)
def test_when_the_next_one_is_due(every: Any, now: str, then: str) -> None:
    found = mails.next_after(every, datetime.fromisoformat(now), "America/Sao_Paulo")
    assert found == datetime.fromisoformat(then)


@pytest.mark.parametrize("path", ALL)
async def test_a_filter_gives_htmx_the_page_without_what_is_around_it(world: World, path: str) -> None:
    course = await world.course()
    admin = await browsing(world)
    address = f"/admin/reports{path}?course={course}"
    part = (await admin.get(address, headers={"hx-request": "true"})).text
    assert part.count("<main") == part.count("<h1") == part.count("<title") == 1
    for around in ("<html", "<body", 'class="sidebar"', "<link"):
        assert around not in part
        assert around in (await admin.get(address)).text
