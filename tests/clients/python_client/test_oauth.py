"""Access tokens of an OAuth client: one for many calls, and another if it is refused."""

import asyncio

import httpx2
import pytest

from clients.python_client.company import Company
from clients.python_client.faulty_proxy import LOST_ANSWER, FaultyProxy, Refusal
from trilha_client import AsyncTrilha, AuthenticationError, PermissionDeniedError, Trilha


def count_tokens(proxy: FaultyProxy) -> int:
    return sum(request.path == "/oauth/token" for request in proxy.requests)


def test_one_token_serves_many_calls(company: Company, proxy: FaultyProxy) -> None:
    app = company.issue_client("users:read,users:write")
    proxy.faults += [Refusal(503), LOST_ANSWER]
    with Trilha(proxy.url, client_id=app["client_id"], client_secret=app["client_secret"]) as client:
        for number in range(3):
            client.users.create(email=f"oauth{number}@example.com", name="Ana")
        assert count_tokens(proxy) == 3  # two of them were lost
        revoke(company, app, proxy.requests[-1].authorization.removeprefix("Bearer "))
        assert list(client.users.list(email="oauth0@example.com"))
        assert count_tokens(proxy) == 4


def revoke(company: Company, app: dict[str, str], token: str) -> None:
    basic = (app["client_id"], app["client_secret"])
    httpx2.post(f"{company.url}/oauth/revoke", data={"token": token}, auth=basic).raise_for_status()


async def test_parallel_calls_wait_for_one_token(company: Company, proxy: FaultyProxy) -> None:
    app = company.issue_client("users:read")
    async with AsyncTrilha(
        proxy.url, client_id=app["client_id"], client_secret=app["client_secret"]
    ) as client:
        await asyncio.gather(*(client.request("GET", "/users") for _ in range(10)))
    assert count_tokens(proxy) == 1


def test_a_token_has_the_scope_that_was_asked_for(company: Company) -> None:
    app = company.issue_client("users:read,users:write")
    credentials = {"client_id": app["client_id"], "client_secret": app["client_secret"]}
    with (
        Trilha(company.url, scope="users:read", **credentials) as client,
        pytest.raises(PermissionDeniedError),
    ):
        client.users.create(email="scope@example.com", name="Ana")


def test_a_wrong_secret_is_refused(company: Company) -> None:
    app = company.issue_client("users:read")
    with Trilha(company.url, client_id=app["client_id"], client_secret="wrong") as client:
        with pytest.raises(AuthenticationError) as refusal:
            client.request("GET", "/users")
        assert (refusal.value.status, refusal.value.code) == (401, "invalid_client")
