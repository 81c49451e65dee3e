"""The gateway's part of every request: its log line, and its answers when the database has trouble."""

import json

import asyncpg
import httpx2
import pytest

from browser.serving import serving
from conftest import CPF, NO_LIMIT, World
from trilha import app as trilha_app
from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.routes import Envelope, Routes
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.courses.schema import Course


@pytest.mark.parametrize("method", [f"X{CPF}", "A" * 60_000])
async def test_a_method_that_there_is_not_is_not_logged(
    world: World, method: str, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    answer = await world.http.request(method, "/v1/users")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    (line,) = [json.loads(each) for each in capfd.readouterr().err.splitlines()]
    assert line["message"] == "(other) (no route)"
    assert method not in str(line)


async def test_each_surface_refuses_an_unknown_method_in_its_own_form(world: World) -> None:
    """Behind the server, whose parser knows few methods."""
    async with serving(world.app) as url, httpx2.AsyncClient(base_url=url) as http:
        api = await http.request("BREW", "/v1/users")
        assert (api.status_code, api.json()["error"]["code"]) == (405, "method_not_allowed")
        assert api.headers["allow"] == (await http.put("/v1/users")).headers["allow"]
        oauth = await http.request("brew", "/oauth/token")
        assert (oauth.status_code, oauth.json()["error"]) == (405, "invalid_request")
        scim = await http.request("BREW", "/scim/v2/Users")
        assert (scim.status_code, scim.json()["status"]) == (405, "405")
        page = await http.request("BREW", "/login")
        assert (page.status_code, page.headers["content-type"]) == (405, "text/html; charset=utf-8")


async def test_a_line_tells_surface_tenant_actor_and_route(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    await world.http.get("/v1/users/1b4e28ba-2fa1-41d2-883f-0016d3cca427?fields=name")
    await world.client().get("/oauth/jwks")
    first, second = [json.loads(each) for each in capfd.readouterr().err.splitlines()]
    async with world.tx() as tx:
        key = await tx.value("SELECT id FROM api_keys WHERE tenant_id = :tenant")
    assert first["message"] == "GET /v1/users/{user_id}"
    assert (first["surface"], first["tenant"]) == ("v1", str(world.tenant.id))
    assert (first["actor"], first["status"]) == (f"api_key:{key}", 404)
    assert (second["surface"], second["tenant"], second["route"]) == ("oauth", None, "/oauth/jwks")


@pytest.mark.parametrize(
    "trouble", [asyncpg.DiskFullError, asyncpg.OutOfMemoryError, asyncpg.PostgresIOError]
)
async def test_a_database_that_lacks_something_is_unavailable(world: World, trouble: type[Exception]) -> None:
    full = Routes("Full", "A feature that meets a full disk.")

    @full.get("/full", scope=Scope.USERS_READ)
    async def fill(tx: Tx) -> Envelope[Course]:
        """Fails."""
        raise trouble("could not extend file")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trilha_app, "FEATURES", (*trilha_app.FEATURES, Feature(name="test", v1=[full])))
        app = trilha_app.create_app(Settings(limit_v1=NO_LIMIT), world.database, world.clock)
    client = world.client(world.http.headers["authorization"].removeprefix("Bearer "), app)
    answer = await client.get("/v1/full")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize("coding", ["gzip, chunked", "gzip", "identity", "chunked, chunked", "x"])
async def test_a_body_in_another_coding_than_chunked_is_refused(world: World, coding: str) -> None:
    """Each surface refuses it in its own format, whatever the server does with the header."""
    headers = {"transfer-encoding": coding}
    api = await world.http.post("/v1/users", content=b"{}", headers=headers)
    assert (api.status_code, api.json()["error"]["code"]) == (501, "transfer_coding_unknown")
    assert api.headers["connection"] == "close"
    oauth = await world.client().post("/oauth/token", content=b"x", headers=headers)
    assert (oauth.status_code, oauth.json()["error"]) == (501, "invalid_request")
    page = await world.client().post("/login", content=b"x", headers=headers)
    assert (page.status_code, page.headers["content-type"]) == (501, "text/html; charset=utf-8")
    chunked = await world.http.post("/v1/users", content=b"{}", headers={"transfer-encoding": "Chunked"})
    assert chunked.status_code == 415
