"""The surface of the learning record store: credentials, versions, CORS, limits and hostile input."""

import asyncio
import json
from base64 import b64encode
from urllib.parse import quote, urlencode
from uuid import UUID, uuid4

import pytest
from msgspec import structs

from access.oauth.clients import new_client
from conftest import World
from training.xapi.clients import ACTIVITY, attachment, binary, multipart, statement, xapi_client
from trilha.access.xapi_keys import actions
from trilha.core.credentials import Credential, CredentialRefused
from trilha.core.errors import Forbidden
from trilha.core.web.callers import Caller
from trilha.training.xapi.access import Confinement, find_confinement

V2 = {"x-experience-api-version": "2.0.0"}


async def test_about_needs_neither_credential_nor_version(world: World) -> None:
    answer = await world.client().get("/xapi/about")
    assert answer.status_code == 200
    assert answer.json() == {"version": ["1.0.3", "2.0.0"]}


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "Basic",
        "Basic !!",
        "Basic " + b64encode(b"a:b").decode(),
        "Bearer x",
        "Digest a",
        "Basic " + "A" * 5000,
    ],
)
async def test_without_a_valid_credential(world: World, authorization: str | None) -> None:
    headers = V2 | ({"authorization": authorization} if authorization else {})
    answer = await world.client().get("/xapi/statements", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Basic")
    assert answer.headers["x-experience-api-consistent-through"]
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_scopes(world: World) -> None:
    reader = await xapi_client(world, "xapi:read")
    writer = await xapi_client(world, "xapi:write")
    assert (await reader.get("/xapi/statements")).status_code == 200
    assert (await reader.post("/xapi/statements", json=statement())).status_code == 403
    assert (await writer.post("/xapi/statements", json=statement())).status_code == 200
    assert (await writer.get("/xapi/statements")).status_code == 403
    alternate = await writer.post(
        "/xapi/statements?method=GET",
        content=urlencode({"limit": 1}),
        headers={"content-type": "application/x-www-form-urlencoded", "x-experience-api-version": "1.0.3"},
    )
    assert alternate.status_code == 403
    http = world.client(await world.key("users:read"))
    assert (await http.get("/xapi/statements", headers=V2)).status_code == 403
    http = world.client(await world.key("xapi:read"))
    assert (await http.get("/xapi/statements", headers=V2)).status_code == 200


async def test_a_revoked_key(world: World) -> None:
    async with world.tx() as tx:
        issued = await actions.create(tx, "LMS", ["xapi:read"])
        await actions.revoke(tx, issued.xapi_key.id)
        with pytest.raises(CredentialRefused):
            await actions.revoke(tx, issued.xapi_key.id)
        with pytest.raises(CredentialRefused):
            await actions.create(tx, "LMS", ["users:read"])
        with pytest.raises(CredentialRefused):
            await actions.create(tx, "", ["xapi:read"])
    http = world.client()
    http.auth = (issued.xapi_key.key, issued.secret)
    assert (await http.get("/xapi/statements", headers=V2)).status_code == 401


@pytest.mark.parametrize(
    ("version", "status"), [("1.0", 200), ("1.0.9", 200), ("2.0", 200), ("0.95", 400), ("3", 400)]
)
async def test_versions(world: World, version: str, status: int) -> None:
    http = await xapi_client(world, version=version)
    answer = await http.get("/xapi/statements")
    assert answer.status_code == status
    expected = "1.0.3" if version.startswith("1") else "2.0.0"
    assert answer.headers["x-experience-api-version"] == expected


async def test_without_a_version(world: World) -> None:
    http = await xapi_client(world)
    del http.headers["x-experience-api-version"]
    answer = await http.get("/xapi/statements")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "xapi_version_unsupported"
    assert answer.headers["x-experience-api-version"] == "0.95"


async def test_preflight(world: World) -> None:
    answer = await world.client().request(
        "OPTIONS",
        "/xapi/statements",
        headers={"origin": "https://content.example", "access-control-request-method": "PUT"},
    )
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "PUT" in answer.headers["access-control-allow-methods"]
    assert "X-Experience-API-Version" in answer.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in answer.headers


async def test_two_slashes_are_one(world: World) -> None:
    http = await xapi_client(world)
    assert (await http.get("/xapi//statements")).status_code == 200
    assert (await http.get("/xapi//activities/state")).status_code == 400


async def test_the_alternate_syntax(world: World) -> None:
    http = await xapi_client(world)
    async with world.tx() as tx:
        issued = await actions.create(tx, "Old", ["xapi:read", "xapi:write"])
    basic = b64encode(f"{issued.xapi_key.key}:{issued.secret}".encode()).decode()
    one = statement()
    form = {
        "Authorization": f"Basic {basic}",
        "X-Experience-API-Version": "1.0.3",
        "statementId": one["id"],
        "content": json.dumps(one),
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = await world.client().post(
        "/xapi/statements?method=PUT", content=urlencode(form), headers=headers
    )
    assert answer.status_code == 204, answer.text
    assert (await http.get(f"/xapi/statements?statementId={one['id']}")).json()["version"] == "1.0.0"
    form["X-Experience-API-Version"] = "2.0.0"
    answer = await world.client().post(
        "/xapi/statements?method=PUT", content=urlencode(form), headers=headers
    )
    assert answer.status_code == 400


async def test_head_has_no_body(world: World) -> None:
    http = await xapi_client(world)
    answer = await http.head("/xapi/statements")
    assert answer.status_code == 200
    assert answer.content == b""


def deep(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


HOSTILE = {
    "empty": b"",
    "null": b"null",
    "text": b'"a"',
    "number": b"7",
    "not JSON": b"{",
    "not UTF-8": b'{"actor": "\xff"}',
    "NUL": b'{"actor": "\\u0000"}',
    "surrogate": b'{"actor": "\\ud800"}',
    "infinite": b'{"actor": 1e999}',
    "long number": b'{"actor": ' + b"9" * 5000 + b"}",
    "deep": deep(60),
    "very deep": b"[" * 200_000,
    "deep list": b"[" + deep(5000) + b"]",
    "text without an end": b'{"a":' + b"0" * 400 + b',"b":"' + b'\\"' * 200_000,
    "many numbers": b"[" + b"0," * 3_000_000 + b"0]",
    "many values": b'{"a":[' + b"1," * 300_000 + b"1]}",
    "many objects": b"[" + b"{}," * 400_000 + b"{}]",
    "many statements": b"[" + b'{"id":1},' * 1500 + b"{}]",
    "large": b'{"a":"' + b"x" * (9 * 1024 * 1024) + b'"}',
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_bodies_are_refused_soon(world: World, name: str) -> None:
    http = await xapi_client(world)
    async with asyncio.timeout(20):
        answer = await http.post(
            "/xapi/statements", content=HOSTILE[name], headers={"content-type": "application/json"}
        )
        assert answer.status_code in (400, 413), answer.text[:200]
        answer = await http.post(
            f"/xapi/activities/profile?activityId={quote(ACTIVITY)}&profileId=p",
            content=HOSTILE[name],
            headers={"content-type": "application/json"},
        )
        assert answer.status_code in (400, 413), answer.text[:200]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b0undary",
        b"--b0undary--",
        b"--b0undary\r\n" * 50_000,
        b"--b0undary\r\n\r\n\r\n--b0undary--",
        b"x" * 100,
    ],
)
async def test_hostile_multipart(world: World, body: bytes) -> None:
    http = await xapi_client(world)
    _, headers = multipart()
    answer = await http.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 400
    for content_type in (
        "multipart/mixed",
        'multipart/mixed; boundary=""',
        "multipart/mixed; boundary=" + "x" * 80,
    ):
        answer = await http.post("/xapi/statements", content=body, headers={"content-type": content_type})
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "query",
    [
        "foo=1",
        "StatementId=x",
        "statementId=x",
        f"statementId={UUID(int=1)}&verb=http://a.b/c",
        f"statementId={UUID(int=1)}&voidedStatementId={UUID(int=2)}",
        "agent=x",
        "agent={}",
        quote('agent={"mbox":"mailto:a@b.c","openid":"http://a.b"}', safe="=&"),
        "verb=x",
        "activity=%00",
        "registration=1",
        "since=yesterday",
        "since=9999-99-99T00:00:00Z",
        "limit=-1",
        "limit=x",
        "limit=" + "9" * 100,
        "ascending=1",
        "format=long",
        "attachments=yes",
        "cursor=x",
        "cursor=" + "9" * 30,
        "verb=%ff",
        "limit=1&limit=2",
        "&".join(f"a{number}=1" for number in range(100)),
    ],
)
async def test_malformed_parameters(world: World, query: str) -> None:
    http = await xapi_client(world)
    answer = await http.get(f"/xapi/statements?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.headers["x-experience-api-consistent-through"]


async def test_extreme_times(world: World) -> None:
    http = await xapi_client(world)
    await http.post("/xapi/statements", json=statement())
    for since in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        assert (await http.get("/xapi/statements", params={"since": since})).status_code == 200
    assert (
        await http.get("/xapi/statements", params={"since": "0001-01-01T00:00:00+23:00"})
    ).status_code == 400


async def test_another_tenants_statements_states_and_attachments(world: World, stranger: World) -> None:
    mine, theirs = await xapi_client(world), await xapi_client(stranger)
    registration = str(uuid4())
    one = statement(context={"registration": registration}, attachments=[attachment(b"photo")])
    body, headers = multipart(
        ({"Content-Type": "application/json"}, json.dumps(one).encode()), binary(b"photo")
    )
    assert (await mine.post("/xapi/statements", content=body, headers=headers)).status_code == 200
    agent = json.dumps(one["actor"])
    state = {"activityId": ACTIVITY, "agent": agent, "stateId": "s"}
    profile = {"activityId": ACTIVITY, "profileId": "p"}
    for path, parameters in (("/activities/state", state), ("/activities/profile", profile)):
        answer = await mine.put(f"/xapi{path}", params=parameters, json={"mine": 1})
        assert answer.status_code == 204
        assert (await theirs.get(f"/xapi{path}", params=parameters)).status_code == 404
        assert (await theirs.delete(f"/xapi{path}", params=parameters)).status_code == 204
        assert (await mine.get(f"/xapi{path}", params=parameters)).json() == {"mine": 1}
    for parameters in (
        {},
        {"agent": agent},
        {"agent": agent, "related_agents": "true"},
        {"verb": one["verb"]["id"]},
        {"activity": ACTIVITY},
        {"activity": ACTIVITY, "related_activities": "true"},
        {"registration": registration},
        {"attachments": "true"},
        {"cursor": str(10**17)},
    ):
        answer = await theirs.get("/xapi/statements", params=parameters)
        assert answer.status_code == 200
        assert b'"statements":[]' in answer.content
    for name in ("statementId", "voidedStatementId"):
        assert (await theirs.get("/xapi/statements", params={name: one["id"]})).status_code == 404
    assert "definition" not in (await theirs.get("/xapi/activities", params={"activityId": ACTIVITY})).json()
    assert "name" not in (await theirs.get("/xapi/agents", params={"agent": agent})).json()
    # The hash of another tenant's attachment opens nothing.
    probe = statement(attachments=[attachment(b"photo")])
    assert (await theirs.post("/xapi/statements", json=probe)).status_code == 400
    # The same id is another statement there.
    assert (await theirs.post("/xapi/statements", json=statement(id=one["id"]))).status_code == 200
    assert (
        await theirs.post(
            "/xapi/statements",
            json=statement(
                verb={"id": "http://adlnet.gov/expapi/verbs/voided"},
                object={"objectType": "StatementRef", "id": one["id"]},
            ),
        )
    ).status_code == 200
    assert (await mine.get("/xapi/statements", params={"statementId": one["id"]})).status_code == 200
    assert UUID(one["id"])


async def test_an_oauth_client(world: World) -> None:
    client = await new_client(world, "xapi:write")
    headers = V2 | {"authorization": f"Bearer {await client.token()}"}
    one = statement()
    answer = await world.client().post("/xapi/statements", json=one, headers=headers)
    assert answer.status_code == 200, answer.text
    assert (await world.client().get("/xapi/statements", headers=headers)).status_code == 403
    http = await xapi_client(world)
    stored = (await http.get("/xapi/statements", params={"statementId": one["id"]})).json()
    assert stored["authority"]["account"]["name"] == f"access_token:{client.id}"


async def test_the_launch_of_a_learner_reaches_its_own_statements_only() -> None:
    session, agent, registration = uuid4(), uuid4(), uuid4()
    confinement = Confinement(session, agent, registration)
    confinement.check(agent, registration)
    for others in ((uuid4(), registration), (agent, uuid4()), (agent, None), (None, registration)):
        with pytest.raises(Forbidden):
            confinement.check(*others)
    credential = Credential(
        **dict.fromkeys(("networks", "expires_at", "secret_expires_at", "revoked_at")),
        kind="cmi5",
        key=b"",
        id=uuid4(),
        tenant_id=uuid4(),
        tenant_active=True,
        scopes=["xapi:read"],
        detail={"session": str(session), "agent": str(agent), "registration": str(registration)},
    )
    assert find_confinement(Caller(credential)) == confinement
    with pytest.raises(Forbidden):
        find_confinement(Caller(structs.replace(credential, detail=credential.detail | {"is_ended": True})))
