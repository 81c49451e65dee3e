"""The clients that integrators use, with several server processes."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session

from access.oauth.clients import parts
from npm import installed, node
from running import Running, running
from spread import spread_over

HERE = Path(__file__).parent
WORKERS = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("oauth")
    with running(folder, TRILHA_WORKERS=str(WORKERS), TRILHA_LIMIT_TOKEN="100000/1m") as server:
        server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        yield server


class Made:
    """A client that was created and changed with the command line."""

    def __init__(self, server: Running) -> None:
        self.server = server
        made = self.run("create", "--name", "erp", "--scopes", "users:read")
        self.id, self.name, self.secret = made["id"], made["client_id"], made["client_secret"]

    def run(self, command: str, *options: str) -> Any:
        return self.server.command("oauth-client", command, "--tenant", "acme", *options)

    def token(self) -> str:
        answer = httpx2.post(
            f"{self.server.url}/oauth/token",
            data={"grant_type": "client_credentials"},
            auth=httpx2.BasicAuth(self.name, self.secret),
        )
        token: str = answer.json()["access_token"]
        return token


@pytest.fixture(scope="module")
def made(server: Running) -> Made:
    return Made(server)


def test_authlib(made: Made) -> None:
    for method in ("client_secret_basic", "client_secret_post"):
        with AuthlibSession(made.name, made.secret, token_endpoint_auth_method=method) as session:
            session.fetch_token(f"{made.server.url}/oauth/token", grant_type="client_credentials")
            assert session.get(f"{made.server.url}/v1/users").json()["data"] == []
            told = session.introspect_token(
                f"{made.server.url}/oauth/introspect", session.token["access_token"]
            )
            assert told.json()["active"]
            session.revoke_token(f"{made.server.url}/oauth/revoke", session.token["access_token"])
            assert session.get(f"{made.server.url}/v1/users").status_code == 401


def test_requests_oauthlib(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the test server has no certificate
    with OAuth2Session(client=BackendApplicationClient(client_id=made.name)) as session:
        session.fetch_token(f"{made.server.url}/oauth/token", client_id=made.name, client_secret=made.secret)
        assert session.get(f"{made.server.url}/v1/users").json()["data"] == []


def test_httpx2(made: Made) -> None:
    with httpx2.Client(base_url=made.server.url) as http:
        answer = http.get("/v1/users", headers={"authorization": f"Bearer {made.token()}"})
        assert answer.json()["data"] == []


def test_curl(made: Made) -> None:
    form = ("-d", "grant_type=client_credentials")
    body = ("-d", f"client_id={made.name}", "-d", f"client_secret={made.secret}")
    for way in (("-u", f"{made.name}:{made.secret}"), body):
        said = subprocess.check_output(["curl", "-s", *way, *form, f"{made.server.url}/oauth/token"])
        bearer = f"Authorization: Bearer {json.loads(said)['access_token']}"
        told = subprocess.check_output(["curl", "-s", "-H", bearer, f"{made.server.url}/v1/users"])
        assert json.loads(told)["data"] == []


def test_openid_client_and_simple_oauth2(made: Made, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(installed(HERE) / "node_modules")
    shutil.copy(HERE / "clients.mjs", tmp_path)
    variables = {"TRILHA_URL": made.server.url, "CLIENT_ID": made.name, "CLIENT_SECRET": made.secret}
    told = node("node", "clients.mjs", folder=tmp_path, **variables)
    assert told.returncode == 0, told.stderr
    expected = ["openid-client 200 0", "true", "false", "simple-oauth2 200 0", "simple-oauth2 200 0"]
    assert told.stdout.splitlines() == expected


@pytest.fixture
async def everywhere(server: Running) -> AsyncIterator[Sequence[httpx2.AsyncClient]]:
    """Opens connections to every process before a change and keeps them, so that a stale cache would be
    noticed.
    """
    async with spread_over(server, WORKERS, 2 * WORKERS) as clients:
        yield clients


async def statuses(everywhere: Sequence[httpx2.AsyncClient], credential: str) -> set[int]:
    """Returns the status of one call on each connection."""
    bearer = {"authorization": f"Bearer {credential}"}
    calls = [client.get("/v1/users", headers=bearer) for client in everywhere]
    return {answer.status_code for answer in await asyncio.gather(*calls)}


def revoke(made: Made, token: str) -> None:
    form = {"token": token}
    auth = httpx2.BasicAuth(made.name, made.secret)
    assert httpx2.post(f"{made.server.url}/oauth/revoke", data=form, auth=auth).status_code == 200


def revoke_key(made: Made, token: str) -> None:
    made.server.command("signing-key", "revoke", "--kid", parts(token)[0]["kid"])


ENDS: dict[str, Callable[[Made, str], object]] = {
    "revoked": revoke,
    "disabled": lambda made, _: made.run("disable", "--id", made.id),
    "deleted": lambda made, _: made.run("delete", "--id", made.id),
    "signing key revoked": revoke_key,
}


@pytest.mark.parametrize("end", list(ENDS))
async def test_what_ended_is_refused_on_the_next_request_by_every_process(
    server: Running, everywhere: Sequence[httpx2.AsyncClient], end: str
) -> None:
    made = Made(server)
    token = made.token()
    assert await statuses(everywhere, token) == {200}
    ENDS[end](made, token)
    assert await statuses(everywhere, token) == {401}


async def test_a_suspended_tenants_credentials_are_refused_by_every_process(
    server: Running, everywhere: Sequence[httpx2.AsyncClient], made: Made
) -> None:
    key = server.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:read")
    token = made.token()
    for credential in (token, key["key"]):
        assert await statuses(everywhere, credential) == {200}
    server.command("tenant", "suspend", "acme")
    for credential in (token, key["key"]):
        assert await statuses(everywhere, credential) == {401}
    server.command("tenant", "activate", "acme")


async def test_a_rotated_key_is_refused_by_every_process(
    server: Running, everywhere: Sequence[httpx2.AsyncClient]
) -> None:
    key = server.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:read")
    assert await statuses(everywhere, key["key"]) == {200}
    new = server.command("api-key", "rotate", "--tenant", "acme", "--id", key["id"], "--grace", "0s")
    assert await statuses(everywhere, key["key"]) == {401}
    assert await statuses(everywhere, new["key"]) == {200}


async def test_a_rotated_signing_key_is_known_to_every_process(
    server: Running, everywhere: Sequence[httpx2.AsyncClient], made: Made
) -> None:
    old = made.token()
    server.command("signing-key", "rotate", "--now")
    tokens = {made.token() for _ in range(WORKERS)}
    for token in (old, *tokens):
        assert await statuses(everywhere, token) == {200}


async def test_rfc6749_10_10_many_at_once_from_every_process(
    everywhere: Sequence[httpx2.AsyncClient], made: Made
) -> None:
    async def ask(client: httpx2.AsyncClient) -> list[httpx2.Response]:
        form, auth = {"grant_type": "client_credentials"}, httpx2.BasicAuth(made.name, made.secret)
        return [
            await client.post("/oauth/token", data=form, auth=auth) for _ in range(200 // len(everywhere))
        ]

    answers = [each for some in await asyncio.gather(*map(ask, everywhere)) for each in some]
    assert {answer.status_code for answer in answers} == {200}
    assert len({parts(answer.json()["access_token"])[1]["jti"] for answer in answers}) == len(answers)


def test_the_audit_record_tells_who_what_and_from_where(server: Running) -> None:
    made = Made(server)
    made.run("rotate", "--id", made.id)
    made.run("disable", "--id", made.id)
    own = [each for each in server.command("audit", "--tenant", "acme") if each["target_id"] == made.id]
    actions = ["oauth_client.disabled", "oauth_client.rotated", "oauth_client.created"]
    assert [each["action"] for each in own] == actions
    assert {(each["actor_kind"], each["source"]) for each in own} == {("operator", os.uname().nodename)}
    assert made.secret not in str(own)
