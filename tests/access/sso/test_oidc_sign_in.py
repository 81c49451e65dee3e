"""Signing in with OpenID Connect: an honest provider, and the resulting person."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest

from access.sso.federation import Company, Double, connect, doubled, exchange, logged, sessions
from conftest import World
from trilha.access.sso import actions as connections
from trilha.access.sso import enforcement
from trilha.access.sso.schema import ConnectionPatch
from trilha.core.types import Name
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.users import actions as users
from trilha.people.users import queries


async def test_a_stranger_becomes_a_learner(world: World, company: Company) -> None:
    browser = company.browser()
    signed = await company.sign_in(browser)
    assert signed.keys() == {"session_token", "expires_at", "user", "unfinished"}
    assert signed["unfinished"] is None
    person = signed["user"]
    assert (person["email"], person["name"], person["role"]) == (
        f"ana@{company.domain}",
        "Ana Lima",
        "learner",
    )
    assert browser.cookies["__Host-trilha_session"] == signed["session_token"]
    assert (await browser.get("/api/auth/session")).json()["user"]["id"] == person["id"]
    assert [data for _, data in await world.events("user.created")] == [
        {"user_id": person["id"], "role": "learner", "status": "ACTIVE"}
    ]
    async with world.tx() as tx:  # nobody gets a link to choose a password
        assert not await tx.value("SELECT invitation_due FROM users WHERE tenant_id = :tenant")


async def test_the_way_to_the_provider(company: Company) -> None:
    browser = company.browser()
    answer = await browser.get("/api/sso/oidc/start", params={"tenant_slug": company.world.tenant.slug})
    asked = {name: each[0] for name, each in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    assert asked.keys() == {
        *("response_type", "client_id", "redirect_uri", "scope"),
        *("state", "nonce", "code_challenge", "code_challenge_method"),
    }
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert len({len(asked[name]) for name in ("state", "nonce", "code_challenge")} | {43}) == 1
    assert asked["redirect_uri"].endswith("/api/sso/oidc/callback")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-sso_b=")
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    again = await browser.get("/api/sso/oidc/start", params={"tenant_slug": company.world.tenant.slug})
    assert "set-cookie" not in again.headers  # parallel tabs share it


async def test_nothing_that_opens_something_is_stored(company: Company) -> None:
    browser = company.browser()
    location = await company.leave(browser)
    asked = {name: each[0] for name, each in parse_qs(urlsplit(location).query).items()}
    async with company.world.tx() as tx:
        (row,) = await tx.rows("SELECT t::text AS line FROM sso_flows t WHERE tenant_id = :tenant")
    for secret in (asked["state"], asked["nonce"], browser.cookies["__Host-sso_b"]):
        assert secret not in row["line"]
        assert secret.encode().hex() not in row["line"]


async def test_the_same_person_comes_again(world: World, company: Company, double: Double) -> None:
    first = await company.sign_in(company.browser())
    double.claims["email"] = f"ana.lima@{company.domain}"  # another address, and the same subject
    second = await company.sign_in(company.browser())
    assert second["user"]["id"] == first["user"]["id"]
    assert second["user"]["email"] == f"ana@{company.domain}"


async def test_who_is_here_is_linked_once(world: World, company: Company, double: Double) -> None:
    here = await world.user(email=f"bia@{company.domain}", role="gestor")
    double.claims["email"] = f"Bia@{company.domain.upper()}"
    assert (await company.sign_in(company.browser()))["user"]["id"] == here["id"]
    double.claims["sub"] = "s-2"
    location = await company.arrive(company.browser())
    assert (await company.refusal(location))["code"] == "other_subject"
    async with world.tx() as tx:
        await connections.unlink(tx, company.id, UUID(here["id"]))
    assert await sessions(world) == 0  # the sign-in of the other subject has ended
    assert (await company.sign_in(company.browser()))["user"]["id"] == here["id"]


async def test_the_return_path_is_handed_on(company: Company) -> None:
    location = await company.arrive(company.browser(), return_to="/learn?page=2")
    fragment = parse_qs(urlsplit(location).fragment)
    assert fragment["return_to"] == ["/learn?page=2"]


@pytest.mark.parametrize(
    "path",
    [
        "//evil.test",
        "/\\evil.test",
        "https://evil.test/",
        "javascript:alert(1)",
        "/a\r\nb: c",
        "x",
        "\\\\evil",
    ],
)
async def test_no_return_path_leads_elsewhere(company: Company, path: str) -> None:
    location = await company.arrive(company.browser(), return_to=path)
    assert parse_qs(urlsplit(location).fragment).keys() == {"ticket"}


async def test_what_is_mapped_is_kept_in_step(world: World, double: Double) -> None:
    async with world.tx() as tx:
        unit = await business_units.create(tx, NewBusinessUnit(name=Name("North")))
    company = await connect(
        world,
        double,
        attributes={"department": "dept", "job_title": "title", "employee_number": "number", "name": "nick"},
        unit_attribute="site",
        units={"N1": str(unit.id)},
    )
    double.claims |= {
        "dept": "Fleet",
        "title": ["Driver", "Other"],
        "number": 1042,
        "nick": "Ana  L.",
        "site": "N1",
    }
    person = (await company.sign_in(company.browser()))["user"]
    told = {name: person[name] for name in ("name", "department", "job_title", "employee_number")}
    assert told == {"name": "Ana L.", "department": "Fleet", "job_title": "Driver", "employee_number": "1042"}
    assert person["business_unit_id"] == str(unit.id)
    assert await world.events("user.updated") == []  # all of it came with the creation
    double.claims["dept"] = "Yard"
    assert (await company.sign_in(company.browser()))["user"]["department"] == "Yard"
    assert [data["changed"] for _, data in await world.events("user.updated")] == [["department"]]
    await company.sign_in(company.browser())
    assert len(await world.events("user.updated")) == 1  # unchanged values are not a change


async def test_a_unit_that_was_deleted_keeps_nobody_out(world: World, double: Double) -> None:
    company = await connect(world, double, unit_attribute="site", units={"N1": str(uuid4())})
    double.claims["site"] = "N1"
    for _ in range(2):
        assert (await company.sign_in(company.browser()))["user"]["business_unit_id"] is None


async def test_an_administrator_is_not_changed_by_the_mapping(world: World, double: Double) -> None:
    company = await connect(world, double, attributes={"department": "dept"})
    here = await world.user(email=f"ana@{company.domain}")
    await world.promote(here["id"], "admin")
    double.claims["dept"] = "Fleet"
    assert (await company.sign_in(company.browser()))["user"]["department"] is None


async def test_what_the_token_lacks_is_asked_for(world: World, double: Double) -> None:
    double.userinfo = {"sub": "s-1", "email": "", "dept": "Fleet", "email_verified": True}
    company = await connect(world, double, attributes={"department": "dept"})
    double.userinfo["email"] = double.claims.pop("email")
    assert (await company.sign_in(company.browser()))["user"]["department"] == "Fleet"
    double.claims |= {"email": double.userinfo["email"], "dept": "Yard"}
    await company.sign_in(company.browser())
    assert double.asked["/userinfo"] == 1  # not if the token has all claims


async def test_several_connections_of_one_tenant(world: World, company: Company) -> None:
    world.clock.now += timedelta(seconds=1)
    async with doubled(world.clock) as other:
        second = await connect(world, other)
        assert (await company.leave(company.browser())).startswith(company.double.issuer)
        signed = await second.sign_in(second.browser(), connection=str(second.id))
        assert signed["user"]["email"] == f"ana@{second.domain}"


async def test_who_does_not_make_people(world: World, company: Company) -> None:
    async with world.tx() as tx:
        await connections.change(tx, company.id, ConnectionPatch(jit=False))
    assert await company.refused() == "no_account"
    await world.user(email=f"ana@{company.domain}")
    await company.sign_in(company.browser())


async def test_the_log_tells_who_signed_in(world: World, company: Company) -> None:
    signed = await company.sign_in(company.browser())
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT * FROM sso_sign_ins WHERE tenant_id = :tenant")
    assert (row["outcome"], row["code"], str(row["user_id"])) == ("SIGNED_IN", None, signed["user"]["id"])
    assert (await logged(world, row["reference"]))["connection_id"] == company.id


async def test_a_password_opens_nothing_where_the_provider_is_required(
    world: World, company: Company
) -> None:
    email, root = f"bia@{company.domain}", f"root@{company.domain}"
    await world.user(email=email, password="correct horse")
    admin = UUID((await world.user(email=root, password="correct horse"))["id"])
    await world.promote(admin, "admin")
    async with world.tx() as tx:
        await enforcement.set_break_glass(tx, admin, allowed=True)
        await enforcement.require(tx)
    login = {"tenant_slug": world.tenant.slug, "password": "correct horse"}
    right = await world.client().post("/api/auth/login", json=login | {"email": email})
    wrong = await world.client().post("/api/auth/login", json=login | {"email": email, "password": "wrong"})
    for answer in (right, wrong):
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_login")
    reset = {"tenant_slug": world.tenant.slug, "email": email}
    assert (await world.client().post("/api/auth/password-reset", json=reset)).status_code == 204
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM password_resets WHERE tenant_id = :tenant") == 0
    opened = await world.client().post("/api/auth/login", json=login | {"email": root})
    assert opened.status_code == 200
    async with world.tx() as tx:
        await enforcement.allow_passwords(tx)
    opened = await world.client().post("/api/auth/login", json=login | {"email": email})
    assert opened.status_code == 200


async def test_a_link_that_was_mailed_before_sets_no_password(world: World, company: Company) -> None:
    email = f"bia@{company.domain}"
    await world.user(email=email, password="correct horse")
    admin = UUID((await world.user(password="correct horse"))["id"])
    reset = {"tenant_slug": world.tenant.slug, "email": email}
    await world.client().post("/api/auth/password-reset", json=reset)
    async with world.tx() as tx:
        (row,) = await tx.rows(
            """
            SELECT id, content FROM mail_messages
            WHERE tenant_id = :tenant AND kind = 'password_reset'
            """
        )
        content = tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"])
        await queries.confirm_address(tx, admin)
        await users.change_role(tx, admin, "admin")
        await enforcement.set_break_glass(tx, admin, allowed=True)
        await enforcement.require(tx)
    token = content.partition("/login/reset/")[2].partition('"')[0]
    answer = await world.client().post(
        "/api/auth/password-reset/confirm", json={"token": token, "new_password": "another horse"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "reset_link_invalid")


async def test_a_temporary_password_is_none_of_the_providers_business(world: World, company: Company) -> None:
    """A person who signs in with the provider knows no password that they could change."""
    here = await world.http.post("/v1/users", json={"email": f"ana@{company.domain}", "name": "Ana"})
    assert here.json()["_meta"]["temporary_password"]
    browser = company.browser()
    assert (await company.sign_in(browser))["unfinished"] is None
    assert (await browser.get("/api/auth/session")).json()["unfinished"] is None
    assert (await browser.get("/api/auth/sessions")).status_code == 200


async def test_the_session_lists_and_ends_as_any_other(world: World, company: Company) -> None:
    browser = company.browser()
    await company.sign_in(browser)
    assert len((await browser.get("/api/auth/sessions")).json()["sessions"]) == 1
    assert (await browser.post("/api/auth/logout")).status_code == 204
    assert (await browser.get("/api/auth/session")).status_code == 401
    assert await sessions(world) == 0


async def test_a_session_that_the_browser_had_before_ends(world: World, company: Company) -> None:
    browser = company.browser()
    await company.sign_in(browser)
    before = browser.cookies["__Host-trilha_session"]
    await company.sign_in(browser)
    assert browser.cookies["__Host-trilha_session"] != before
    assert await sessions(world) == 1


async def test_disabling_a_connection_ends_what_began_by_it(world: World, company: Company) -> None:
    browser, on_the_way = company.browser(), company.browser()
    await company.sign_in(browser)
    location = await company.leave(on_the_way)
    ticket = await company.ticket(company.browser())
    async with world.tx() as tx:
        await connections.disable(tx, company.id)
    assert (await browser.get("/api/auth/session")).status_code == 401
    back = await company.come_back(on_the_way, **company.double.code_for(location))
    assert "reference=" in back
    assert (await exchange(on_the_way, ticket)).status_code == 401
    again = await company.refusal(await company.leave(company.browser()))
    assert again["code"] == "connection_missing"
