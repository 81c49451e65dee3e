"""People in the panel over HTTP."""

import html
import re
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from conftest import CPF, World
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.users.schema import User
from web.panel.signing_in import PASSWORD, browser_of, made, send, signed_in

CHANGES = (
    *("suspend", "reactivate", "deactivate", "activate", "invite", "end-sessions", "remove-second-factor"),
    *("role", "password", "erase"),
)


async def row(world: World, user_id: UUID) -> Any:
    async with world.tx() as tx:
        (found,) = await tx.rows("SELECT * FROM users WHERE tenant_id = :tenant AND id = :id", id=user_id)
    return found


def names(page: httpx2.Response) -> list[str]:
    return re.findall(r'class="table__link" href="/admin/people/[^"]+">([^<]+)<', html.unescape(page.text))


async def test_the_list_is_searched_filtered_and_sorted(world: World) -> None:
    admin = await signed_in(world)
    await made(world, name="Ana Conceição", employee_number="A77", cpf=CPF)
    await made(world, "gestor", name="Bruno Alves")
    assert names(await admin.get("/admin/people")) == ["Ana Conceição", "Bruno Alves", "Marina Duarte"]
    assert names(await admin.get("/admin/people?sort=-name"))[0] == "Marina Duarte"
    for typed in ("conceicao", "a77", CPF):
        assert names(await admin.get("/admin/people", params={"q": typed})) == ["Ana Conceição"]
    page = await admin.get("/admin/people?role=gestor&q=")
    assert names(page) == ["Bruno Alves"]
    assert "1 person" in page.text
    nobody = await admin.get("/admin/people?q=zzz")
    assert "No results for these filters" in nobody.text


async def test_a_part_of_the_list_has_its_own_address(world: World) -> None:
    admin = await signed_in(world)
    part = await admin.get("/admin/people?q=mar&status=&role=", headers={"hx-request": "true"})
    assert "<html" not in part.text
    for n in range(20):
        await made(world, name=f"Zilda {n:02}")
    following = re.search(r'href="(/admin/people\?cursor=[^"]+)"', (await admin.get("/admin/people")).text)
    assert following
    rest = await admin.get(following[1], headers={"hx-request": "true"})
    assert names(rest) == ["Zilda 19"]


async def test_a_person_is_added_by_invitation(world: World) -> None:
    admin = await signed_in(world)
    form = {"name": "Novo Colega", "email": "novo@example.com", "role": "gestor", "entry": "invitation"}
    answer = await admin.post("/admin/people/new", data=form | {"cpf": CPF, "department": ""})
    assert answer.status_code == 303, answer.text
    user = await row(world, UUID(answer.headers["location"].rpartition("/")[2]))
    assert (user["role"], user["invitation_due"], user["password_hash"]) == ("gestor", True, None)
    page = await admin.get(answer.headers["location"])
    assert "Novo Colega was added." in page.text
    assert "***.***.***-25" in page.text
    assert CPF not in page.text


async def test_a_person_is_added_with_a_password_shown_once(world: World) -> None:
    admin = await signed_in(world)
    form = {"name": "Novo", "email": "novo@example.com", "role": "learner", "entry": "password"}
    shown = await admin.post("/admin/people/new", data=form)
    password = re.search(r'id="secret" value="([^"]+)"', shown.text)
    assert password
    signed = await world.client().post(
        "/login",
        data={"tenant_slug": world.tenant.slug, "email": "novo@example.com", "password": password[1]},
        headers={"sec-fetch-site": "same-origin"},
    )
    assert signed.headers["location"] == "/login/password"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"email": "nobody"}, "Enter an e-mail address"),
        ({"name": ""}, "Fill in this field."),
        ({"cpf": "529.982.247-26"}, "Enter the 11 digits of the CPF."),
        ({"birth_date": "2020-01-01"}, "at least 18 years old"),
        ({"cnh_number": "98765432109"}, "Fill in this field."),
        (
            {"cnh_number": "98765432109", "cnh_category": "AB", "cnh_expiry": "2020-01-01"},
            "This license has expired.",
        ),
        ({"role": "owner"}, "Choose one of the options."),
    ],
)
async def test_what_is_wrong_is_told_at_its_field(world: World, fields: dict[str, str], told: str) -> None:
    admin = await signed_in(world)
    form = {"name": "Novo", "email": "novo@example.com", "role": "learner", "entry": "invitation"}
    page = await admin.post("/admin/people/new", data=form | fields)
    assert page.status_code == 422
    assert told in page.text
    assert 'aria-invalid="true"' in page.text


async def test_whose_address_is_taken_is_not_added(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    form = {"name": "Novo", "email": user.email, "role": "learner", "entry": "invitation"}
    page = await admin.post("/admin/people/new", data=form)
    assert page.status_code == 422
    assert "Someone already uses this e-mail." in page.text


async def test_a_profile_is_edited_and_documents_stay(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world, name="Ana", department="RH", cpf=CPF, phone="+55 11 98765-4321")
    page = await admin.get(f"/admin/people/{user.id}/edit")
    assert 'value="RH"' in page.text
    assert "***.***.***-25" in page.text
    form = {"name": "Ana Lima", "email": "ana.lima@example.com", "job_title": "Motorista", "forget": "phone"}
    answer = await send(admin, f"/admin/people/{user.id}/edit", **form)
    assert answer.status_code == 303, answer.text
    stored = await row(world, user.id)
    assert (stored["name"], stored["email"], stored["department"], stored["job_title"]) == (
        *("Ana Lima", "ana.lima@example.com", None, "Motorista"),
    )
    assert (stored["cpf"], stored["phone"]) == ("***.***.***-25", None)


async def test_a_person_is_suspended_and_back(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    theirs = await browser_of(world, user)
    path = f"/admin/people/{user.id}"
    assert "Suspend Marina Duarte" in (await admin.get(f"{path}/suspend")).text
    for change, status in (
        *(("suspend", "SUSPENDED"), ("reactivate", "ACTIVE")),
        *(("deactivate", "INACTIVE"), ("activate", "ACTIVE")),
    ):
        assert (await send(admin, f"{path}/{change}")).headers["location"] == path
        assert (await row(world, user.id))["status"] == status
        assert (await theirs.get("/learn")).status_code == 303


async def test_the_last_administrator_stays(world: World) -> None:
    user = await made(world, "admin")
    admin = await browser_of(world, user)
    for change, form in (
        *(("suspend", {}), ("deactivate", {})),
        *(("role", {"role": "learner"}), ("erase", {"typed": user.name})),
    ):
        page = await send(admin, f"/admin/people/{user.id}/{change}", **form)
        assert page.status_code == 422, change
        assert "This is the last active administrator who can sign in." in page.text
    assert (await row(world, user.id))["status"] == "ACTIVE"


async def test_a_role_is_changed(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    answer = await admin.post(f"/admin/people/{user.id}/role", data={"role": "instrutor"})
    assert answer.status_code == 303
    assert (await row(world, user.id))["role"] == "instrutor"


async def test_erasing_asks_for_the_name(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world, name="Ana Conceição")
    page = await admin.post(f"/admin/people/{user.id}/erase", data={"typed": "Ana"})
    assert page.status_code == 422
    assert (await row(world, user.id))["name"] == "Ana Conceição"
    answer = await admin.post(f"/admin/people/{user.id}/erase", data={"typed": " ana conceicao "})
    assert answer.headers["location"] == "/admin/people"
    assert (await row(world, user.id))["name"] == "[erased]"
    assert "The personal data was erased" in (await admin.get(f"/admin/people/{user.id}")).text


async def test_nothing_of_an_erased_person_is_changed(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world, name="Ana Conceição")
    await admin.post(f"/admin/people/{user.id}/erase", data={"typed": user.name})
    before = await row(world, user.id)
    form = {"name": "Ana", "email": "ana@example.com", "role": "admin", "typed": "Ana"}
    for path in ("edit", *CHANGES):
        address = f"/admin/people/{user.id}/{path}"
        for page in (await admin.get(address), await admin.post(address, data=form)):
            assert page.status_code == 409, path
            assert "was erased. Nothing can be added or changed." in page.text, path
            assert "erased.invalid" not in page.text, path
    assert await row(world, user.id) == before


async def test_a_temporary_password_ends_all_sessions_and_is_shown_once(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    theirs = await browser_of(world, user)
    shown = await send(admin, f"/admin/people/{user.id}/password")
    password = re.search(r'id="secret" value="([^"]+)"', shown.text)
    assert password
    assert shown.headers["cache-control"] == "no-store"
    assert (await theirs.get("/learn")).status_code == 303
    form = {"tenant_slug": world.tenant.slug, "email": user.email, "password": password[1]}
    assert (await theirs.post("/login", data=form)).headers["location"] == "/login/password"
    assert password[1] not in (await admin.get(f"/admin/people/{user.id}")).text


async def test_sessions_are_ended(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    theirs = await browser_of(world, user)
    assert (await theirs.get("/learn")).status_code == 200
    await send(admin, f"/admin/people/{user.id}/end-sessions")
    assert (await theirs.get("/learn")).status_code == 303


async def test_a_second_factor_is_removed_and_told_by_mail(world: World) -> None:
    admin = await signed_in(world)
    user = await made(world)
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO authenticators (tenant_id, user_id, secret, confirmed_at, created_at)
            VALUES (:tenant, :id, '\\x00', :now, :now)
            """,
            id=user.id,
        )
    await send(admin, f"/admin/people/{user.id}/remove-second-factor")
    async with world.tx() as tx:
        assert await tx.rows("SELECT FROM authenticators WHERE tenant_id = :tenant") == []
        mails = await tx.rows(
            "SELECT to_email FROM mail_messages WHERE tenant_id = :tenant AND kind = 'second_factor_off'"
        )
    assert [each["to_email"] for each in mails] == [user.email]


async def test_history_tells_what_was_done_and_by_whom(world: World) -> None:
    admin = await signed_in(world, name="Chefe Geral")
    user = await made(world)
    await send(admin, f"/admin/people/{user.id}/suspend")
    page = (await admin.get(f"/admin/people/{user.id}/history")).text
    assert page.index("Suspended") < page.index("Added")
    assert "Chefe Geral" in page


async def test_enrollments_of_a_person(world: World) -> None:
    admin = await signed_in(world)
    place = await world.enrollment()
    page = await admin.get(f"/admin/people/{place['user_id']}/enrollments")
    assert "Segurança" in page.text
    assert "Not started" in page.text


async def a_manager(world: World) -> tuple[httpx2.AsyncClient, User]:
    """Returns a manager's browser, and a person of their unit."""
    manager = await made(world, "gestor", name="Gestora")
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Matriz")))
        await units.set_managers(tx, unit.id, [manager.id])
    return await browser_of(world, manager), await made(
        world, name="Da Unidade", business_unit_id=str(unit.id)
    )


async def test_a_manager_sees_the_people_of_their_units_alone(world: World) -> None:
    browser, theirs = await a_manager(world)
    other = await made(world, name="De Fora")
    assert names(await browser.get("/admin/people")) == ["Da Unidade"]
    assert (await browser.get(f"/admin/people/{theirs.id}")).status_code == 200
    assert (await browser.get(f"/admin/people/{theirs.id}/enrollments")).status_code == 200
    assert (await browser.get(f"/admin/people/{theirs.id}/history")).status_code == 403
    for path in ("", "/enrollments"):
        assert (await browser.get(f"/admin/people/{other.id}{path}")).status_code == 404
    page = (await browser.get(f"/admin/people/{theirs.id}")).text
    assert "Edit profile" not in page


async def test_an_instructor_sees_their_learners_in_their_courses(world: World) -> None:
    teacher = await made(world, "instrutor")
    course = await world.course(title="Ensinado")
    other = await world.course(title="Alheio")
    place = await world.enrollment(course_id=course)
    await world.enrollment(course_id=other, user_id=place["user_id"])
    elsewhere = await world.enrollment(course_id=other)
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO course_teachers (tenant_id, course_id, user_id) VALUES (:tenant, :course, :user)",
            course=course,
            user=teacher.id,
        )
    browser = await browser_of(world, teacher)
    assert names(await browser.get("/admin/people")) == ["Ana Lima"]
    page = (await browser.get(f"/admin/people/{place['user_id']}/enrollments")).text
    assert "Ensinado" in page
    assert "Alheio" not in page
    assert (await browser.get(f"/admin/people/{elsewhere['user_id']}")).status_code == 404


@pytest.mark.parametrize("change", CHANGES)
async def test_only_administrators_change_people(world: World, change: str) -> None:
    browser, theirs = await a_manager(world)
    path = f"/admin/people/{theirs.id}/{change}"
    assert (await browser.get(path)).status_code == 403
    assert (await browser.post(path, data={"role": "admin", "typed": "Da Unidade"})).status_code == 403
    stored = await row(world, theirs.id)
    assert (stored["status"], stored["role"], stored["name"]) == ("ACTIVE", "learner", "Da Unidade")


@pytest.mark.parametrize("change", [*CHANGES, "edit"])
async def test_nobody_reaches_into_another_tenant(world: World, stranger: World, change: str) -> None:
    admin, theirs = await signed_in(world), await made(stranger)
    path = f"/admin/people/{theirs.id}/{change}"
    form = {"role": "admin", "typed": theirs.name, "name": "X", "email": "x@example.com"}
    assert (await admin.get(path)).status_code == 404
    assert (await admin.post(path, data=form)).status_code == 404
    for page in ("", "/enrollments", "/history"):
        assert (await admin.get(f"/admin/people/{theirs.id}{page}")).status_code == 404
    assert (await admin.get(f"/admin/people/{uuid4()}")).status_code == 404
    assert PASSWORD


async def test_a_first_password_is_the_one_that_was_typed(world: World) -> None:
    admin = await signed_in(world)
    form = {"name": "Novo Colega", "role": "learner", "entry": "password"}
    short = await send(admin, "/admin/people/new", **form, email="a@example.com", password="curta")
    assert short.status_code == 422
    common = await send(admin, "/admin/people/new", **form, email="a@example.com", password="bemvindo1")
    assert "Many people use this password, so it is easy to guess." in common.text
    for name in ("colega2026", f"{world.tenant.slug}2026"):
        refused = await send(admin, "/admin/people/new", **form, email="a@example.com", password=name)
        assert "Names and e-mail addresses are easy to guess." in refused.text
    added = await send(admin, "/admin/people/new", **form, email="a@example.com", password="bem vindo 2026")
    assert 'value="bem vindo 2026"' in added.text
    login = {"tenant_slug": world.tenant.slug, "email": "a@example.com", "password": "bem vindo 2026"}
    answer = await world.client().post("/login", data=login, headers={"sec-fetch-site": "same-origin"})
    assert answer.headers["location"].startswith("/login/password")  # must be changed
