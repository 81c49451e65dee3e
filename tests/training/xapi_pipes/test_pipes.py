"""Pipes forward statements to other record stores, whatever those do."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from training.xapi.clients import (
    ACTIVITY,
    VERB,
    VOIDED,
    attachment,
    binary,
    multipart,
    reference,
    statement,
    xapi_client,
)
from training.xapi_pipes.stores import (
    GUARD,
    Answer,
    Store,
    be_silent,
    drop,
    drop_in_the_middle,
    list_ids,
    pipe,
    redirect,
    serving,
)
from trilha.access.xapi_keys import actions as xapi_keys
from trilha.core.errors import ApiError
from trilha.core.types import to_json
from trilha.training.xapi_pipes import actions, queries, rules
from trilha.training.xapi_pipes.schema import Candidate, NewPipe, PipeChange


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with serving(Store()) as store:
        yield store


async def send(world: World, *statements: dict[str, Any]) -> list[str]:
    http = await xapi_client(world)
    answer = await http.post("/xapi/statements", json=list(statements))
    assert answer.status_code == 200, answer.text
    ids: list[str] = answer.json()
    return ids


async def receiver(world: World, store: Store) -> dict[str, str]:
    """Lets the store be that of this tenant. Returns its credentials."""
    async with world.tx() as tx:
        issued = await xapi_keys.create(tx, "Pipe", list(xapi_keys.SCOPES))
    store.client = world.client()
    return {"username": issued.xapi_key.key, "password": issued.secret}


async def test_statements_arrive_in_their_order(world: World, stranger: World, store: Store) -> None:
    old = await send(world, statement())
    own = await pipe(world, store, **await receiver(stranger, store), begin="start")
    sent = await send(world, *(statement() for _ in range(120)))
    assert await own.work() == 121
    assert await list_ids(stranger) == [*old, *sent]
    read = await own.read()
    assert (read.forwarded, read.refused, read.failures, read.error) == (121, 0, 0, None)
    assert read.delivered_at is not None
    assert [method for method, _, _ in store.calls] == ["POST", "POST"]
    assert store.calls[0][1]["X-Experience-API-Version"] == "2.0.0"
    assert await own.work() == 0  # nothing is due
    assert len(store.calls) == 2


async def test_a_new_pipe_begins_with_new_statements(world: World, store: Store) -> None:
    await send(world, statement())
    own = await pipe(world, store)
    (sent,) = await send(world, statement())
    assert await own.work() == 1
    assert sent.encode() in store.calls[0][2]
    given = base64.b64decode(store.calls[0][1]["Authorization"].removeprefix("Basic "))
    assert given == b"user:s3cret"


@pytest.mark.parametrize("version", ["1.0.3", "2.0.0"])
async def test_either_version_takes_statements_of_both(
    world: World, stranger: World, store: Store, version: Any
) -> None:
    own = await pipe(world, store, version=version, **await receiver(stranger, store))
    agent = {"objectType": "Agent", "mbox": "mailto:a@example.com"}
    context = {"contextAgents": [{"objectType": "contextAgent", "agent": agent}], "language": "pt-BR"}
    first = await xapi_client(world, version="1.0.3")
    assert (await first.post("/xapi/statements", json=statement())).status_code == 200
    (sent,) = await send(world, statement(context=context))
    assert await own.work() == 2
    assert sent in await list_ids(stranger)
    assert (await own.read()).refused == 0


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (500, "http_500"),
        (401, "http_401"),
        (403, "http_403"),
        (429, "http_429"),
        (redirect, "http_302"),
        (be_silent, "timeout"),
        (drop, "connection_failed"),
        (drop_in_the_middle, "connection_failed"),
    ],
    ids=lambda each: each.__name__ if callable(each) else str(each),
)
async def test_a_failure_is_retried_later(
    world: World, stranger: World, store: Store, answer: Answer, error: str
) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    sent = await send(world, statement(), statement())
    store.answers = [answer]
    assert await own.work() == 0
    read = await own.read()
    assert (read.error, read.failures, read.forwarded) == (error, 1, 0)
    assert await own.work() == 0
    assert len(store.calls) == 1  # not before its time
    world.clock.move(seconds=6)
    assert await own.work() == 2
    assert await list_ids(stranger) == sent
    assert ((await own.read()).failures, (await own.read()).error) == (0, None)


async def test_a_receiver_that_stored_but_could_not_say_so(
    world: World, stranger: World, store: Store
) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    sent = await send(world, statement(), statement())

    async def store_and_drop(request: Any) -> Any:
        store.answers, store.always = [], None
        await store.serve(request)
        return await drop(request)

    store.answers = [store_and_drop]
    assert await own.work() == 0
    assert await list_ids(stranger) == sent
    world.clock.move(seconds=6)
    assert await own.work() == 2
    assert await list_ids(stranger) == sent


async def test_a_worker_that_dies_sends_again(world: World, stranger: World, store: Store) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    sent = await send(world, *(statement() for _ in range(3)))
    stored = asyncio.Event()

    async def store_and_wait(request: Any) -> Any:
        store.answers, store.always = [], None
        answer = await store.serve(request)
        stored.set()
        await asyncio.sleep(0.5)
        return answer

    store.answers = [store_and_wait]
    work = asyncio.create_task(own.work())
    await stored.wait()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert await own.work() == 0  # its lease is not over
    world.clock.move(minutes=3)
    assert await own.work() == 3
    assert await list_ids(stranger) == sent


async def test_a_statement_that_the_receiver_has_already(world: World, stranger: World, store: Store) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    same, different = statement(), statement()
    await send(stranger, same, different | {"object": {"id": "https://example.com/other"}})
    sent = await send(world, statement(), same, different, statement())
    assert await own.work() == 3
    assert set(await list_ids(stranger)) == set(sent)
    read = await own.read()
    assert (read.refused, str(read.refused_id)) == (1, different["id"])
    assert [method for method, _, _ in store.calls] == ["POST", *["PUT"] * 4]


async def test_a_refused_statement_is_left_out_only_if_another_one_is_taken(
    world: World, store: Store
) -> None:
    own = await pipe(world, store)
    await send(world, statement(), statement())
    store.always = 400
    assert await own.work() == 0
    read = await own.read()
    assert (read.error, read.failures, read.refused) == ("http_400", 1, 0)
    store.always = None
    store.answers = [400, 400, 204]
    world.clock.move(seconds=6)
    await send(world, statement())
    world.clock.move(seconds=60)
    await own.work(3)
    read = await own.read()
    assert (read.failures, read.forwarded + read.refused) == (0, 3)


async def test_a_failure_in_the_middle_of_single_statements(world: World, store: Store) -> None:
    own = await pipe(world, store)
    await send(world, *(statement() for _ in range(3)))
    store.answers = [409, 204, 500]
    assert await own.work() == 1
    read = await own.read()
    assert (read.forwarded, read.failures, read.error) == (1, 1, "http_500")
    world.clock.move(seconds=6)
    assert await own.work(2) == 2
    assert (await own.read()).forwarded == 3


async def test_a_pipe_that_fails_for_days_is_paused(world: World, stranger: World, store: Store) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    sent = await send(world, statement())
    store.always = 503
    for _ in range(25):
        await own.work()
        world.clock.move(hours=7)
    read = await own.read()
    assert (read.active, read.error) == (False, "http_503")
    assert read.paused_at is not None
    (event,) = [data for type, data in await world.events() if type == "xapi_pipe.paused"]
    assert (event["pipe_id"], event["name"], event["http_status"]) == (str(own.id), "LRS", 503)
    calls = len(store.calls)
    assert calls < 20
    await own.work()
    assert len(store.calls) == calls
    store.always = None
    async with world.tx() as tx:
        await actions.resume(tx, own.id)
    assert await own.work() == 1
    assert await list_ids(stranger) == sent


async def test_a_receiver_may_ask_for_more_time(world: World, store: Store) -> None:
    from aiohttp import web

    async def wait(request: Any) -> Any:
        return web.Response(status=503, headers={"Retry-After": "25"})

    own = await pipe(world, store)
    await send(world, statement())
    store.answers = [wait]
    await own.work()
    world.clock.move(seconds=20)
    assert await own.work() == 0
    world.clock.move(seconds=6)
    assert await own.work() == 1


async def test_filters(world: World, stranger: World, store: Store) -> None:
    verb = "http://adlnet.gov/expapi/verbs/passed"
    own = await pipe(
        world,
        store,
        **await receiver(stranger, store),
        verbs=[verb],
        activity_prefix="https://courses.example/",
    )
    passed = statement(verb={"id": verb})
    elsewhere = statement(verb={"id": verb}, object={"id": "https://elsewhere.example/x"})
    about = statement(verb={"id": verb}, object=reference(passed["id"]))
    voiding = statement(verb={"id": VOIDED}, object=reference(passed["id"]))
    await send(world, statement(), passed, elsewhere, about, voiding, statement())
    assert await own.work(2) == 2
    http = await xapi_client(stranger)
    told = (await http.get("/xapi/statements", params={"ascending": "true"})).json()["statements"]
    assert [each["id"] for each in told] == [voiding["id"]]  # and the other one is voided
    async with world.tx() as tx:
        assert (await queries.get_backlog(tx, own.id)).count == 0


async def test_attachments_are_sent_along(world: World, stranger: World, store: Store) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    content = b"\x89PNG\r\n\x00" * 50
    sent = statement(attachments=[attachment(content)])
    body, headers = multipart(({"Content-Type": "application/json"}, to_json(sent)), binary(content))
    http = await xapi_client(world)
    answer = await http.post("/xapi/statements", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert await own.work() == 1
    theirs = await xapi_client(stranger)
    answer = await theirs.get("/xapi/statements", params={"statementId": sent["id"], "attachments": "true"})
    assert content in answer.content


async def test_an_attachment_that_is_gone_is_not_described(
    world: World, stranger: World, store: Store
) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    content = b"abc"
    sent = statement(attachments=[attachment(content)])
    body, headers = multipart(({"Content-Type": "application/json"}, to_json(sent)), binary(content))
    await (await xapi_client(world)).post("/xapi/statements", content=body, headers=headers)
    async with world.tx() as tx:
        await tx.execute("DELETE FROM xapi_attachments WHERE tenant_id = :tenant")
    assert await own.work() == 1
    assert await list_ids(stranger) == [sent["id"]]


async def test_a_pipe_that_is_off_keeps_its_place(world: World, stranger: World, store: Store) -> None:
    own = await pipe(world, store, **await receiver(stranger, store))
    async with world.tx() as tx:
        await actions.pause(tx, own.id)
    sent = await send(world, statement(), statement())
    assert await own.work() == 0
    async with world.tx() as tx:
        assert (await queries.get_backlog(tx, own.id)).count == 2
        await actions.resume(tx, own.id)
    assert await own.work() == 2
    assert await list_ids(stranger) == sent


async def test_the_worker_finds_what_is_due(world: World, store: Store) -> None:
    own = await pipe(world, store)
    tenant = world.tenant.id
    assert tenant not in await own.job.due_tenants(world.database, tenant)
    await send(world, statement())
    assert tenant in await own.job.due_tenants(world.database, tenant)
    await own.work()
    assert tenant not in await own.job.due_tenants(world.database, tenant)


async def test_two_workers_do_not_send_twice(world: World, store: Store) -> None:
    own = await pipe(world, store)
    await send(world, *(statement() for _ in range(5)))
    assert sorted(await asyncio.gather(own.work(), own.work())) == [0, 5]
    assert len(store.calls) == 1


def refusal(error: ApiError) -> str:
    return error.detail[0].code if isinstance(error.detail, list) else error.code


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"url": "https://10.0.0.1/xapi"}, "address_not_allowed"),
        ({"url": "nothing"}, "https_required"),
        ({"url": "http://127.0.0.1:1/xapi?a=b"}, "invalid_url"),
        ({"verbs": ["passed"]}, "invalid_value"),
        ({"activity_prefix": "no iri"}, "invalid_value"),
        ({"verbs": [f"https://example.com/{n}" for n in range(21)]}, "out_of_range"),
    ],
)
async def test_what_a_pipe_may_not_be(world: World, members: dict[str, Any], code: str) -> None:
    values: dict[str, Any] = {
        "name": "LRS",
        "url": "http://127.0.0.1:1/xapi",
        "username": "u",
        "password": "p",
    } | members
    with pytest.raises(ApiError) as raised:
        async with world.tx() as tx:
            await actions.create(tx, NewPipe(**values), GUARD)
    assert refusal(raised.value) == code


async def test_a_company_has_a_few_pipes(world: World, store: Store) -> None:
    for _ in range(actions.MAX_PIPES):
        await pipe(world, store)
    with pytest.raises(ApiError) as raised:
        await pipe(world, store)
    assert raised.value.code == "too_many_pipes"


async def test_another_server_needs_the_password_again(world: World, store: Store) -> None:
    own = await pipe(world, store)
    change = PipeChange(
        name="LRS",  # type: ignore[arg-type]
        url="http://127.0.0.2:1/xapi/statements/",
        username="user",
        password=None,
        version="2.0.0",
        verbs=[],
        activity_prefix=None,
    )
    with pytest.raises(ApiError) as raised:
        async with world.tx() as tx:
            await actions.change(tx, own.id, change, GUARD)
    assert refusal(raised.value) == "required"
    from msgspec import structs

    async with world.tx() as tx:
        changed = await actions.change(tx, own.id, structs.replace(change, password="new"), GUARD)
    assert changed.url == "http://127.0.0.2:1/xapi"


def test_when_a_pipe_is_tried_again() -> None:
    now = datetime.fromisoformat("2026-11-28T12:00:00+00:00")
    delays = [rules.decide_retry(n, now, now, 0.0, None).at - now for n in (1, 2, 6, 100)]
    assert delays == [timedelta(seconds=each) for each in (5, 30, 21_600, 21_600)]
    assert not rules.decide_retry(9, now - timedelta(days=2), now, 0.0, None).pauses
    assert rules.decide_retry(9, now - timedelta(days=3), now, 0.0, None).pauses
    assert [rules.choose_batch_size(n) for n in (0, 1, 7, 5000)] == [100, 50, 10, 10]


def test_large_numbers_stay_as_they_are() -> None:
    kept = b'"id":"x","object":{"id":"x:y"},"result":{"score":{"raw":1.10000000000000000001}}'
    content = b'{%s,"stored":"x","version":"2.0.0"}' % kept
    assert rules.rewrite(content, "1.0.3", ()) == b"{%s}" % kept


def test_a_statement_in_a_statement_has_the_older_context_too() -> None:
    inner = {"objectType": "SubStatement", "context": {"contextGroups": [], "language": "pt-BR"}}
    content = to_json({"object": inner, "context": {"contextAgents": []}})
    expected = {"object": inner | {"context": {"language": "pt-BR"}}, "context": {}}
    assert json.loads(rules.rewrite(content, "1.0.3", ())) == expected
    assert json.loads(rules.rewrite(content, "2.0.0", ())) == json.loads(content)


def test_filters_look_at_verb_and_activity() -> None:
    from trilha.training.xapi.identifiers import verb_key

    content = to_json({"object": {"id": ACTIVITY}}).decode()
    one = Candidate(uuid4(), 1, verb_key(VERB), False, content, None)
    assert rules.matches(one, [], None)
    assert rules.matches(one, [VERB], ACTIVITY[:10])
    assert not rules.matches(one, [VOIDED], None)
    assert not rules.matches(one, [], "https://else")
