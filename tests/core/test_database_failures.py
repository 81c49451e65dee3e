"""Which failures belong to the database, and which to the handler."""

from typing import Any

import asyncpg
import pytest

from conftest import World
from trilha import app as trilha_app
from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.database.failures import Unreachable, await_answer
from trilha.core.web.routes import Envelope, Routes
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.courses.schema import Course


@pytest.mark.parametrize("failure", [TimeoutError, ConnectionResetError])
async def test_a_handlers_own_failure_is_no_lost_database(
    world: World, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    """It is answered with 500, and a read is not repeated."""
    calls: list[Any] = []
    slow = Routes("Slow", "A feature that waits for somebody else.")

    @slow.get("/slow", scope=Scope.USERS_READ)
    async def wait_in_vain(tx: Tx) -> Envelope[Course]:
        """Fails."""
        calls.append(tx)
        raise failure

    monkeypatch.setattr(trilha_app, "FEATURES", (*trilha_app.FEATURES, Feature(name="test", v1=[slow])))
    app = trilha_app.create_app(Settings(), world.database, world.clock)
    http = world.client(app=app, address="2001:db8:ffff::2")
    answer = await http.get("/v1/slow", headers={"authorization": world.http.headers["authorization"]})
    assert (answer.status_code, answer.json()["error"]["code"], len(calls)) == (500, "internal_error", 1)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("failure on connection marked as essential: worker1:5432", Unreachable),
        ("connection to the remote node trilha@worker1:5432 failed", Unreachable),
        ("cache lookup failed for relation 1", asyncpg.InternalServerError),
    ],
)
async def test_a_lost_worker_of_a_cluster_is_a_lost_database(message: str, expected: type[Exception]) -> None:
    async def fail() -> None:
        raise asyncpg.PostgresError.new({"S": "ERROR", "C": "XX000", "M": message})

    with pytest.raises(expected):
        await await_answer(fail())
