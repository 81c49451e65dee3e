"""Ways to another company's, or another launch's, statements, documents and attachments. None leads there.

Each way is tried by a client that may read and write in its own company, or by content in its own session. It
knows everything that names what it wants: ids, agents, hashes and ETags.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx2
import pytest
from msgspec import Struct

from conftest import World
from training.cmi5.contents import Content, enroll
from training.xapi.clients import (
    VOIDED,
    attachment,
    binary,
    multipart,
    reference,
    statement,
    xapi_client,
)
from trilha.settings import Settings

SECRET = "segredo-industrial"
PHOTO = f"photo of {SECRET}".encode()
PHOTO_HASH = hashlib.sha256(PHOTO).hexdigest()
DOCUMENT = {"note": SECRET}
RENAMED = {"pt-BR": "Trocado"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Owned(Struct):
    """What somebody else has stored. `own` is their client."""

    own: httpx2.AsyncClient
    statement: dict[str, Any]
    activity: str
    registration: str
    key: str = ""

    @property
    def id(self) -> str:
        return str(self.statement["id"])

    @property
    def agent(self) -> str:
        return json.dumps(self.statement["actor"])

    @property
    def state(self) -> dict[str, str]:
        parameters = {"activityId": self.activity, "agent": self.agent, "stateId": "s"}
        return parameters | {"registration": self.registration}

    @property
    def agent_profile(self) -> dict[str, str]:
        return {"agent": self.agent, "profileId": "p"}

    @property
    def activity_profile(self) -> dict[str, str]:
        return {"activityId": self.activity, "profileId": "p"}

    @property
    def etag(self) -> dict[str, str]:
        etag = hashlib.sha1(json.dumps(DOCUMENT, separators=(",", ":")).encode()).hexdigest()
        return {"if-match": f'"{etag}"'}


class Thief(Struct):
    """Who tries. `build` returns a statement that this client may store."""

    http: httpx2.AsyncClient
    build: Callable[..., dict[str, Any]]

    async def post(self, **members: Any) -> dict[str, Any]:
        """Stores a statement with these members, if the server takes it. Returns it."""
        one = self.build(**members)
        await self.http.post("/xapi/statements", json=one)
        return one


Way = Callable[[Thief, Owned], Awaitable[httpx2.Response]]


def _get(path: str, build: Callable[[Owned], Mapping[str, str]], method: str = "GET") -> Way:
    async def run(thief: Thief, owned: Owned) -> httpx2.Response:
        return await thief.http.request(method, f"/xapi{path}", params=dict(build(owned)))

    return run


def _write(method: str, path: str, build: Callable[[Owned], Mapping[str, str]], **headers: str) -> Way:
    async def run(thief: Thief, owned: Owned) -> httpx2.Response:
        added = owned.etag if headers.get("etag") else headers
        return await thief.http.request(
            method, f"/xapi{path}", params=dict(build(owned)), json={"note": "thief"}, headers=added
        )

    return run


def _list(**parameters: str) -> Way:
    """Lists statements; the names in braces are replaced by what the owner has."""

    def build(owned: Owned) -> dict[str, str]:
        names = {"{id}": owned.id, "{agent}": owned.agent, "{activity}": owned.activity}
        names |= {"{registration}": owned.registration, "{verb}": owned.statement["verb"]["id"]}
        return {name: names.get(value, value) for name, value in parameters.items()}

    return _get("/statements", build)


async def _follow_more(thief: Thief, owned: Owned) -> httpx2.Response:
    more = (await owned.own.get("/xapi/statements", params={"limit": 1})).json()["more"]
    return await thief.http.get(more)


async def _claim_attachment(thief: Thief, owned: Owned) -> httpx2.Response:
    """Names the hash, and says that the content is elsewhere."""
    described = attachment(PHOTO, fileUrl="https://example.com/photo.png")
    one = await thief.post(attachments=[described])
    return await thief.http.get("/xapi/statements", params={"statementId": one["id"], "attachments": "true"})


async def _claim_attachment_beside_another(thief: Thief, owned: Owned) -> httpx2.Response:
    """As before, with an attachment of its own in the same request."""
    described = attachment(PHOTO, fileUrl="https://example.com/photo.png")
    one = thief.build(attachments=[described, attachment(b"mine")])
    body, headers = multipart(
        ({"Content-Type": "application/json"}, json.dumps(one).encode()), binary(b"mine")
    )
    answer = await thief.http.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return await thief.http.get("/xapi/statements", params={"statementId": one["id"], "attachments": "true"})


async def _claim_attachment_without_a_part(thief: Thief, owned: Owned) -> httpx2.Response:
    return await thief.http.post("/xapi/statements", json=thief.build(attachments=[attachment(PHOTO)]))


async def _refer_to_it(thief: Thief, owned: Owned) -> httpx2.Response:
    await thief.post(object=reference(owned.id))
    return await thief.http.get("/xapi/statements", params={"agent": owned.agent})


async def _void_it(thief: Thief, owned: Owned) -> httpx2.Response:
    one = thief.build(verb={"id": VOIDED}, object=reference(owned.id))
    return await thief.http.post("/xapi/statements", json=one)


async def _void_and_read(thief: Thief, owned: Owned) -> httpx2.Response:
    await _void_it(thief, owned)
    return await thief.http.get("/xapi/statements", params={"voidedStatementId": owned.id})


async def _take_the_id(thief: Thief, owned: Owned) -> httpx2.Response:
    one = thief.build(id=owned.id)
    await thief.http.put("/xapi/statements", params={"statementId": owned.id}, json=one)
    return await thief.http.get("/xapi/statements", params={"statementId": owned.id, "attachments": "true"})


async def _send_it_again(thief: Thief, owned: Owned) -> httpx2.Response:
    """Sends the same statement without its attachment: the store must not take it from the other."""
    return await thief.http.post("/xapi/statements", json=owned.statement)


async def _define_its_activity(thief: Thief, owned: Owned) -> httpx2.Response:
    thing = {"id": owned.activity, "definition": {"name": RENAMED}}
    return await thief.http.post("/xapi/statements", json=thief.build(object=thing))


async def _read_in_the_alternate_syntax(thief: Thief, owned: Owned) -> httpx2.Response:
    form = urlencode({"statementId": owned.id, "X-Experience-API-Version": "1.0.3"})
    headers = FORM | {"x-experience-api-version": "1.0.3"}
    return await thief.http.post("/xapi/statements?method=GET", content=form, headers=headers)


async def _delete_in_the_alternate_syntax(thief: Thief, owned: Owned) -> httpx2.Response:
    form = urlencode(owned.state | {"X-Experience-API-Version": "1.0.3"})
    headers = FORM | {"x-experience-api-version": "1.0.3"}
    return await thief.http.post("/xapi/activities/state?method=DELETE", content=form, headers=headers)


async def _use_its_key(thief: Thief, owned: Owned) -> httpx2.Response:
    """Sends the other's key, which is no secret, with a secret of its own."""
    auth = httpx2.BasicAuth(owned.key, "x" * 43)
    answer = await thief.http.get("/xapi/statements", auth=auth)
    assert answer.status_code == 401
    return answer


def _state_list(owned: Owned) -> dict[str, str]:
    return {name: value for name, value in owned.state.items() if name != "stateId"}


WAYS: Mapping[str, Way] = {
    "by its id": _list(statementId="{id}"),
    "by its id, with attachments": _list(statementId="{id}", attachments="true"),
    "by its id, as a voided one": _list(voidedStatementId="{id}"),
    "by its id, without the body": _get("/statements", lambda owned: {"statementId": owned.id}, "HEAD"),
    "by its id in the alternate syntax": _read_in_the_alternate_syntax,
    "in the list of all": _list(),
    "in the list of all, oldest first": _list(ascending="true", since="1970-01-01T00:00:00Z"),
    "in the list with attachments": _list(attachments="true", limit="0"),
    "in the list in its canonical form": _list(format="canonical"),
    "by its agent": _list(agent="{agent}"),
    "by its agent, anywhere": _list(agent="{agent}", related_agents="true"),
    "by its verb": _list(verb="{verb}"),
    "by its activity": _list(activity="{activity}"),
    "by its activity, anywhere": _list(activity="{activity}", related_activities="true"),
    "by its registration": _list(registration="{registration}"),
    "by the next page of the other": _follow_more,
    "by a made-up cursor": _list(cursor="9" * 17),
    "by a reference to it": _refer_to_it,
    "by voiding it": _void_and_read,
    "by taking its id": _take_the_id,
    "by sending it again": _send_it_again,
    "by the hash of its attachment": _claim_attachment,
    "by the hash of its attachment beside another": _claim_attachment_beside_another,
    "by the hash of its attachment without a part": _claim_attachment_without_a_part,
    "by the key without its secret": _use_its_key,
    "the definition of its activity": _get("/activities", lambda owned: {"activityId": owned.activity}),
    "replacing the definition of its activity": _define_its_activity,
    "the name of its agent": _get("/agents", lambda owned: {"agent": owned.agent}),
    "its state": _get("/activities/state", lambda owned: owned.state),
    "the names of its states": _get("/activities/state", _state_list),
    "replacing its state": _write("PUT", "/activities/state", lambda owned: owned.state, etag="1"),
    "merging into its state": _write("POST", "/activities/state", lambda owned: owned.state),
    "deleting its state": _write("DELETE", "/activities/state", lambda owned: owned.state),
    "deleting all its states": _write("DELETE", "/activities/state", _state_list),
    "deleting its state in the alternate syntax": _delete_in_the_alternate_syntax,
    "its agent profile": _get("/agents/profile", lambda owned: owned.agent_profile),
    "replacing its agent profile": _write("PUT", "/agents/profile", lambda o: o.agent_profile, etag="1"),
    "deleting its agent profile": _write("DELETE", "/agents/profile", lambda owned: owned.agent_profile),
    "its activity profile": _get("/activities/profile", lambda owned: owned.activity_profile),
    "replacing its activity profile": _write(
        "PUT", "/activities/profile", lambda owned: owned.activity_profile, etag="1"
    ),
    "merging into its activity profile": _write(
        "POST", "/activities/profile", lambda owned: owned.activity_profile
    ),
    "deleting its activity profile": _write(
        "DELETE", "/activities/profile", lambda owned: owned.activity_profile
    ),
}
# A launch may read what is known of an activity: content has no other way to share it.
OF_ALL_LAUNCHES = {"the definition of its activity", "its activity profile"}


async def _store(owned: Owned, one: dict[str, Any]) -> None:
    """Stores a statement with its attachment, and a state."""
    parts = [binary(PHOTO)] if "attachments" in one else []
    body, headers = multipart(({"Content-Type": "application/json"}, json.dumps(one).encode()), *parts)
    answer = await owned.own.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    if parts:
        answer = await owned.own.put("/xapi/activities/state", params=owned.state, json=DOCUMENT)
        assert answer.status_code == 204, answer.text


async def _store_profiles(lrs: httpx2.AsyncClient, owned: Owned) -> None:
    for path, parameters in (
        ("/agents/profile", owned.agent_profile),
        ("/activities/profile", owned.activity_profile),
    ):
        answer = await lrs.put(f"/xapi{path}", params=parameters, json=DOCUMENT)
        assert answer.status_code == 204, answer.text


async def _check_unharmed(lrs: httpx2.AsyncClient, owned: Owned) -> None:
    """Reads everything as the owner."""
    query = {"statementId": owned.id, "attachments": "true"}
    answer = await lrs.get("/xapi/statements", params=query)
    assert answer.status_code == 200
    assert PHOTO in answer.content
    for path, parameters in (
        ("/activities/state", owned.state),
        ("/agents/profile", owned.agent_profile),
        ("/activities/profile", owned.activity_profile),
    ):
        assert (await lrs.get(f"/xapi{path}", params=parameters)).json() == DOCUMENT, path


def _check_secret(answer: httpx2.Response) -> None:
    assert answer.status_code < 500, answer.text
    assert SECRET.encode() not in answer.content
    assert answer.headers.get("etag") is None


@pytest.mark.parametrize("way", WAYS)
async def test_no_way_leads_to_another_company(world: World, stranger: World, way: str) -> None:
    mine, theirs = await xapi_client(world), await xapi_client(stranger)
    registration, activity = str(uuid4()), f"https://publisher.example/{uuid4()}"
    mailbox = {"mbox": f"mailto:{uuid4().hex}@example.com"}
    one = statement(
        actor=mailbox | {"name": SECRET},
        object={"id": activity, "definition": {"name": {"pt-BR": SECRET}}},
        context={"registration": registration},
        attachments=[attachment(PHOTO)],
    )
    # The thief knows the address, and not the name.
    owned = Owned(mine, one | {"actor": mailbox}, activity, registration, await _find_key(world))
    await _store(owned, one)
    await _store(owned, statement())
    await _store_profiles(mine, owned)
    _check_secret(await WAYS[way](Thief(theirs, statement), owned))
    await _check_unharmed(mine, owned)
    defined = (await mine.get("/xapi/activities", params={"activityId": activity})).json()
    assert defined["definition"]["name"] == {"pt-BR": SECRET}


@pytest.mark.parametrize("way", [each for each in WAYS if each not in OF_ALL_LAUNCHES])
async def test_no_way_leads_to_another_launch(world: World, settings: Settings, way: str) -> None:
    lrs = await xapi_client(world)
    owner, thief = [await (await enroll(world, settings.address, "Completed")).begin() for _ in range(2)]
    one = _build(owner, attachments=[attachment(PHOTO)], result={"response": SECRET})
    key = await _find_key(world)
    owned = Owned(owner.http, one, owner.given["activityId"], owner.given["registration"], key)
    await _store(owned, one)
    await _store_profiles(lrs, owned)
    _check_secret(await WAYS[way](Thief(thief.http, partial(_build, thief)), owned))
    await _check_unharmed(lrs, owned)
    defined = (await lrs.get("/xapi/activities", params={"activityId": owned.activity})).json()
    assert defined["definition"]["name"] != RENAMED


def _build(content: Content, **members: Any) -> dict[str, Any]:
    """Returns a statement that content may store in its session."""
    one = content.build("experienced")
    one["context"]["contextActivities"].pop("category")
    del one["result"]
    return one | members


async def _find_key(world: World) -> str:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT key FROM xapi_keys WHERE tenant_id = :tenant")
    return str(rows[0]["key"])
