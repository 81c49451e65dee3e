"""Passkeys: added, renamed and removed, used to sign in, and attacked."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx2
import pytest

from access.sessions.soft_passkey import SoftPasskey
from conftest import World
from trilha import app as trilha_app
from trilha.access.sessions.jobs import prune_challenges
from trilha.core.database import Database
from trilha.platform.tenants import queries as tenants
from trilha.settings import Settings
from web.learn.signing_in import PASSWORD, send, token_in

ORIGIN = "https://learn.example.com"
SECURITY = "/learn/security"
PASSKEYS = "/learn/security/passkeys"


@pytest.fixture
def app(settings: Settings, database: Database, session_clock: Any) -> Any:
    """The application at an address where browsers have passkeys."""
    return trilha_app.create_app(replace(settings, base_url=ORIGIN), database, session_clock)


def browser_of(world: World) -> httpx2.AsyncClient:
    client = world.client()
    client.headers |= {"sec-fetch-site": "same-origin"}
    client.cookies.set("trilha_locale", "en")
    return client


async def signed_in(world: World, email: str) -> httpx2.AsyncClient:
    client = browser_of(world)
    form = {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD}
    assert (await client.post("/login", data=form)).status_code == 303
    return client


async def creation_options(client: httpx2.AsyncClient) -> dict[str, Any]:
    answer = await send(client, f"{PASSKEYS}/new", f"{PASSKEYS}/options", name="Phone")
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()
    return options


async def add(client: httpx2.AsyncClient, passkey: SoftPasskey, name: str = "Phone") -> httpx2.Response:
    credential = passkey.register(await creation_options(client))
    return await send(client, SECURITY, PASSKEYS, name=name, credential=credential)


async def with_passkey(world: World, **options: bool) -> tuple[dict[str, Any], SoftPasskey]:
    user = await world.user()
    passkey = SoftPasskey(ORIGIN, **options)
    answer = await add(await signed_in(world, user["email"]), passkey)
    assert answer.headers["location"] == SECURITY, answer.text
    return user, passkey


async def request_options(client: httpx2.AsyncClient, slug: str) -> dict[str, Any]:
    answer = await client.post("/login/passkey/options", data={"tenant_slug": slug})
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()
    return options


async def enter(client: httpx2.AsyncClient, slug: str, credential: str, **fields: str) -> httpx2.Response:
    form = {"tenant_slug": slug, "credential": credential, **fields}
    return await client.post("/login/passkey", data=form)


async def sign_in(
    world: World, passkey: SoftPasskey, client: httpx2.AsyncClient | None = None
) -> httpx2.Response:
    client = client or browser_of(world)
    return await enter(
        client, world.tenant.slug, passkey.sign(await request_options(client, world.tenant.slug))
    )


def is_refused(answer: httpx2.Response) -> bool:
    has_session = any("trilha_session=trl" in each for each in answer.headers.get_list("set-cookie"))
    return (
        answer.status_code == 422
        and "could not sign you in with this passkey" in answer.text
        and not has_session
    )


async def actions_of(world: World, user: dict[str, Any]) -> set[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant AND target_id = :id",
            id=user["id"],
        )
    return {row["action"] for row in rows}


async def test_a_passkey_is_added_and_signs_in(world: World) -> None:
    user, passkey = await with_passkey(world)
    client = browser_of(world)
    page = (await client.get(f"/login?tenant={world.tenant.slug}")).text
    assert 'autocomplete="username webauthn"' in page
    assert "Sign in with a passkey" in page
    options = await request_options(client, world.tenant.slug)
    assert (options["rpId"], options["userVerification"]) == ("learn.example.com", "required")
    assert not options.get("allowCredentials")  # nobody learns who has passkeys
    answer = await enter(client, world.tenant.slug, passkey.sign(options), next="/learn/certificates")
    assert answer.headers["location"] == "/learn/certificates"
    assert "Phone" in (await client.get(SECURITY)).text
    assert {"user.passkey_added", "session.started"} <= await actions_of(world, user)
    async with world.tx() as tx:
        kinds = await tx.rows("SELECT kind FROM mail_messages WHERE tenant_id = :tenant")
    assert {"passkey_added", "new_sign_in"} <= {row["kind"] for row in kinds}


async def test_the_options_ask_for_a_discoverable_verified_passkey(world: World) -> None:
    user, _ = await with_passkey(world)
    client = await signed_in(world, user["email"])
    options = await creation_options(client)
    assert options["rp"] == {"id": "learn.example.com", "name": "Test"}
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["attestation"] == "none"
    assert len(options["excludeCredentials"]) == 1
    assert user["id"] not in str(options)


async def test_a_passkey_is_renamed_and_removed(world: World) -> None:
    user, passkey = await with_passkey(world)
    client = await signed_in(world, user["email"])
    (path,) = re.findall(rf'href="({PASSKEYS}/[0-9a-f-]+)"', (await client.get(SECURITY)).text)
    assert (await send(client, path, path, name=" ")).status_code == 422
    await send(client, path, path, name="Work phone")
    assert "Work phone" in (await client.get(SECURITY)).text
    stranger = await signed_in(world, (await world.user())["email"])
    assert (await stranger.get(path)).status_code == 404
    assert (await send(stranger, SECURITY, f"{path}/remove")).status_code == 404
    await send(client, path, f"{path}/remove")
    assert (await client.get(path)).status_code == 404
    assert is_refused(await sign_in(world, passkey))
    assert {"user.passkey_renamed", "user.passkey_removed"} <= await actions_of(world, user)


async def test_a_passkey_is_both_factors(world: World) -> None:
    user, passkey = await with_passkey(world)
    await world.promote(user["id"], "admin")
    async with world.tx() as tx:
        await tenants.update(tx, {"second_factor_required": True})
    client = await signed_in(world, user["email"])
    assert (await client.get("/admin")).headers["location"].startswith("/learn/security/authenticator")
    client = browser_of(world)
    assert (await sign_in(world, passkey, client)).headers["location"] == "/admin"
    assert (await client.get("/admin")).status_code == 200


async def test_adding_asks_for_the_password_after_a_while(world: World) -> None:
    user = await world.user()
    client = await signed_in(world, user["email"])
    credential = SoftPasskey(ORIGIN).register(await creation_options(client))
    world.clock.move(minutes=16)
    page = (await client.get(f"{PASSKEYS}/new")).text
    assert "You signed in a while ago." in page
    refused = await send(client, SECURITY, f"{PASSKEYS}/options")
    assert refused.status_code == 403
    # The challenge from before has expired too.
    late = await send(client, SECURITY, PASSKEYS, name="Late", credential=credential)
    assert "took too long" in late.text
    wrong = await send(client, f"{PASSKEYS}/new", f"{PASSKEYS}/confirm", password="not this one")
    assert wrong.status_code == 422
    await send(client, f"{PASSKEYS}/new", f"{PASSKEYS}/confirm", password=PASSWORD)
    assert (await add(client, SoftPasskey(ORIGIN))).status_code == 303


async def test_a_challenge_is_good_for_one_answer(world: World) -> None:
    _, passkey = await with_passkey(world)
    client = browser_of(world)
    credential = passkey.sign(await request_options(client, world.tenant.slug))
    assert (await enter(client, world.tenant.slug, credential)).status_code == 303
    assert is_refused(await enter(client, world.tenant.slug, credential))


async def test_a_challenge_is_good_for_its_browser_and_for_ten_minutes(world: World) -> None:
    _, passkey = await with_passkey(world)
    client, thief = browser_of(world), browser_of(world)
    options = await request_options(client, world.tenant.slug)
    await request_options(thief, world.tenant.slug)
    assert is_refused(await enter(thief, world.tenant.slug, passkey.sign(options)))
    options = await request_options(client, world.tenant.slug)
    world.clock.move(minutes=11)
    assert is_refused(await enter(client, world.tenant.slug, passkey.sign(options)))
    async with world.tx() as tx:
        await prune_challenges(tx)
        assert await tx.value("SELECT count(*) FROM passkey_challenges WHERE tenant_id = :tenant") == 0


async def test_a_failed_answer_uses_its_challenge_up(world: World) -> None:
    _, passkey = await with_passkey(world)
    client = browser_of(world)
    options = await request_options(client, world.tenant.slug)
    other = SoftPasskey(ORIGIN)
    assert is_refused(await enter(client, world.tenant.slug, other.sign(options)))
    assert is_refused(await enter(client, world.tenant.slug, passkey.sign(options)))


@pytest.mark.parametrize(
    "origin", ["https://learn.example.com.evil.com", "https://evil.com", "http://learn.example.com"]
)
async def test_another_origin_is_refused(world: World, origin: str) -> None:
    _, passkey = await with_passkey(world)
    passkey.origin = origin
    assert is_refused(await sign_in(world, passkey))


async def test_the_tenants_own_host_is_an_origin_and_other_tenants_are_not(
    world: World, stranger: World
) -> None:
    _, passkey = await with_passkey(world)
    passkey.origin = f"https://{stranger.tenant.slug}.learn.example.com"
    assert is_refused(await sign_in(world, passkey))
    passkey.origin = f"https://{world.tenant.slug}.learn.example.com"
    assert (await sign_in(world, passkey)).status_code == 303


async def test_another_relying_party_is_refused(world: World) -> None:
    _, passkey = await with_passkey(world)
    passkey.rp_id = "example.com"
    assert is_refused(await sign_in(world, passkey))


async def test_an_unverified_person_is_refused(world: World) -> None:
    _, passkey = await with_passkey(world)
    passkey.unverified()
    assert is_refused(await sign_in(world, passkey))
    user = await world.user()
    new = SoftPasskey(ORIGIN)
    new.unverified()
    refused = await add(await signed_in(world, user["email"]), new)
    assert "could not be verified" in refused.text


async def test_a_long_credential_is_refused(world: World) -> None:
    client = await signed_in(world, (await world.user())["email"])
    passkey = SoftPasskey(ORIGIN)
    passkey.credential_id = bytes(1024)
    assert "could not be verified" in (await add(client, passkey)).text
    passkey.credential_id = bytes(1023)
    assert (await add(client, passkey)).status_code == 303
    padded = SoftPasskey(ORIGIN)
    padded.key_members = {-70_000: bytes(4000)}
    assert "could not be verified" in (await add(client, padded)).text


async def test_an_embedded_page_is_refused(world: World) -> None:
    _, passkey = await with_passkey(world)
    client = browser_of(world)
    options = await request_options(client, world.tenant.slug)
    credential = passkey.sign(options, crossOrigin=True)
    assert is_refused(await enter(client, world.tenant.slug, credential))


async def test_a_counter_that_goes_back_is_refused_and_recorded(world: World) -> None:
    user, passkey = await with_passkey(world)
    for _ in range(3):
        assert (await sign_in(world, passkey)).status_code == 303
    passkey.count = 1
    assert is_refused(await sign_in(world, passkey))
    assert "user.passkey_refused" in await actions_of(world, user)
    passkey.count = 3
    assert (await sign_in(world, passkey)).status_code == 303


async def test_a_synced_passkey_has_no_counter_and_stays_one(world: World) -> None:
    user, passkey = await with_passkey(world, synced=True)
    for _ in range(2):
        assert (await sign_in(world, passkey)).status_code == 303
    assert "On several devices" in (await (await signed_in(world, user["email"])).get(SECURITY)).text
    passkey.flags &= ~0x18
    assert is_refused(await sign_in(world, passkey))


async def test_nobody_signs_in_as_another_person(world: World, stranger: World) -> None:
    _, passkey = await with_passkey(world)
    _, other = await with_passkey(world)
    # One's own key under the number of another passkey.
    passkey.credential_id, own = other.credential_id, passkey.credential_id
    assert is_refused(await sign_in(world, passkey))
    passkey.credential_id = own
    # One's own passkey that names another person.
    passkey.handle = other.handle
    assert is_refused(await sign_in(world, passkey))
    # A passkey of another company.
    _, foreign = await with_passkey(stranger)
    assert is_refused(await sign_in(world, foreign))


async def test_nobody_registers_for_another_session(world: World) -> None:
    victim = await signed_in(world, (await world.user())["email"])
    attacker = await signed_in(world, (await world.user())["email"])
    credential = SoftPasskey(ORIGIN).register(await creation_options(attacker))
    refused = await send(victim, SECURITY, PASSKEYS, name="Planted", credential=credential)
    assert refused.status_code == 422
    # A challenge for signing in registers nothing.
    options = await creation_options(victim)
    options["challenge"] = (await request_options(victim, world.tenant.slug))["challenge"]
    credential = SoftPasskey(ORIGIN).register(options)
    refused = await send(victim, SECURITY, PASSKEYS, name="Planted", credential=credential)
    assert refused.status_code == 422


async def test_a_passkey_belongs_to_one_person(world: World) -> None:
    _, passkey = await with_passkey(world)
    other = await signed_in(world, (await world.user())["email"])
    assert (await add(other, passkey)).status_code == 422
    assert "registered already" in (await add(other, passkey)).text


async def test_a_person_has_at_most_twenty(world: World) -> None:
    client = await signed_in(world, (await world.user())["email"])
    credential = SoftPasskey(ORIGIN).register(await creation_options(client))
    for _ in range(20):
        assert (await add(client, SoftPasskey(ORIGIN))).status_code == 303
    refused = await send(client, SECURITY, PASSKEYS, name="One more", credential=credential)
    assert "You have 20 passkeys already." in refused.text


async def test_a_suspended_person_is_refused(world: World) -> None:
    user, passkey = await with_passkey(world)
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    assert is_refused(await sign_in(world, passkey))


async def test_a_company_that_requires_its_provider_is_respected(world: World) -> None:
    _, passkey = await with_passkey(world)
    async with world.tx() as tx:
        await tenants.update(tx, {"sso_required": True})
    assert is_refused(await sign_in(world, passkey))


async def test_a_company_that_forbids_passkeys_is_respected(world: World) -> None:
    user, passkey = await with_passkey(world)
    client = browser_of(world)
    options = await request_options(client, world.tenant.slug)
    async with world.tx() as tx:
        await tenants.update(tx, {"passkeys_allowed": False})
    assert is_refused(await enter(client, world.tenant.slug, passkey.sign(options)))
    assert "passkey" not in (await client.get(f"/login?tenant={world.tenant.slug}")).text
    own = await signed_in(world, user["email"])
    assert "no longer allows passkeys" in (await own.get(SECURITY)).text
    assert (await own.get(f"{PASSKEYS}/new")).headers["location"] == SECURITY
    assert (await send(own, SECURITY, f"{PASSKEYS}/options")).status_code == 422


async def test_there_are_none_at_an_ip_address(world: World, settings: Settings, database: Database) -> None:
    world.app = trilha_app.create_app(settings, database, world.clock)
    client = browser_of(world)
    assert "passkey" not in (await client.get(f"/login?tenant={world.tenant.slug}")).text
    answer = await client.post("/login/passkey/options", data={"tenant_slug": world.tenant.slug})
    assert answer.status_code == 422


async def test_an_unknown_company_answers_alike(world: World) -> None:
    client = browser_of(world)
    known, unknown = [
        await request_options(client, slug) for slug in (world.tenant.slug, "there-is-no-such-company")
    ]
    assert known.keys() == unknown.keys()
    assert is_refused(await enter(client, "there-is-no-such-company", SoftPasskey(ORIGIN).sign(unknown)))


@pytest.mark.parametrize(
    "credential",
    [
        *(
            "{}",
            "[]",
            "null",
            "no json",
            '{"response": {}}',
            '{"response": {"clientDataJSON": 7}}',
            "[" * 9000,
        ),
        '{"rawId": "AA", "response": {"clientDataJSON": "e30"}}',
    ],
)
async def test_nonsense_is_refused(world: World, credential: str) -> None:
    client = browser_of(world)
    await request_options(client, world.tenant.slug)
    assert is_refused(await enter(client, world.tenant.slug, credential))
    own = await signed_in(world, (await world.user())["email"])
    refused = await send(own, SECURITY, PASSKEYS, name="Phone", credential=credential)
    assert refused.status_code == 422


async def test_a_nested_attestation_is_refused(world: World) -> None:
    client = await signed_in(world, (await world.user())["email"])
    passkey = SoftPasskey(ORIGIN)
    client_data = passkey._client("webauthn.create", (await creation_options(client))["challenge"])
    credential = passkey._answer(clientDataJSON=client_data, attestationObject=b"\x81" * 9000)
    refused = await send(client, SECURITY, PASSKEYS, name="Phone", credential=credential)
    assert refused.status_code == 422


async def test_an_administrator_removes_the_passkeys_of_who_lost_them(world: World) -> None:
    user, passkey = await with_passkey(world)
    admin = await world.user()
    await world.promote(admin["id"], "admin")
    client = await signed_in(world, admin["email"])
    person = f"/admin/people/{user['id']}"
    assert "Remove passkeys" in (await client.get(person)).text
    await send(client, f"{person}/remove-passkeys", f"{person}/remove-passkeys")
    assert is_refused(await sign_in(world, passkey))


async def test_erasure_and_export(world: World) -> None:
    user, _ = await with_passkey(world)
    client = await signed_in(world, user["email"])
    exported = (await client.get("/api/users/me/data-export")).json()
    (passkey,) = exported["passkeys"]
    assert passkey["name"] == "Phone"
    assert passkey.keys() == {"name", "created_at", "last_used_at"}
    personal_data = trilha_app.PERSONAL_DATA
    async with world.tx() as tx:
        await personal_data.erase(tx, UUID(user["id"]))
        for table in ("passkeys", "passkey_challenges"):
            sql = f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant AND user_id = :id"
            assert await tx.value(sql, id=user["id"]) == 0


async def test_other_sites_start_nothing(world: World) -> None:
    client = browser_of(world)
    client.headers["sec-fetch-site"] = "cross-site"
    answer = await client.post("/login/passkey/options", data={"tenant_slug": world.tenant.slug})
    assert answer.status_code == 403


async def test_a_form_needs_its_token(world: World) -> None:
    client = await signed_in(world, (await world.user())["email"])
    assert token_in((await client.get(SECURITY)).text)
    answer = await client.post(f"{PASSKEYS}/options", data={"name": "Phone"})
    assert answer.status_code == 403
