"""/admin/paths, and /learn with the paths of a learner."""

from uuid import UUID

import pytest

from conftest import World
from training.learning_paths.following import assign, complete, path, taken, work
from trilha.core.lists import fetch_page, narrowing
from trilha.core.types import Name
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users.reach import EVERYONE, Reach
from trilha.training.learning_paths import actions
from trilha.training.learning_paths.lists import followers
from trilha.training.learning_paths.schema import FollowQuery
from web.learn.signing_in import signed_in as learner_in
from web.panel.meanwhile import waiting
from web.panel.training_pages import browsing, flash, id_of, manage, rows, send, unit


async def test_a_path_is_made_ordered_published_and_archived(world: World) -> None:
    admin = await browsing(world)
    assert "No learning paths yet" in (await admin.get("/admin/paths")).text
    refused = await send(admin, "/admin/paths/new", title="", deadline_days="0")
    assert refused.status_code == 422
    made = await send(
        admin, "/admin/paths/new", title="Motoristas", description="", in_order="true", deadline_days="30"
    )
    assert "choose its courses" in flash(made)
    address = made.headers["location"]
    empty = await send(admin, f"{address}/publish")
    assert (empty.status_code, "at least one course" in empty.text) == (422, True)
    courses = {each: await world.course(title=each) for each in ("Um", "Dois", "Três")}
    for each in courses.values():
        assert "added" in flash(await send(admin, f"{address}/courses", course_id=str(each)))
    await send(admin, f"{address}/courses/move", course_id=str(courses["Três"]), to="up")
    await send(admin, f"{address}/courses/move", course_id=str(courses["Um"]), to="out")
    page = (await admin.get(address)).text
    assert rows(page) == ["1. Três", "2. Dois"]
    assert "In sequence" in page
    assert "30 days" in page
    assert "published" in flash(await send(admin, f"{address}/publish"))
    assert rows((await admin.get("/admin/paths?status=PUBLISHED")).text) == ["Motoristas"]
    assert rows((await admin.get("/admin/paths?q=motor")).text) == ["Motoristas"]
    assert rows((await admin.get("/admin/paths?q=xyz")).text) == []
    edited = await send(admin, f"{address}/edit", title="Motoristas novos", deadline_days="")
    assert "saved" in flash(edited)
    assert "Motoristas novos" in (await admin.get(address)).text
    assert "archived" in flash(await send(admin, f"{address}/archive"))


@pytest.mark.parametrize(
    ("form", "fields", "left"),
    [
        ("courses", {"course": "C"}, "ABNC"),
        ("courses/move", {"course": "B", "to": "up"}, "BAN"),
        ("courses/move", {"course": "B", "to": "out"}, "AN"),
    ],
)
async def test_a_course_that_was_added_meanwhile_stays(
    world: World, form: str, fields: dict[str, str], left: str
) -> None:
    admin = await browsing(world)
    ids = {each: await world.course(title=each) for each in "ABCN"}
    path_id = await path(world, ids["A"], ids["B"])
    sent = {"course_id": str(ids[fields["course"]]), "to": fields.get("to", "")}
    async with world.tx() as tx:
        await actions.set_courses(tx, path_id, [ids[each] for each in "ABN"])
        request = await waiting(tx, send(admin, f"/admin/paths/{path_id}/{form}", **sent))
    assert (await request).status_code == 303
    page = (await admin.get(f"/admin/paths/{path_id}")).text
    assert rows(page) == [f"{n}. {each}" for n, each in enumerate(left, 1)]


async def test_people_are_assigned_and_what_is_in_their_way_is_shown(world: World) -> None:
    admin = await browsing(world)
    open_course = await world.course(title="Livre")
    asking = await world.course(
        title="Regulado", regulation={"kind": "traffic", "required_profile_fields": ["cpf"]}
    )
    path_id = await path(world, open_course, asking)
    ana, bia = await world.user(name="Ana Lima"), await world.user(name="Bia Sá")
    address = f"/admin/paths/{path_id}"
    assert rows((await admin.get(f"{address}/assign?q=bia")).text) == ["Bia Sá"]
    assert "Select people first" in flash(await send(admin, f"{address}/assign"))
    assert "2" in flash(await send(admin, f"{address}/assign", id=[ana["id"], bia["id"]]))
    assert "Assigning the path" in (await admin.get(address)).text
    await work(world)
    assert (await admin.get(f"{address}/progress")).status_code == 303
    await complete(world, UUID(ana["id"]), open_course)
    page = (await admin.get(f"{address}/people")).text
    assert sorted(rows(page)) == ["Ana Lima", "Bia Sá"]
    assert page.count("Regulado: The profile does not have the required documents") == 2
    assert "1 of 2" in page
    assert rows((await admin.get(f"{address}/people?q=bia")).text) == ["Bia Sá"]
    assert len(rows((await admin.get(f"{address}/people?show=problems")).text)) == 2
    assert rows((await admin.get(f"{address}/people?show=completed")).text) == []
    await world.http.patch(f"/v1/users/{ana['id']}", json={"cpf": "529.982.247-25"})
    await send(admin, f"{address}/try-again")
    await work(world)
    assert rows((await admin.get(f"{address}/people?show=problems")).text) == ["Bia Sá"]
    gone = await send(admin, f"{address}/people/{bia['id']}/withdraw")
    assert "was removed from the path" in flash(gone)
    assert rows((await admin.get(f"{address}/people")).text) == ["Ana Lima"]


async def test_a_group_and_a_unit_are_assigned_whole(world: World) -> None:
    admin = await browsing(world)
    course = await world.course()
    path_id, yard = await path(world, course), await unit(world, "Pátio")
    async with world.tx() as tx:
        group = await groups.create(tx, NewLearningGroup(name=Name("Brigada")))
    address = f"/admin/paths/{path_id}"
    assert (await send(admin, f"{address}/assign-to")).status_code == 422
    given = await send(admin, f"{address}/assign-to", group_id=str(group.id), unit_id=str(yard))
    assert "everyone in the group or unit" in flash(given)
    again = await send(admin, f"{address}/assign-to", group_id=str(group.id), unit_id="")
    assert "already" in flash(again)
    page = (await admin.get(address)).text
    assert "Brigada" in page
    assert "Pátio" in page
    ana = await world.user(business_unit_id=str(yard))
    await work(world)
    assert await taken(world, UUID(ana["id"])) == [course]
    async with world.tx() as tx:
        audience = await tx.value(
            "SELECT id FROM learning_path_audiences WHERE tenant_id = :tenant AND group_id IS NOT NULL"
        )
    assert "stay" in flash(await send(admin, f"{address}/audiences/{audience}/remove"))
    assert "Brigada" not in (await admin.get(address)).text


async def test_a_manager_assigns_and_sees_their_own_people(world: World) -> None:
    gestor = await browsing(world, "gestor")
    mine, other = await unit(world, "Minha"), await unit(world, "Outra")
    await manage(world, mine, await id_of(world, "gestor"))
    near = await world.user(name="Perto", business_unit_id=str(mine))
    far = await world.user(name="Longe", business_unit_id=str(other))
    course = await world.course()
    path_id = await path(world, course)
    address = f"/admin/paths/{path_id}"
    assert rows((await gestor.get(f"{address}/assign")).text) == ["Perto"]
    assert "Select people first" in flash(await send(gestor, f"{address}/assign", id=far["id"]))
    await send(gestor, f"{address}/assign", id=[near["id"], far["id"]])
    async with world.tx() as tx:
        group = await groups.create(tx, NewLearningGroup(name=Name("Brigada")))
    for elsewhere in ({"group_id": str(group.id)}, {"unit_id": str(other)}):
        assert (await send(gestor, f"{address}/assign-to", **elsewhere)).status_code in (404, 422)
    assert "everyone in the group or unit" in flash(
        await send(gestor, f"{address}/assign-to", unit_id=str(mine))
    )
    await work(world)
    assert await taken(world, UUID(far["id"])) == []
    await assign(world, path_id, UUID(far["id"]))
    assert rows((await gestor.get(f"{address}/people")).text) == ["Perto"]
    assert "Longe" not in (await gestor.get(f"{address}/people?q=longe")).text
    for path_to in ("/edit", f"/people/{near['id']}/withdraw"):
        assert (await gestor.get(f"{address}{path_to}")).status_code == 403
    assert (await send(gestor, f"{address}/archive")).status_code == 403
    teacher = await browsing(world, "instrutor")
    assert (await teacher.get("/admin/paths")).status_code == 403


@pytest.mark.parametrize("few", [1, 2, 100])
async def test_who_is_on_a_path_is_found_whether_they_are_many_or_few(
    world: World, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(narrowing, "MAX_IDS", few)
    asking = await world.course(regulation={"kind": "traffic", "required_profile_fields": ["cpf"]})
    path_id, mine = await path(world, asking), await unit(world, "Minha")
    people = {}
    for name, where, cpf in (
        ("Ana Lima", mine, None),
        ("Ana Prado", mine, "529.982.247-25"),
        ("Ana Reis", None, None),
        ("Bia Lima", mine, None),
    ):
        kept = {"cpf": cpf, "business_unit_id": str(where) if where else None}
        people[name] = await world.user(name=name, **{key: value for key, value in kept.items() if value})
    await assign(world, path_id, *(UUID(each["id"]) for each in people.values()))
    await work(world)
    await _end(world, path_id, *(UUID(people[name]["id"]) for name in people if name != "Ana Prado"))
    await _complete(world, path_id, UUID(people["Ana Reis"]["id"]))
    await browsing(world, "gestor")
    gestor = await id_of(world, "gestor")
    await manage(world, mine, gestor)
    everyone, manager = EVERYONE, Reach("gestor", gestor)
    lima = {"Ana Lima", "Bia Lima"}
    for reach, asked, names in (
        (everyone, {}, set(people)),
        (manager, {}, set(people) - {"Ana Reis"}),
        (everyone, {"show": "problems"}, set(people) - {"Ana Prado"}),
        (manager, {"show": "problems"}, lima),
        (everyone, {"q": "ana", "show": "problems"}, {"Ana Lima", "Ana Reis"}),
        (manager, {"q": "ana", "show": "problems"}, {"Ana Lima"}),
        (everyone, {"show": "overdue"}, lima),
        (everyone, {"q": "ana", "show": "overdue"}, {"Ana Lima"}),
        (manager, {"q": "b", "show": "overdue"}, {"Bia Lima"}),
        (everyone, {"q": "reis", "show": "completed"}, {"Ana Reis"}),
        (everyone, {"q": "ana", "show": "open"}, {"Ana Lima", "Ana Prado"}),
        (manager, {"q": "lima an"}, {"Ana Lima"}),
        (manager, {"q": "reis"}, set()),
        (manager, {"q": "b"}, {"Bia Lima"}),
        (manager, {"q": "529.982.247-25"}, {"Ana Prado"}),
        (everyone, {"q": "529.982.247-25", "show": "problems"}, set()),
    ):
        async with world.tx() as tx:
            found = await fetch_page(tx, followers(path_id), FollowQuery(**asked), reach)
        assert {each.name for each in found.data} == names


async def _end(world: World, path_id: UUID, *user_ids: UUID) -> None:
    """Sets their due date on the path to the past."""
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE learning_path_assignments SET due_at = :now
            WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
            """,
            path_id=path_id,
            user_ids=user_ids,
        )


async def _complete(world: World, path_id: UUID, user_id: UUID) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE learning_path_assignments SET completed_at = :now
            WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = :user_id
            """,
            path_id=path_id,
            user_id=user_id,
        )


async def test_pages_of_people_come_one_after_the_other(world: World) -> None:
    admin = await browsing(world)
    path_id = await path(world, await world.course())
    people = [UUID((await world.user(name=f"P{n:02}"))["id"]) for n in range(23)]
    await assign(world, path_id, *people)
    seen: list[str] = []
    address = f"/admin/paths/{path_id}/people"
    page = (await admin.get(address)).text
    seen += rows(page)
    cursor = page.split("cursor=")[1].split('"')[0]
    seen += rows((await admin.get(f"{address}?cursor={cursor}")).text)
    assert sorted(seen) == [f"P{n:02}" for n in range(23)]


async def test_a_learner_sees_where_they_are_and_what_comes_next(world: World) -> None:
    first, second = await world.course(title="Primeiro"), await world.course(title="Segundo")
    path_id = await path(world, first, second, in_order=True, description="Tudo o que é preciso.")
    ana = await world.user()
    await assign(world, path_id, UUID(ana["id"]))
    client = await learner_in(world, ana["email"])
    page = (await client.get("/learn")).text
    assert "My learning paths" in page
    assert "Next: Primeiro" in page
    assert "0 of 2" in page
    shown = (await client.get(f"/learn/paths/{path_id}")).text
    assert "Tudo o que é preciso." in shown
    assert "Locked" in shown
    await complete(world, UUID(ana["id"]), first)
    assert "Next: Segundo" in (await client.get("/learn")).text
    shown = (await client.get(f"/learn/paths/{path_id}")).text
    assert "Locked" not in shown
    assert "1 of 2" in shown
    await complete(world, UUID(ana["id"]), second)
    assert "My learning paths" not in (await client.get("/learn")).text
    assert "My learning paths" in (await client.get("/learn?show=completed")).text
    assert "You completed this learning path" in (await client.get(f"/learn/paths/{path_id}")).text


async def test_a_learner_is_told_why_a_course_is_closed(world: World) -> None:
    asking = await world.course(
        title="Regulado", regulation={"kind": "traffic", "required_profile_fields": ["cpf"]}
    )
    path_id, ana = await path(world, asking), await world.user()
    await assign(world, path_id, UUID(ana["id"]))
    client = await learner_in(world, ana["email"])
    assert "No courses are open right now" in (await client.get("/learn")).text
    assert "Add them to your profile" in (await client.get(f"/learn/paths/{path_id}")).text


async def test_a_path_one_is_not_on_is_not_there(world: World) -> None:
    path_id, ana = await path(world, await world.course()), await world.user()
    client = await learner_in(world, ana["email"])
    assert (await client.get(f"/learn/paths/{path_id}")).status_code == 404
