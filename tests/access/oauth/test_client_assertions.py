"""Clients that authenticate with private_key_jwt. A number in a test's name is the section of the RFC."""

import base64
import json
from collections.abc import Callable
from time import process_time
from typing import Any
from uuid import uuid4

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

from access.oauth import hostile_keys
from access.oauth.clients import GRANT, ISSUER, Client, new_client, refused
from conftest import World
from posting import run_job
from trilha.access.oauth import actions, assertions, jobs
from trilha.core.credentials import CredentialRefused


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


KINDS: dict[str, Callable[[], Any]] = {
    "ES256": lambda: ECKey.generate_key("P-256", private=True),
    "ES384": lambda: ECKey.generate_key("P-384", private=True),
    "RS256": lambda: RSAKey.generate_key(2048, private=True),
    "PS256": lambda: RSAKey.generate_key(2048, private=True),
    "Ed25519": lambda: OKPKey.generate_key("Ed25519", private=True),
}


class Signing:
    """A client that signs its assertions."""

    def __init__(self, client: Client, key: Any, alg: str) -> None:
        self.client = client
        self.key = key
        self.alg = alg

    def assertion(self, key: Any = None, header: Any = None, **claims: Any) -> str:
        now = int(self.client.world.clock.now.timestamp())
        name = self.client.name
        said = {"iss": name, "sub": name, "aud": ISSUER, "exp": now + 60, "iat": now, "jti": uuid4().hex}
        kept = {name: value for name, value in (said | claims).items() if value is not None}
        return jwt.encode({"alg": self.alg} | (header or {}), kept, key or self.key, algorithms=list(KINDS))

    async def ask(self, assertion: str, **form: str) -> Any:
        proof = {"client_assertion_type": assertions.TYPE, "client_assertion": assertion}
        return await self.client.post("token", GRANT | proof | form, headers={})


async def signing(world: World, alg: str = "ES256") -> Signing:
    key = KINDS[alg]()
    return Signing(await new_client(world, public_keys={"keys": [key.as_dict(private=False)]}), key, alg)


@pytest.mark.parametrize("alg", list(KINDS))
async def test_rfc7523_3_an_assertion_gets_a_token_once(world: World, alg: str) -> None:
    each = await signing(world, alg)
    assertion = each.assertion()
    answer = await each.ask(assertion)
    assert answer.status_code == 200, answer.text
    assert (await each.client.call(answer.json()["access_token"])).status_code == 200
    refused(await each.ask(assertion), 401, "invalid_client")
    assert (await each.ask(each.assertion(), client_id=each.client.name)).status_code == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": f"{ISSUER}/oauth/token"},
        {"aud": [ISSUER, "https://elsewhere.example"]},
        {"aud": None},
        {"iss": "x"},
        {"sub": "x"},
        {"iss": None},
        {"exp": None},
        {"exp": 1},
        {"exp": 99_999_999_999_999},
        {"exp": "soon"},
        {"nbf": 9_999_999_999},
        {"jti": None},
        {"jti": ""},
        {"jti": "x" * 256},
        {"jti": 7},
    ],
)
async def test_rfc7523_3_rfc9700_2_5_other_claims(world: World, claims: dict[str, Any]) -> None:
    each = await signing(world)
    refused(await each.ask(each.assertion(**claims)), 401, "invalid_client")
    assert (await each.ask(each.assertion())).status_code == 200


@pytest.mark.parametrize("aud", [f"{ISSUER}/oauth/token", [ISSUER, "https://elsewhere.example"], None])
async def test_who_signed_for_another_server_is_told(world: World, aud: Any) -> None:
    """Only that client is told: not one with a wrong signature, nor one with an expired assertion."""
    each, foreign = await signing(world), KINDS["ES256"]()
    told = (await each.ask(each.assertion(aud=aud))).json()["error_description"]
    assert told == f"The assertion's aud must be exactly {ISSUER}."
    for assertion in (each.assertion(foreign, aud=aud), each.assertion(aud=aud, exp=1)):
        assert "aud" not in (await each.ask(assertion)).json()["error_description"]


async def test_rfc7523_3_other_signatures(world: World) -> None:
    each, other = await signing(world), await signing(world)
    foreign = KINDS["ES256"]()
    header, claims, signature = each.assertion().split(".")
    for assertion in (
        each.assertion(foreign),
        each.assertion(foreign, {"jwk": foreign.as_dict(private=False)}),
        each.assertion(other.key),
        f"{header}.{claims}.",
        f"{header}.{claims}.{signature[:-3]}",
        "x",
        "a.b.c",
        each.assertion() + "x" * 10_000,
    ):
        refused(await each.ask(assertion), 401, "invalid_client")
    refused(await each.ask(each.assertion(), client_id=other.client.name), 401, "invalid_client")
    refused(await each.ask(each.assertion(), client_assertion_type="x"), 400, "invalid_request")


async def test_a_client_with_a_secret_does_not_sign(world: World, client: Client) -> None:
    each = Signing(client, KINDS["ES256"](), "ES256")
    refused(await each.ask(each.assertion()), 401, "invalid_client")
    both = GRANT | {"client_assertion_type": assertions.TYPE, "client_assertion": each.assertion()}
    refused(await client.post("token", both), 400, "invalid_request")


async def test_a_disabled_client_that_signs(world: World) -> None:
    each = await signing(world)
    async with world.tx() as tx:
        await actions.disable(tx, each.client.id)
    refused(await each.ask(each.assertion()), 401, "invalid_client")


@pytest.mark.parametrize(
    "public_keys",
    [
        {},
        {"keys": []},
        {"keys": [{"kty": "oct", "k": "YSBzZWNyZXQgb2YgbWFueSBiaXRz"}]},
        {"keys": [{"kty": "EC"}]},
        {"keys": "x"},
        {"keys": [KINDS["ES256"]().as_dict(private=True)]},
        json.loads("[]"),
        {"keys": [hostile_keys.ONLY_D]},
        {"keys": [hostile_keys.ONLY_D] * 8},
        {"keys": [hostile_keys.LARGE_EXPONENT]},
        {"keys": [hostile_keys.LARGE_MODULUS]},
        {"keys": [KINDS["ES256"]().as_dict(private=False) for _ in range(9)]},
    ],
)
async def test_what_is_no_set_of_public_keys(world: World, public_keys: Any) -> None:
    async with world.tx() as tx:
        with pytest.raises(CredentialRefused):
            await actions.create(tx, "Test", ["users:read"], public_keys=public_keys)


@pytest.mark.parametrize("key", [hostile_keys.ONLY_D, hostile_keys.LARGE_EXPONENT], ids=["d", "e"])
async def test_costly_keys_are_refused_before_they_are_computed_with(world: World, key: Any) -> None:
    """Measures the processor time of a hundred keys. Importing one without its factors takes a second."""
    began = process_time()
    async with world.tx() as tx:
        for _ in range(100):
            with pytest.raises(CredentialRefused):
                await actions.create(tx, "Test", ["users:read"], public_keys={"keys": [key] * 8})
    assert process_time() - began < 5


@pytest.mark.parametrize("hours", [6, 24 * 400])
async def test_a_clock_that_was_ahead_makes_no_used_assertion_good(world: World, hours: int) -> None:
    each = await signing(world)
    assertion = each.assertion()
    assert (await each.ask(assertion)).status_code == 200
    world.clock.move(hours=hours)
    await run_job(jobs.PRUNE_TOKENS, world)
    world.clock.move(hours=-hours)
    refused(await each.ask(assertion), 401, "invalid_client")


async def test_used_assertions_are_forgotten_a_day_before_the_newest(world: World) -> None:
    each = await signing(world)
    for _ in range(3):
        assert (await each.ask(each.assertion())).status_code == 200
        world.clock.move(days=2)
    await run_job(jobs.PRUNE_TOKENS, world)
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM oauth_assertions WHERE tenant_id = :tenant") == 1
    # the newest answer is cached, so nobody looks for the key again
    assert await run_job(jobs.PRUNE_TOKENS, world) == 0


@pytest.mark.parametrize("path", ["token", "revoke", "introspect"])
async def test_an_assertion_of_brackets_is_refused_and_counted(world: World, path: str) -> None:
    """Nested deeper than any parser reads, in the payload, in the header, and in an introspected token."""
    each = await signing(world)
    header, claims, signature = each.assertion().split(".")
    deep = base64.urlsafe_b64encode(b"[" * 2_000 + b"]" * 2_000).decode().rstrip("=")
    remaining = []
    for assertion in (f"{header}.{deep}.{signature}", f"{deep}.{claims}.{signature}"):
        proof = {"client_assertion_type": assertions.TYPE, "client_assertion": assertion}
        answer = await each.client.post(path, GRANT | {"token": assertion} | proof, headers={})
        refused(answer, 401, "invalid_client")
        remaining.append(int(answer.headers["x-ratelimit-remaining"]))
    assert remaining[1] < remaining[0]


async def test_a_token_of_brackets_is_no_token(world: World, client: Client) -> None:
    deep = base64.urlsafe_b64encode(b"[" * 1_200 + b"]" * 1_200).decode().rstrip("=")
    token = f"{deep}.{deep}.{deep}"[:4096]
    assert await client.introspect(f"{deep}.e30.e30") == {"active": False}
    assert (await world.client(token).get("/v1/users")).status_code == 401


@pytest.mark.parametrize("sent", [b"Basic \xe9", b"Basic \xff\xfe", "Basic é".encode(), b"Basic Y\xa0Q="])
async def test_what_is_not_ascii_after_basic_is_refused_and_counted(client: Client, sent: bytes) -> None:
    answer = await client.http.post("/oauth/token", data=GRANT, headers=[(b"authorization", sent)])
    refused(answer, 401, "invalid_client")
    assert "x-ratelimit-remaining" in answer.headers
