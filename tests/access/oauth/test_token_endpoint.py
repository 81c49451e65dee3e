"""POST /oauth/token, case by case of the RFCs. A number in a test's name is the section of the RFC."""

import asyncio
import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from access.oauth.clients import GRANT, Client, basic, new_client, packed, refused
from conftest import World
from trilha import app as trilha_app
from trilha.access.oauth import actions
from trilha.core import logs
from trilha.core.web.rate_limits import Limit
from trilha.platform.tenants.operator import operator
from trilha.settings import Settings

Heard = Callable[[], str]


@pytest.fixture
def heard(capfd: pytest.CaptureFixture[str]) -> Iterator[Heard]:
    """Returns the log lines of the request."""
    logs.configure("json")
    yield lambda: capfd.readouterr().err
    with capfd.disabled():
        logs.configure("json")


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


async def test_rfc6749_4_4_3_basic_gets_a_token(client: Client) -> None:
    answer = await client.ask()
    assert answer.status_code == 200
    body = answer.json()
    assert body.pop("access_token").count(".") == 2
    assert body == {"token_type": "Bearer", "expires_in": 3600, "scope": "users:read courses:read"}


async def test_rfc6749_2_3_1_credentials_in_the_body_get_a_token(client: Client) -> None:
    answer = await client.post("token", GRANT | client.body, headers={})
    assert answer.status_code == 200


async def test_rfc6749_5_1_is_json_that_nobody_keeps(client: Client) -> None:
    for answer in (await client.ask(), await client.ask(grant_type="password")):
        assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
        assert answer.headers["content-type"] == "application/json;charset=UTF-8"
        assert answer.headers["x-request-id"].startswith("req_")


async def test_rfc6749_4_4_3_gives_no_refresh_token(client: Client) -> None:
    assert "refresh_token" not in (await client.ask()).json()


async def test_rfc6749_appendix_b_credentials_are_form_encoded_first(client: Client) -> None:
    def every(text: str) -> str:
        return "".join(f"%{ord(c):02X}" for c in text)

    raw = f"{every(client.name)}:{every(client.secret)}"
    header = {"authorization": "Basic " + base64.b64encode(raw.encode()).decode()}
    assert (await client.post("token", GRANT, headers=header)).status_code == 200
    for odd in ("a:b", "100%", "a+b", "a b", "é"):
        refused(await client.post("token", GRANT, headers=basic(client.name, odd)), 401, "invalid_client")
        refused(await client.post("token", GRANT, headers=basic(odd, client.secret)), 401, "invalid_client")


async def test_rfc6749_5_2_a_wrong_secret_by_basic(client: Client) -> None:
    answer = await client.post("token", GRANT, headers=basic(client.name, "wrong"))
    refused(answer, 401, "invalid_client")
    assert answer.headers["www-authenticate"].startswith('Basic realm="')


async def test_rfc6749_5_2_a_wrong_secret_in_the_body(client: Client) -> None:
    form = GRANT | client.body | {"client_secret": "wrong"}
    refused(await client.post("token", form, headers={}), 401, "invalid_client")


async def test_rfc6749_10_10_an_unknown_client_hears_what_a_wrong_secret_hears(
    world: World, client: Client
) -> None:
    other = await new_client(world)
    wrong = await client.post("token", GRANT, headers=basic(client.name, "wrong"))
    for name, secret in (
        ("trl_client_" + "0" * 32, client.secret),
        ("nobody", client.secret),
        (client.name, other.secret),
        (other.name, client.secret),
        (client.name.upper(), client.secret),
    ):
        answer = await client.post("token", GRANT, headers=basic(name, secret))
        assert (answer.status_code, answer.content) == (wrong.status_code, wrong.content)


ODD = [b"no-colon", b":", b"a:", b":b", b"\xff:\xff", b"a\x00:b\x00"]


@pytest.mark.parametrize(
    "credentials",
    ["Basic", "Basic ", "Basic !!!", "Bearer x", "Basic /w=="]
    + ["Basic " + base64.b64encode(raw).decode() for raw in ODD],
)
async def test_rfc7617_2_malformed_credentials(client: Client, credentials: str) -> None:
    refused(await client.post("token", GRANT, headers={"authorization": credentials}), 401, "invalid_client")


async def test_rfc6749_2_3_two_ways_at_once(client: Client) -> None:
    refused(await client.post("token", GRANT | client.body), 400, "invalid_request")
    two = [("authorization", client.basic["authorization"])] * 2
    refused(await client.post("token", GRANT, headers=two), 400, "invalid_request")


async def test_rfc6749_3_2_1_another_client_id_in_the_body(world: World, client: Client) -> None:
    other = await new_client(world)
    refused(await client.ask(client_id=other.name), 400, "invalid_request")
    assert (await client.ask(client_id=client.name)).status_code == 200


async def test_rfc6749_2_3_1_credentials_in_the_address(client: Client, heard: Heard) -> None:
    answer = await client.post("token", GRANT, params=client.body, headers={})
    refused(answer, 400, "invalid_request")
    refused(await client.post("token", None, params=GRANT), 400, "invalid_request")
    said = heard()
    assert "POST /oauth/token" in said
    assert client.secret not in said


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
async def test_rfc6749_3_2_another_method(client: Client, method: str) -> None:
    answer = await client.http.request(method, "/oauth/token", headers=client.basic)
    assert (answer.status_code, answer.json()["error"]) == (405, "invalid_request")
    assert "POST" in answer.headers["allow"]


async def test_rfc6749_4_4_2_a_json_body(client: Client) -> None:
    refused(await client.post("token", json=GRANT), 400, "invalid_request")
    refused(await client.post("token", content=b"grant_type=client_credentials"), 400, "invalid_request")


@pytest.mark.parametrize("name", ["grant_type", "scope", "client_id", "anything"])
async def test_rfc6749_3_2_a_parameter_twice(client: Client, name: str) -> None:
    body = f"grant_type=client_credentials&{name}=users:read&{name}=users:read"
    headers = client.basic | {"content-type": "application/x-www-form-urlencoded"}
    refused(await client.post("token", content=body, headers=headers), 400, "invalid_request")


@pytest.mark.parametrize("body", ["grant_type=%FF", "&".join(f"a{n}=1" for n in range(60)), "\x00=%zz&=&&"])
async def test_rfc6749_3_2_what_is_no_form(client: Client, body: str) -> None:
    headers = client.basic | {"content-type": "application/x-www-form-urlencoded"}
    refused(await client.post("token", content=body, headers=headers), 400, "invalid_request")


async def test_rfc6749_3_2_a_body_that_is_too_large(client: Client) -> None:
    refused(await client.ask(padding="x" * 70_000), 413, "invalid_request")


async def test_rfc6749_3_2_an_unknown_parameter_is_passed_over(client: Client) -> None:
    assert (await client.ask(audience="https://elsewhere.example", x="1")).status_code == 200


async def test_rfc6749_3_2_an_empty_scope_is_none(client: Client) -> None:
    assert (await client.ask(scope="")).json()["scope"] == "users:read courses:read"


@pytest.mark.parametrize("form", [{}, {"grant_type": ""}, {"scope": "users:read"}])
async def test_rfc6749_5_2_no_grant_type(client: Client, form: dict[str, str]) -> None:
    refused(await client.post("token", form), 400, "invalid_request")


@pytest.mark.parametrize("grant", ["foo", "authorization_code", "refresh_token", "Client_Credentials"])
async def test_rfc6749_5_2_another_grant_type(client: Client, grant: str) -> None:
    refused(await client.ask(grant_type=grant), 400, "unsupported_grant_type")


async def test_rfc9700_2_4_no_passwords(client: Client) -> None:
    answer = await client.ask(grant_type="password", username="a", password="b")
    refused(answer, 400, "unsupported_grant_type")


async def test_rfc6749_5_2_a_client_that_may_not_from_there(world: World) -> None:
    """Each client has the only grant type. It may lack the right to call from this address."""
    client = await new_client(world, networks="10.1.0.0/16")
    refused(await client.ask(), 400, "unauthorized_client")
    client.http = world.client(address="10.1.2.3")
    token = await client.token()
    assert (await client.call(token)).status_code == 200
    client.http = world.client(address="10.2.2.3")
    assert (await client.call(token)).json()["error"]["code"] == "ip_not_allowed"


async def test_rfc6749_3_3_some_scopes_in_another_order(world: World) -> None:
    client = await new_client(world, "users:read", "users:write", "courses:read")
    answer = await client.ask(scope="courses:read users:read")
    assert (answer.status_code, answer.json()["scope"]) == (200, "users:read courses:read")


async def test_rfc6749_3_3_no_scope_is_all_of_the_clients(client: Client) -> None:
    assert (await client.ask()).json()["scope"] == "users:read courses:read"


@pytest.mark.parametrize(
    "scope",
    ["webhooks:write", "nothing", "USERS:READ", 'users:read "', "users:read\\", "users:read  x", " ", "é"],
)
async def test_rfc6749_3_3_a_scope_it_does_not_have(client: Client, scope: str) -> None:
    refused(await client.ask(scope=scope), 400, "invalid_scope")
    refused(await client.ask(scope=f"users:read {scope}"), 400, "invalid_scope")


async def test_rfc6749_5_2_a_disabled_client_and_a_suspended_tenant(world: World, client: Client) -> None:
    async with world.tx() as tx:
        await actions.disable(tx, client.id)
    refused(await client.ask(), 401, "invalid_client")
    async with world.tx() as tx:
        await actions.enable(tx, client.id)
    assert (await client.ask()).status_code == 200
    async with operator(world.url, world.clock) as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    refused(await client.ask(), 401, "invalid_client")


async def test_rfc6749_5_2_nothing_of_the_input_comes_back(client: Client) -> None:
    odd = 'x"<script>\\é'
    for answer in (
        await client.ask(grant_type=odd),
        await client.ask(scope=odd),
        await client.post("token", GRANT, headers=basic(odd, odd)),
        await client.post("introspect", {odd: odd}),
    ):
        refused(answer, answer.status_code, answer.json()["error"])
        assert "<" not in answer.text


async def test_rfc6749_2_3_1_the_eleventh_try_in_a_minute(world: World) -> None:
    app = trilha_app.create_app(Settings(limit_token=Limit(10, 60)), world.database, world.clock)
    client, other = await new_client(world), await new_client(world)
    world.clock.now = world.clock.now.replace(second=30)

    def at(who: Client, address: str) -> Client:
        who.http = world.client(app=app, address=address)
        return who

    at(client, "10.9.8.7")
    for _ in range(5):
        assert (await client.ask()).status_code == 200
        refused(await client.post("token", GRANT, headers=basic(client.name, "wrong")), 401, "invalid_client")
    answer = await client.ask()
    refused(answer, 429, "temporarily_unavailable")
    assert (answer.headers["retry-after"], answer.headers["x-ratelimit-limit"]) == ("30", "10")
    assert answer.headers["x-ratelimit-remaining"] == "0"
    # The address and the client are counted separately. Six of the client's ten attempts were its own.
    for _ in range(4):
        assert (await at(client, "10.9.8.6").ask()).status_code == 200
    refused(await at(client, "10.9.8.6").ask(), 429, "temporarily_unavailable")
    refused(await at(other, "10.9.8.7").ask(), 429, "temporarily_unavailable")
    assert (await at(other, "10.9.8.5").ask()).status_code == 200
    world.clock.move(seconds=30)
    assert (await at(client, "10.9.8.7").ask()).status_code == 200


async def test_a_stranger_uses_up_no_clients_tries(world: World) -> None:
    """A caller who knows a client_id but not its secret uses up only the limit of their own address."""
    app = trilha_app.create_app(Settings(limit_token=Limit(10, 60)), world.database, world.clock)
    client, other = await new_client(world), await new_client(world)
    world.clock.now = world.clock.now.replace(second=30)
    for address in ("10.9.7.1", "10.9.7.2"):
        client.http = world.client(app=app, address=address)
        for _ in range(5):
            wrong = await client.post("token", GRANT, headers=basic(client.name, "wrong"))
            refused(wrong, 401, "invalid_client")
            # The valid secret of another client does not help either.
            stolen = await client.post("token", GRANT, headers=basic(client.name, other.secret))
            refused(stolen, 401, "invalid_client")
    client.http = world.client(app=app, address="10.9.7.3")
    assert [(await client.ask()).status_code for _ in range(11)] == [200] * 10 + [429]


async def test_two_secrets_live_while_one_is_replaced(world: World, client: Client) -> None:
    old = client.secret
    async with world.tx() as tx:
        new = await actions.rotate(tx, client.id)
    for secret in (old, new.secret):
        client.secret = str(secret)
        assert (await client.ask()).status_code == 200
    world.clock.move(hours=24)
    assert (await client.ask()).status_code == 200
    client.secret = old
    refused(await client.ask(), 401, "invalid_client")


async def test_rfc6749_10_10_many_at_once(client: Client) -> None:
    answers = await asyncio.gather(*(client.ask() for _ in range(200)))
    assert {answer.status_code for answer in answers} == {200}
    tokens = {answer.json()["access_token"] for answer in answers}
    assert len({packed(token.split(".")[1].encode()) for token in tokens}) == 200


async def test_rfc9700_4_3_secrets_are_in_no_log_and_no_row(
    world: World, client: Client, heard: Heard
) -> None:
    token = await client.token()
    await client.call(token)
    await client.introspect(token)
    await client.post("revoke", {"token": token})
    await client.post("token", GRANT | {"client_secret": client.secret, "scope": "x"}, headers={})
    said = heard()
    assert "POST /oauth/introspect" in said
    rows: list[Any] = []
    async with world.tx() as tx:
        for table in ("oauth_clients", "oauth_client_secrets", "oauth_tokens", "audit_records", "events"):
            rows += await tx.rows(f"SELECT t::text FROM {table} AS t WHERE tenant_id = :tenant")
    for text in (said, str(rows)):
        assert client.secret not in text
        assert token.split(".")[2] not in text


@pytest.mark.parametrize(
    ("endpoint", "address"), [("introspect", "203.0.113.20"), ("revoke", "203.0.113.16")]
)
async def test_a_wrong_secret_counts_as_at_the_token_endpoint(
    world: World, endpoint: str, address: str
) -> None:
    app = trilha_app.create_app(Settings(limit_token=Limit(5, 60)), world.database, world.clock)
    http = world.client(app=app, address=address)
    form = {"client_id": "trl_client_x", "client_secret": "wrong", "token": "x"}
    answers = [await http.post(f"/oauth/{endpoint}", data=form) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    token = await http.post("/oauth/token", data=form | {"grant_type": "client_credentials"})
    assert token.status_code == 429
