"""Access tokens on /v1: their content, and which are refused. A number in a test's name is the section of the
RFC.
"""

import asyncio
import base64
import hashlib
import hmac
import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

from access.oauth.clients import ISSUER, Client, new_client, packed, parts, signing_key
from conftest import World
from trilha.access.oauth import actions
from trilha.platform.tenants.operator import operator


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


@pytest.fixture
async def own_key(world: World) -> Any:
    return await signing_key(world)


async def told(client: Client, token: str) -> tuple[int, str]:
    """Returns status and code, and checks the challenge."""
    answer = await client.call(token)
    code = answer.json()["error"]["code"]
    if answer.status_code == 401:
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    return answer.status_code, code


INVALID = (401, "credential_invalid")


async def test_rfc9068_2_1_the_header(client: Client) -> None:
    header, _ = parts(await client.token())
    keys = (await client.http.get("/oauth/jwks")).json()["keys"]
    assert (header.pop("typ"), header.pop("alg")) == ("at+jwt", "ES256")
    assert header.pop("kid") in [key["kid"] for key in keys]
    assert header == {}


async def test_rfc9068_2_2_the_claims(world: World, client: Client) -> None:
    now = int(world.clock.now.timestamp())
    _, claims = parts(await client.token(scope="users:read"))
    assert str(UUID(claims.pop("jti")))
    assert claims == {
        "iss": ISSUER,
        "aud": ISSUER,
        "sub": client.name,
        "client_id": client.name,
        "iat": now,
        "exp": now + 3600,
        "scope": "users:read",
        "tenant": str(world.tenant.id),
    }


async def test_ids_begin_with_the_time(client: Client) -> None:
    """So that their rows are next to each other in the index."""
    ids = []
    for _ in range(5):
        ids.append(parts(await client.token())[1]["jti"])
        await asyncio.sleep(0.002)
    assert ids == sorted(ids)


@pytest.mark.parametrize("hundreds", [2, pytest.param(10, marks=pytest.mark.long)])
async def test_rfc6749_10_10_no_jti_is_there_twice(world: World, client: Client, hundreds: int) -> None:
    tokens = [
        token
        for _ in range(hundreds)
        for token in await asyncio.gather(*(client.token() for _ in range(100)))
    ]
    seen = {parts(token)[1]["jti"] for token in tokens}
    assert len(seen) == 100 * hundreds
    assert all(UUID(jti).version == 4 for jti in seen)
    assert re.fullmatch(r"trl_secret_[0-9A-Za-z]{43}", client.secret)


async def test_rfc6750_3_1_an_expired_token(world: World, client: Client) -> None:
    token = await client.token()
    world.clock.move(seconds=3599)
    assert (await client.call(token)).status_code == 200
    world.clock.move(seconds=1)
    assert await told(client, token) == (401, "credential_expired")


async def forged(client: Client, header: Any, key: Any, **claims: Any) -> str:
    """Builds a token of the server with the given changes, signed with this key."""
    token = await client.token()
    old_header, old_claims = parts(token)
    kept = {name: value for name, value in (old_claims | claims).items() if value is not None}
    return jwt.encode(old_header | header, kept, key, algorithms=["ES256", "HS256", "RS256"])


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example"},
        {"aud": "https://elsewhere.example"},
        {"aud": [ISSUER, "https://elsewhere.example"]},
        {"aud": None},
        {"iss": None},
        {"exp": None},
        {"jti": None},
        {"jti": "x"},
        {"jti": str(uuid4())},
        {"client_id": "x"},
        {"client_id": None},
        {"tenant": None},
        {"tenant": str(uuid4())},
        {"exp": "soon"},
    ],
)
async def test_rfc9068_4_other_claims(client: Client, own_key: Any, claims: dict[str, Any]) -> None:
    assert await told(client, await forged(client, {}, own_key, **claims)) == INVALID


async def test_rfc9700_2_3_the_tenant_is_the_tokens_own(stranger: World, client: Client) -> None:
    mine = await client.world.user()
    theirs = await new_client(stranger)
    token = await theirs.token()
    assert (await theirs.call(token)).json()["data"] == []
    assert (await theirs.call(token, f"/v1/users/{mine['id']}")).status_code == 404


@pytest.mark.parametrize("typ", ["JWT", "jwt", "AT+JWT", "application/at+jwt", "logout+jwt", None])
async def test_rfc8725_3_11_another_type(client: Client, own_key: Any, typ: str | None) -> None:
    assert await told(client, await forged(client, {"typ": typ} if typ else {"typ": ""}, own_key)) == INVALID


async def test_rfc9068_4_an_id_token(client: Client, own_key: Any) -> None:
    kid = parts(await client.token())[0]["kid"]
    claims = {"iss": ISSUER, "aud": client.name, "sub": "user", "iat": 1, "exp": 9_999_999_999, "nonce": "x"}
    for header in ({"alg": "ES256", "kid": kid}, {"alg": "ES256", "kid": kid, "typ": "JWT"}):
        assert await told(client, jwt.encode(header, claims, own_key, algorithms=["ES256"])) == INVALID


async def test_rfc8725_3_1_no_algorithm(client: Client) -> None:
    header, claims, signature = (await client.token()).split(".")
    for alg in ("none", "None", "NONE", "nOnE"):
        unsigned = packed(parts(f"{header}.{claims}.x")[0] | {"alg": alg})
        for end in ("", signature):
            assert await told(client, f"{unsigned}.{claims}.{end}") == INVALID


async def test_rfc8725_3_1_hmac_with_the_public_key(client: Client, own_key: Any) -> None:
    token = await client.token()
    header, claims = parts(token)
    for secret in (own_key.as_pem(private=False), own_key.as_pem(private=False).strip()):
        start = f"{packed(header | {'alg': 'HS256'})}.{packed(claims)}"
        mac = hmac.new(secret, start.encode(), hashlib.sha256).digest()
        assert await told(client, f"{start}.{packed(mac)}") == INVALID
    assert (
        await told(client, await forged(client, {"alg": "HS256"}, OctKey.import_key("a secret of many bits")))
        == INVALID
    )


async def test_rfc8725_3_10_another_key(client: Client) -> None:
    foreign = ECKey.generate_key("P-256", private=True)
    public = foreign.as_dict(private=False)
    for header in (
        {},
        {"kid": "unknown"},
        {"kid": foreign.thumbprint()},
        {"jwk": public},
        {"jku": "https://elsewhere.example/jwks"},
        {"x5u": "https://elsewhere.example/x5u"},
        {"kid": "../../dev/null"},
    ):
        assert await told(client, await forged(client, header, foreign)) == INVALID


@pytest.mark.parametrize(
    "extra", [{"jwk": {}}, {"jku": "https://x.example"}, {"crit": ["exp"]}, {"b64": False}]
)
async def test_rfc8725_3_10_more_in_the_header(client: Client, own_key: Any, extra: dict[str, Any]) -> None:
    token = await client.token()
    claims = token.split(".")[1]
    start = f"{packed(parts(token)[0] | extra)}.{claims}"
    r, s = decode_dss_signature(own_key.private_key.sign(start.encode(), ECDSA(SHA256())))
    assert await told(client, f"{start}.{packed(r.to_bytes(32) + s.to_bytes(32))}") == INVALID


async def test_rfc7515_5_2_a_changed_scope(client: Client) -> None:
    token = await client.token(scope="users:read")
    header, claims, signature = token.split(".")
    more = packed(parts(token)[1] | {"scope": "users:read users:write"})
    assert await told(client, f"{header}.{more}.{signature}") == INVALID
    for broken in (
        f"{header}.{claims}.",
        f"{header}.{claims}.{signature[:-2]}",
        f"{header}..{signature}",
        "a.b.c",
    ):
        assert await told(client, broken) == INVALID
    assert (await client.call(token)).status_code == 200


async def test_a_scope_that_the_row_does_not_have_opens_nothing(client: Client, own_key: Any) -> None:
    """Even with the signing key, the row of the token decides its scopes."""
    token = await client.token(scope="users:read")
    header, claims = parts(token)
    more = jwt.encode(header, claims | {"scope": "users:read courses:read"}, own_key, algorithms=["ES256"])
    assert (await client.call(more)).status_code == 200
    assert (await client.call(more, "/v1/courses")).status_code == 403


async def test_rfc6750_3_1_lacking_a_scope(client: Client) -> None:
    answer = await client.call(await client.token(scope="courses:read"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "insufficient_scope")
    challenge = 'Bearer error="insufficient_scope", scope="users:read"'
    assert answer.headers["www-authenticate"] == challenge


async def test_a_scope_taken_from_the_client_is_taken_from_its_tokens(world: World, client: Client) -> None:
    token = await client.token()
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE oauth_clients SET scopes = '{courses:read}' WHERE tenant_id = :tenant AND id = :id",
            id=client.id,
        )
    assert (await client.call(token)).status_code == 403
    assert (await client.call(token, "/v1/courses")).status_code == 200
    assert (await client.introspect(token))["scope"] == "courses:read"


async def test_rfc9700_4_3_2_a_token_elsewhere_is_no_token(client: Client) -> None:
    token = await client.token()
    for answer in (
        await client.http.get("/v1/users", params={"access_token": token}),
        await client.http.post("/v1/users", data={"access_token": token}),
        await client.http.get("/v1/users", headers={"cookie": f"access_token={token}"}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "credential_missing")


async def test_rfc6750_2_two_headers(client: Client) -> None:
    bearer = ("authorization", f"Bearer {await client.token()}")
    for headers in ([bearer, bearer], [bearer, ("authorization", client.basic["authorization"])]):
        assert (await client.http.get("/v1/users", headers=headers)).status_code == 401


async def test_rfc6750_2_a_header_and_another_way_beside_it(world: World) -> None:
    client = await new_client(world, "users:read", "users:write")
    token = await client.token()
    bearer, before = {"authorization": f"Bearer {token}"}, await client.call(token)
    for answer in (
        await client.http.post("/v1/users", data={"access_token": token}, headers=bearer),
        await client.http.post("/v1/users", data={"access_token": token, "name": "A"}, headers=bearer),
        await client.http.post("/v1/users", json={"access_token": token}, headers=bearer),
        await client.http.get("/v1/users", params={"access_token": token}, headers=bearer),
    ):
        assert answer.status_code in (400, 401, 415), answer.text
        assert token not in answer.text
    assert (await client.call(token)).json()["data"] == before.json()["data"] == []


async def test_rfc9110_11_1_the_case_of_the_scheme(client: Client) -> None:
    token = await client.token()
    for scheme in ("bearer", "BEARER", "Bearer"):
        answer = await client.http.get("/v1/users", headers={"authorization": f"{scheme} {token}"})
        assert answer.status_code == 200
    bare = await client.http.get("/v1/users")
    assert (bare.status_code, bare.headers["www-authenticate"]) == (401, "Bearer")


async def test_a_clients_secret_is_no_bearer_token(client: Client) -> None:
    basic = base64.b64encode(f"{client.name}:{client.secret}".encode()).decode()
    for each in (client.secret, client.name, basic):
        assert await told(client, each) == INVALID


@pytest.mark.parametrize("end", ["disabled", "deleted"])
async def test_the_tokens_of_a_client_end_with_it(world: World, client: Client, end: str) -> None:
    token = await client.token()
    async with world.tx() as tx:
        await (actions.disable if end == "disabled" else actions.delete)(tx, client.id)
    expected = "credential_revoked" if end == "disabled" else "credential_invalid"
    assert await told(client, token) == (401, expected)


async def test_a_client_enabled_again_has_no_tokens_from_before(world: World, client: Client) -> None:
    token = await client.token()
    async with world.tx() as tx:
        await actions.disable(tx, client.id)
    world.clock.move(seconds=1)
    async with world.tx() as tx:
        await actions.enable(tx, client.id)
    assert await told(client, token) == INVALID
    assert (await client.call(await client.token())).status_code == 200


async def test_the_tokens_of_a_suspended_tenant_are_refused(world: World, client: Client) -> None:
    token = await client.token()
    for status, expected in (("SUSPENDED", 401), ("ACTIVE", 200)):
        async with operator(world.url, world.clock) as each:
            await each.set_status(world.tenant.slug, status)
        assert (await client.call(token)).status_code == expected


async def test_a_key_repeated_with_the_next_token_is_answered_again(client: Client, world: World) -> None:
    """An Idempotency-Key belongs to the client, not to the token."""
    client = await new_client(world, "users:write")
    body = {"email": "ana@example.com", "name": "Ana", "password": "correct horse"}
    answers = []
    for _ in range(2):
        headers = {"authorization": f"Bearer {await client.token()}", "idempotency-key": "once"}
        answers.append(await client.http.post("/v1/users", json=body, headers=headers))
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
