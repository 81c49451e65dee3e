"""Nobody takes over the account of an instructor, a manager or an administrator by changing its address."""

import asyncio
from pathlib import Path

import httpx2
import pytest
from msgspec import structs

from access.scim.providers import Provider, new_token, op
from access.sessions.mailed import mailed
from conftest import World
from people.people_import.test_import import done
from trilha.access.sessions import email_changes
from trilha.core.credentials import Actor
from trilha.core.types import Email
from trilha.people.users.schema import Role, User
from web.panel.signing_in import PASSWORD, browser_of, made, send, signed_in

PRIVILEGED: list[Role] = ["instrutor", "gestor", "admin"]
MINE = "thief@evil.test"
BUTTON = {"csrf_token": ""}  # the fields of a form with only a button


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def address_of(world: World, user: User) -> str:
    return str((await world.http.get(f"/v1/users/{user.id}")).json()["data"]["email"])


async def addressees(world: World) -> list[tuple[str, str]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT kind, to_email FROM mail_messages WHERE tenant_id = :tenant ORDER BY created_at, id"
        )
    return sorted((row["kind"], row["to_email"]) for row in rows if row["kind"] != "new_sign_in")


async def log_in(world: World, email: str, password: str = PASSWORD) -> int:
    login = {"tenant_slug": world.tenant.slug, "email": email, "password": password}
    return (await world.client().post("/api/auth/login", json=login)).status_code


def browser(world: World) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en"}
    return client


async def asked(world: World, user: User, email: str) -> tuple[httpx2.AsyncClient, str]:
    """An administrator who gives a person another address, and the mailed link."""
    admin = await signed_in(world)
    answer = await edit(admin, user, email)
    assert answer.status_code == 303, answer.text
    (*_, message) = await mailed(world, "email_change_requested")
    return admin, message["link"]


async def edit(admin: httpx2.AsyncClient, user: User, email: str) -> httpx2.Response:
    return await send(admin, f"/admin/people/{user.id}/edit", name=user.name, email=email)


@pytest.mark.parametrize("role", PRIVILEGED)
async def test_a_key_changes_the_address_of_learners_alone(world: World, role: Role) -> None:
    user = await made(world, role, employee_number="77")
    key = world.client(await world.key("users:write", "users:read"))
    answer = await key.patch(f"/v1/users/{user.id}", json={"email": MINE, "department": "TI"})
    assert code(answer) == (403, "privileged_user")
    bulk = await key.put("/v1/users/bulk", json={"users": [{"employee_number": "77", "email": MINE}]})
    assert [each["code"] for each in bulk.json()["data"]["errors"]] == ["privileged_user"]
    assert await address_of(world, user) == user.email
    assert await addressees(world) == []
    # With the unchanged address, other changes are allowed.
    same = await key.patch(f"/v1/users/{user.id}", json={"email": user.email, "department": "TI"})
    assert same.json()["data"]["department"] == "TI"


@pytest.mark.parametrize("role", ["instrutor", "gestor"])
async def test_a_provider_changes_the_address_of_learners_alone(world: World, role: Role) -> None:
    provider = Provider(world, await new_token(world))
    user = await made(world, role)
    found = (await provider.filtered(f'userName eq "{user.email}"')).json()["Resources"][0]
    emails = [{"value": MINE, "type": "work", "primary": True}]
    whole = {key: value for key, value in found.items() if key not in ("id", "meta")}
    attempts = [
        await provider.patch(found["id"], op("replace", "emails", emails)),
        await provider.patch(found["id"], op("replace", "userName", MINE), op("remove", "emails")),
        await provider.put(found["id"], whole | {"emails": emails}),
    ]
    assert {answer.status_code for answer in attempts} == {403}
    await provider.delete(found["id"])
    revived = await provider.post(whole | {"emails": emails})
    assert revived.status_code == 403
    assert await address_of(world, user) == user.email


@pytest.mark.parametrize("role", PRIVILEGED)
async def test_a_file_changes_the_address_of_learners_alone(world: World, tmp_path: Path, role: Role) -> None:
    user = await made(world, role, employee_number="77")
    for dry_run in (True, False):
        raw = f"email,matricula\n{MINE},77\n".encode()
        _, problems = await done(world, tmp_path, raw)
        assert [each.code for each in problems] == ["privileged_user"], dry_run
    # Nor by changing the role in the same line, to learner, or from learner to manager.
    learner = await made(world, employee_number="78")
    raw = f"email,matricula,perfil\n{MINE},77,aluno\nother@evil.test,78,gestor\n".encode()
    _, problems = await done(world, tmp_path, raw)
    assert {each.code for each in problems} == {"privileged_user"}
    assert [await address_of(world, each) for each in (user, learner)] == [user.email, learner.email]


@pytest.mark.parametrize("role", PRIVILEGED)
async def test_the_old_address_confirms_the_new_one(world: World, role: Role) -> None:
    user = await made(world, role)
    theirs = await browser_of(world, user)
    admin, link = await asked(world, user, "new@example.com")
    assert await address_of(world, user) == user.email
    assert await addressees(world) == [("email_change_requested", user.email)]
    page = (await admin.get(f"/admin/people/{user.id}")).text
    assert "A new e-mail address waits to be confirmed" in page
    assert "new@example.com" in page
    visitor = browser(world)
    for _ in range(2):  # mail servers open links before people do
        assert "new@example.com" in (await visitor.get(link)).text
    assert await address_of(world, user) == user.email
    assert (await visitor.post(link, data=BUTTON)).headers["location"] == f"/login?tenant={world.tenant.slug}"
    assert await address_of(world, user) == "new@example.com"
    assert await addressees(world) == [
        ("email_change_requested", user.email),
        ("email_changed", user.email),
        ("new_address", "new@example.com"),
    ]
    assert (await theirs.get("/api/auth/session")).status_code == 401
    assert [await log_in(world, user.email), await log_in(world, "new@example.com")] == [401, 200]
    assert (await visitor.post(link, data=BUTTON)).status_code == (await visitor.get(link)).status_code == 422
    assert await actions_of(world, user) == ["user.email_change_confirmed", "user.email_change_requested"]


async def actions_of(world: World, user: User) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant AND target_id = :id ORDER BY action",
            id=user.id,
        )
    return [row["action"] for row in rows if "email_change" in row["action"]]


async def test_a_password_link_goes_to_the_old_address_until_then(world: World) -> None:
    user = await made(world, "gestor")
    await asked(world, user, MINE)
    visitor = browser(world)
    for email in (MINE, user.email):
        form = {"tenant_slug": world.tenant.slug, "email": email}
        assert (await visitor.post("/login/forgotten", data=form)).status_code == 200
    assert ("password_reset", MINE) not in await addressees(world)
    assert ("password_reset", user.email) in await addressees(world)


async def test_the_old_address_cancels_it(world: World) -> None:
    user = await made(world, "admin")
    _, link = await asked(world, user, MINE)
    visitor = browser(world)
    assert (await visitor.post(f"{link}/cancel", data=BUTTON)).status_code == 303
    assert (await visitor.post(link, data=BUTTON)).status_code == 422
    assert await address_of(world, user) == user.email
    assert await actions_of(world, user) == ["user.email_change_discarded", "user.email_change_requested"]


async def test_an_administrator_confirms_or_cancels_it(world: World) -> None:
    user = await made(world, "instrutor")
    admin, link = await asked(world, user, "new@example.com")
    assert (await send(admin, f"/admin/people/{user.id}/discard-email")).status_code == 303
    assert (await browser(world).post(link, data=BUTTON)).status_code == 422
    assert (await send(admin, f"/admin/people/{user.id}/confirm-email")).status_code == 422
    assert (await edit(admin, user, "new@example.com")).status_code == 303
    assert (await send(admin, f"/admin/people/{user.id}/confirm-email")).status_code == 303
    assert await address_of(world, user) == "new@example.com"
    assert ("email_changed", user.email) in await addressees(world)


async def test_nobody_confirms_their_own_in_the_panel(world: World) -> None:
    """An open session must not be enough to take over the account."""
    me = await made(world, "admin")
    mine = await browser_of(world, me)
    assert (await edit(mine, me, MINE)).status_code == 303
    refused = await send(mine, f"/admin/people/{me.id}/confirm-email")
    assert refused.status_code == 422
    assert "another administrator" in refused.text
    assert "confirm-email" not in (await mine.get(f"/admin/people/{me.id}")).text
    assert await address_of(world, me) == me.email


@pytest.mark.parametrize("ends", ["late", "replaced", "taken", "suspended", "erased"])
async def test_a_link_that_no_longer_works(world: World, ends: str) -> None:
    user = await made(world, "gestor")
    admin, link = await asked(world, user, "new@example.com")
    if ends == "late":
        world.clock.move(hours=24, minutes=1)
    elif ends == "replaced":
        await edit(admin, user, "other@example.com")
    elif ends == "taken":
        await world.user(email="new@example.com")
    elif ends == "suspended":
        await send(admin, f"/admin/people/{user.id}/suspend")
    else:
        await send(admin, f"/admin/people/{user.id}/erase", typed=user.name)
    answer = await browser(world).post(link, data=BUTTON)
    assert answer.status_code == 422
    assert (await log_in(world, "new@example.com", "correct horse")) == (200 if ends == "taken" else 401)


async def test_a_link_of_one_company_does_nothing_in_another(world: World, stranger: World) -> None:
    user = await made(world, "gestor")
    _, link = await asked(world, user, "new@example.com")
    theirs = await signed_in(stranger)
    for name in ("confirm-email", "discard-email"):
        assert (await send(theirs, f"/admin/people/{user.id}/{name}")).status_code == 404
    await theirs.post(link, data=BUTTON)  # a session elsewhere does not change whose link it is
    assert await address_of(world, user) == "new@example.com"


async def test_of_many_who_confirm_or_cancel_at_once_one_succeeds(world: World) -> None:
    user = await made(world, "gestor")
    admin, link = await asked(world, user, "new@example.com")
    visitors = [browser(world) for _ in range(6)]
    answers = await asyncio.gather(
        *(each.post(link if n % 2 else f"{link}/cancel", data=BUTTON) for n, each in enumerate(visitors)),
        send(admin, f"/admin/people/{user.id}/confirm-email"),
    )
    assert sorted(each.status_code for each in answers) == [303, *[422] * 6]
    ends = [each for each in await actions_of(world, user) if not each.endswith("requested")]
    confirmed = ends == ["user.email_change_confirmed"]
    assert len(ends) == 1
    assert await address_of(world, user) == ("new@example.com" if confirmed else user.email)


@pytest.mark.parametrize("role", ["gestor", "instrutor", "learner"])
async def test_only_administrators_change_addresses_in_the_panel(world: World, role: Role) -> None:
    user = await made(world, "gestor")
    other = await signed_in(world, role)
    for path in ("edit", "confirm-email", "discard-email"):
        answer = await send(other, f"/admin/people/{user.id}/{path}", name="X", email=MINE)
        assert answer.status_code in (403, 404), path


async def test_a_learner_whose_address_an_integration_changed_is_promoted(
    world: World, tmp_path: Path
) -> None:
    """The previous owner of the address may know the password, so neither it nor a link opens the manager's
    account.
    """
    user = await made(world, employee_number="5")
    await world.http.patch(f"/v1/users/{user.id}", json={"email": MINE})
    visitor = browser(world)
    await visitor.post("/login/forgotten", data={"tenant_slug": world.tenant.slug, "email": MINE})
    (reset,) = [message["link"] for message in await mailed(world, "password_reset")]
    session = await browser_of(world, structs.replace(user, email=MINE))
    # Neither a file nor a person who saw another address promotes them.
    _, problems = await done(world, tmp_path, b"matricula,perfil\n5,gestor\n")
    assert [each.code for each in problems] == ["address_unconfirmed"]
    admin = await signed_in(world)
    address = f"/admin/people/{user.id}/role"
    assert MINE in (await admin.get(address)).text
    assert (await send(admin, address, role="gestor", email=user.email)).status_code == 422
    assert (await send(admin, address, role="gestor", email=MINE)).status_code == 303
    assert (await session.get("/api/auth/session")).status_code == 401
    assert await log_in(world, MINE) == 401
    assert (await visitor.post(reset, data={"new_password": "one of theirs"})).status_code == 422
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT role, invitation_due, password_hash FROM users WHERE tenant_id = :tenant AND id = :id",
            id=user.id,
        )
    assert tuple(row) == ("gestor", True, None)


async def test_a_learner_whose_address_nobody_touched_keeps_the_password(world: World) -> None:
    user = await made(world)
    admin = await signed_in(world)
    assert (await edit(admin, user, "new@example.com")).status_code == 303  # for a learner: at once
    assert (await send(admin, f"/admin/people/{user.id}/role", role="gestor")).status_code == 303
    assert await log_in(world, "new@example.com") == 200


@pytest.mark.parametrize("password", ["one of theirs", None])
async def test_a_password_that_an_integration_knows_opens_no_promoted_account(
    world: World, tmp_path: Path, password: str | None
) -> None:
    """An attacker with the key could prepare a learner, and wait until someone promotes them."""
    new = {"email": "bia@example.com", "name": "Bia", "employee_number": "6"}
    given = {"password": password} if password else {}
    created = (await world.http.post("/v1/users", json=new | given)).json()
    known = password or created["_meta"]["temporary_password"]
    assert await log_in(world, "bia@example.com", known) == 200
    _, problems = await done(world, tmp_path, b"matricula,perfil\n6,gestor\n")
    assert [each.code for each in problems] == ["address_unconfirmed"]
    admin = await signed_in(world)
    address = f"/admin/people/{created['data']['id']}/role"
    assert "An integration set this person" in (await admin.get(address)).text
    assert (await send(admin, address, role="admin", email="bia@example.com")).status_code == 303
    assert await log_in(world, "bia@example.com", known) == 401


async def test_neither_does_one_of_a_nightly_synchronization(world: World) -> None:
    person = {"email": "caio@example.com", "name": "Caio"}
    items = [person | {"password": "one of theirs"}, {"email": "duda@example.com", "name": "Duda"}]
    done = (await world.http.put("/v1/users/bulk", json={"users": items})).json()["data"]
    admin = await signed_in(world)
    for user_id, marked in zip(done["user_ids"], (True, False), strict=True):
        page = (await admin.get(f"/admin/people/{user_id}/role")).text
        assert ("An integration set this person" in page) == marked
    address = f"/admin/people/{done['user_ids'][0]}/role"
    assert (await send(admin, address, role="instrutor", email=person["email"])).status_code == 303
    assert await log_in(world, person["email"], "one of theirs") == 401


async def test_an_address_that_an_administrator_corrects_is_still_no_password_of_theirs(world: World) -> None:
    """The thief chose the password while the account had their address. Then the address is corrected."""
    user = await made(world)
    await world.http.patch(f"/v1/users/{user.id}", json={"email": MINE})
    visitor = browser(world)
    await visitor.post("/login/forgotten", data={"tenant_slug": world.tenant.slug, "email": MINE})
    (reset,) = [message["link"] for message in await mailed(world, "password_reset")]
    assert (await visitor.post(reset, data={"new_password": "one of theirs"})).status_code == 303
    admin = await signed_in(world)
    assert (await edit(admin, user, user.email)).status_code == 303
    assert await log_in(world, user.email, "one of theirs") == 200  # it opens only a learner's account
    answer = await send(admin, f"/admin/people/{user.id}/role", role="admin", email=user.email)
    assert answer.status_code == 303
    assert await log_in(world, user.email, "one of theirs") == 401


async def test_the_operator_changes_the_address_of_the_only_administrator(world: World) -> None:
    """Both addresses get a notice, and earlier pending changes and links are void."""
    me = await made(world, "admin")
    mine = await browser_of(world, me)
    assert (await edit(mine, me, "other@example.com")).status_code == 303
    (message,) = await mailed(world, "email_change_requested")
    visitor = browser(world)
    await visitor.post("/login/forgotten", data={"tenant_slug": world.tenant.slug, "email": me.email})
    (reset,) = [each["link"] for each in await mailed(world, "password_reset")]
    async with world.database.transaction(world.tenant.id, actor=Actor("operator", "root", "server")) as tx:
        assert await email_changes.change_as_operator(tx, me.id, Email("new@example.com"))
        assert not await email_changes.change_as_operator(tx, me.id, Email("new@example.com"))
    told = await addressees(world)
    assert ("email_changed", me.email) in told
    assert ("new_address", "new@example.com") in told
    assert (await mine.get("/api/auth/session")).status_code == 401
    assert (await visitor.post(message["link"], data=BUTTON)).status_code == 422
    assert (await visitor.post(reset, data={"new_password": "one of theirs"})).status_code == 422
    assert await log_in(world, "new@example.com") == 200
    assert await actions_of(world, me) == ["user.email_change_confirmed", "user.email_change_requested"]
