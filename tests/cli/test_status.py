"""`trilha status`, and the log lines about deliveries and refused requests."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import httpx2
import pytest

from receiver import receiving
from running import Running, running, wait_until
from trilha.core.database.embedded import EmbeddedPostgres


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("status"), TRILHA_NET_ALLOW="127.0.0.0/8") as server:
        server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        yield server


@contextmanager
def database_of(server: Running) -> Iterator[str]:
    postgres = EmbeddedPostgres(server.folder / "data")
    postgres.start()
    try:
        yield postgres.url
    finally:
        postgres.stop()


@pytest.fixture
def http(server: Running) -> Iterator[httpx2.Client]:
    scopes = "webhooks:read,webhooks:write"
    arguments = ("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
    headers = {"authorization": f"Bearer {server.command(*arguments)['key']}"}
    with httpx2.Client(base_url=server.url, headers=headers) as http:
        yield http


def lines(server: Running, message: str) -> list[dict[str, Any]]:
    told = [line for line in server.log.read_text().splitlines() if line.endswith("}")]
    return [line for line in map(json.loads, told) if line["message"] == message]


def test_processes_are_those_that_run(server: Running) -> None:
    found = server.command("status")["processes"]
    numbers = {each.pid for each in (*server.children("serve"), *server.children("work"))}
    assert {each["kind"] for each in found} == {"serve", "work"}
    for each in found:
        assert int(each["process"].partition("@")[0]) in numbers
        assert each["connections"] >= 1


async def test_a_delivery_leaves_a_line_and_the_last_error(server: Running, http: httpx2.Client) -> None:
    async with receiving(500, 204) as receiver:
        new = {"url": receiver.url, "events": ["user.deleted"]}
        endpoint = (await asyncio.to_thread(http.post, "/v1/webhooks", json=new)).json()["data"]["id"]
        tried = await asyncio.to_thread(http.post, f"/v1/webhooks/{endpoint}/test")
        delivery = tried.json()["data"]["id"]
        await asyncio.to_thread(wait_until, lambda: lines(server, "webhook delivered"))
    (refused,) = lines(server, "webhook not delivered")
    (delivered,) = lines(server, "webhook delivered")
    for each, number, status in ((refused, 1, 500), (delivered, 2, 204)):
        told = (each["endpoint"], each["delivery"], each["type"], each["number"], each["http_status"])
        assert told == (endpoint, delivery, "webhook.test", number, status)
    assert refused["level"] == "warning"
    assert refused["next_attempt_at"] is not None
    assert receiver.url not in server.log.read_text()

    def errors() -> list[dict[str, Any]]:
        return [
            each
            for each in server.command("status")["last_errors"]
            if each["message"] == "webhook not delivered"
        ]

    await asyncio.to_thread(wait_until, errors)
    (error,) = errors()
    assert error["count"] == 1
    assert error["detail"]["delivery"] == delivery


async def test_what_a_server_could_not_answer_is_among_the_errors(
    server: Running, http: httpx2.Client
) -> None:
    with database_of(server) as url:
        owner = await asyncpg.connect(url)
        await owner.execute("ALTER TABLE webhook_endpoints RENAME TO elsewhere")
        try:
            for _ in range(2):
                assert (await asyncio.to_thread(http.get, "/v1/webhooks")).status_code == 500
        finally:
            await owner.execute("ALTER TABLE elsewhere RENAME TO webhook_endpoints")
            await owner.close()

    def met() -> list[dict[str, Any]]:
        errors = server.command("status")["last_errors"]
        return [each for each in errors if each["message"] == "unexpected failure" and each["count"] == 2]

    await asyncio.to_thread(wait_until, met)
    (error,) = met()
    assert error["detail"]["request"] == "GET /v1/webhooks"
    assert error["detail"]["error"]["kind"] == "asyncpg.exceptions.UndefinedTableError"
    assert int(error["process"].partition("@")[0]) in {each.pid for each in server.children("serve")}


def test_what_waits_is_counted_and_since_when_it_is_due(server: Running, http: httpx2.Client) -> None:
    """Nothing listens on that port, so the first retry is due some seconds later."""
    new = {"url": "http://127.0.0.1:9/hook", "events": ["user.deleted"]}
    endpoint = http.post("/v1/webhooks", json=new).json()["data"]["id"]
    http.post(f"/v1/webhooks/{endpoint}/test")
    works = {each["work"]: each for each in server.command("status")["backlog"]}
    assert works["webhooks"]["waiting"] == 1
    assert works["e-mail"] == {"work": "e-mail", "waiting": 0, "oldest_due": None}
    assert len(works) == 8


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "shape"),
    [
        ("GET", "/v1/userz/maria@example.com", 404, "route_not_found", "/v1/{other}/{other}"),
        ("GET", "/v1/users/12/enrolments", 404, "route_not_found", "/v1/users/{number}/{other}"),
        (
            "GET",
            "/v1/users/1b4e28ba-2fa1-41d2-883f-0016d3cca427/cpf/09",
            404,
            "route_not_found",
            "/v1/users/{uuid}/{other}/{number}",
        ),
        ("GET", "/v1" + "/users" * 99, 404, "route_not_found", "/v1" + "/users" * 7 + "/…"),
        ("DELETE", "/v1/webhooks", 405, "method_not_allowed", "/v1/webhooks"),
        ("GET", "/v1/users", 403, "insufficient_scope", None),
    ],
)
def test_a_refused_request_tells_its_code_and_a_bounded_shape(
    server: Running, http: httpx2.Client, method: str, path: str, status: int, code: str, shape: str | None
) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    wanted = answer.headers["x-request-id"]
    wait_until(lambda: wanted in server.log.read_text())
    (line,) = [each for each in map(json.loads, _json_lines(server)) if each.get("request_id") == wanted]
    assert (line["code"], line.get("shape")) == (code, shape)
    assert "maria" not in str(line)


def _json_lines(server: Running) -> list[str]:
    return [line for line in server.log.read_text().splitlines() if line.endswith("}")]
