"""Calls that return the error codes of the learning record store."""

from collections.abc import Awaitable, Callable, Mapping
from uuid import uuid4

import httpx2

from conftest import World
from contract.quiz_calls import Call, acting, answering
from training.cmi5.contents import enroll
from training.xapi.clients import ACTIVITY, statement, xapi_client
from trilha.core.database import Tx
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import Guard
from trilha.core.types import Name
from trilha.training.learning.cmi5.rules import check_client_properties
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.xapi.access import Confinement
from trilha.training.xapi_pipes import actions as pipes
from trilha.training.xapi_pipes.schema import NewPipe

PROFILE = {"activityId": ACTIVITY, "profileId": "p"}


def _calling(
    call: Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]], version: str = "2.0.0"
) -> Call:
    async def run(world: World) -> httpx2.Response:
        return await call(await xapi_client(world, version=version))

    return run


async def _store_another(http: httpx2.AsyncClient) -> httpx2.Response:
    one = statement()
    await http.post("/xapi/statements", json=one)
    return await http.post("/xapi/statements", json=one | {"verb": {"id": "https://example.com/other"}})


async def _put_twice(http: httpx2.AsyncClient, **headers: str) -> httpx2.Response:
    for _ in range(2):
        answer = await http.put("/xapi/activities/profile", params=PROFILE, json={"a": 1}, headers=headers)
    return answer


async def _leave_the_launch(tx: Tx) -> None:
    Confinement(uuid4(), uuid4(), uuid4()).check(uuid4(), uuid4())


async def _send_too_early(tx: Tx) -> None:
    check_client_properties(None, names_id=True)


async def _open_a_superseded_launch(world: World) -> None:
    learner = await enroll(world, "http://trilha.test", "Passed")
    async with world.tx() as tx:
        made = await launch(tx, learner.user_id, learner.id, learner.modules[0], LaunchClient("", ""))
    await learner.open()
    await learner.open_again(made.launch_id)


async def _waive_twice(world: World) -> None:
    learner = await enroll(world, "http://trilha.test", "Passed")
    await learner.waive()
    await learner.waive()


async def _waive_an_article(world: World) -> None:
    learner = await enroll(world, "http://trilha.test", "Passed")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE all_modules SET type = 'ARTICLE', content = NULL WHERE tenant_id = :tenant AND id = :id",
            id=learner.modules[0],
        )
    await learner.waive()


async def _create_too_many_pipes(tx: Tx) -> None:
    guard = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
    new = NewPipe(name=Name("LRS"), url="http://127.0.0.1:1/xapi", username="u", password="p")
    for _ in range(pipes.MAX_PIPES + 1):
        await pipes.create(tx, new, guard)


XAPI_CALLS: Mapping[str, Call] = {
    "xapi_version_unsupported": _calling(lambda http: http.get("/xapi/statements"), version="3.0"),
    "invalid_xapi_parameter": _calling(lambda http: http.get("/xapi/statements?verbs=x")),
    "invalid_statement": _calling(lambda http: http.post("/xapi/statements", json={"actor": 1})),
    "invalid_xapi_content": _calling(
        lambda http: http.post("/xapi/statements", content=b"{", headers={"content-type": "application/json"})
    ),
    "document_changed": _calling(lambda http: _put_twice(http, **{"if-none-match": "*"})),
    "document_exists": _calling(_put_twice),
    "statement_not_found": _calling(lambda http: http.get(f"/xapi/statements?statementId={uuid4()}")),
    "document_not_found": _calling(lambda http: http.get("/xapi/activities/profile", params=PROFILE)),
    "statement_exists": _calling(_store_another),
    "outside_of_launch": acting(_leave_the_launch),
    "cmi5_statement_refused": acting(_send_too_early),
    "launch_superseded": answering(_open_a_superseded_launch),
    "module_not_waivable": answering(_waive_an_article),
    "already_waived": answering(_waive_twice),
    "pipe_not_found": acting(lambda tx: pipes.pause(tx, uuid4())),
    "too_many_pipes": acting(_create_too_many_pipes),
}
