"""What the Python client does if a call is lost or refused for a time."""

import email.utils
import time
from collections.abc import Iterator

import pytest

from clients.python_client.company import Company
from clients.python_client.faulty_proxy import LOST_ANSWER, LOST_REQUEST, FaultyProxy, Refusal
from trilha_client import ApiError, NetworkError, NotFoundError, RateLimitError, ServerError, Trilha

NOBODY = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def pauses() -> list[tuple[float, str]]:
    return []


@pytest.fixture
def client(company: Company, proxy: FaultyProxy, pauses: list[tuple[float, str]]) -> Iterator[Trilha]:
    """Returns a client behind the proxy. It notes its pauses."""

    def note(seconds: float, reason: str) -> None:
        pauses.append((seconds, reason))

    with Trilha(proxy.url, api_key=company.key, max_retries=3, on_wait=note) as client:
        yield client


def count_users(client: Trilha, email: str) -> int:
    return len(list(client.users.list(email=email)))


@pytest.mark.parametrize("fault", [LOST_REQUEST, LOST_ANSWER, Refusal(500), Refusal(502), Refusal(503)])
def test_a_post_is_repeated_with_its_key_and_makes_one_row(
    client: Trilha, proxy: FaultyProxy, fault: str | Refusal
) -> None:
    name = str(fault).replace(" ", "-").partition("(")[0] + str(getattr(fault, "status", ""))
    email = f"once.{name.lower()}@example.com"
    proxy.faults += [fault, fault]
    user = client.users.create(email=email, name="Ana")
    assert [request.method for request in proxy.requests] == ["POST"] * 3
    assert len({request.idempotency_key for request in proxy.requests}) == 1
    assert user["temporary_password"]
    assert count_users(client, email) == 1


def test_two_calls_have_two_keys_and_yours_is_kept(client: Trilha, proxy: FaultyProxy) -> None:
    for number in range(2):
        client.users.create(email=f"key{number}@example.com", name="Ana")
    client.users.create(email="key2@example.com", name="Ana", idempotency_key="hr-4712")
    first, second, third = (request.idempotency_key for request in proxy.requests)
    assert first != second
    assert third == "hr-4712"


def test_it_waits_as_long_as_the_server_asks(
    client: Trilha, proxy: FaultyProxy, pauses: list[tuple[float, str]]
) -> None:
    proxy.faults += [Refusal(429, "1"), Refusal(503, email.utils.formatdate(time.time() + 2, usegmt=True))]
    began = time.monotonic()
    assert list(client.users.list(email="nobody@example.com")) == []
    assert time.monotonic() - began >= sum(seconds for seconds, _ in pauses)
    (first, _), (second, _) = pauses
    assert 1 <= first < 1.5
    assert 0 < second < 2.5


def test_pauses_grow(client: Trilha, proxy: FaultyProxy, pauses: list[tuple[float, str]]) -> None:
    proxy.faults += [LOST_REQUEST, Refusal(502), Refusal(504)]
    list(client.users.list(email="nobody@example.com"))
    for (seconds, _), longest in zip(pauses, (0.25, 0.5, 1), strict=True):
        assert longest / 2 <= seconds <= longest
    assert ["RemoteProtocolError" in pauses[0][1], "http_502" in pauses[1][1]] == [True, True]


def test_it_does_not_wait_longer_than_allowed(client: Trilha, proxy: FaultyProxy) -> None:
    proxy.faults.append(Refusal(429, "885"))
    with pytest.raises(RateLimitError) as refusal:
        client.users.get(NOBODY)
    assert (refusal.value.retry_after, len(proxy.requests)) == (885, 1)


def test_it_gives_up_after_the_last_attempt(client: Trilha, proxy: FaultyProxy) -> None:
    proxy.faults += [Refusal(503)] * 4
    with pytest.raises(ServerError) as refusal:
        client.users.get(NOBODY)
    assert (refusal.value.status, refusal.value.code, len(proxy.requests)) == (503, "http_503", 4)
    proxy.faults += [LOST_REQUEST] * 4
    with pytest.raises(NetworkError, match="4 attempts"):
        client.users.get(NOBODY)


def test_a_refusal_is_final(client: Trilha, proxy: FaultyProxy) -> None:
    with pytest.raises(NotFoundError):
        client.users.get(NOBODY)
    assert len(proxy.requests) == 1


def test_an_answer_of_something_else_is_an_error(client: Trilha, proxy: FaultyProxy) -> None:
    proxy.faults.append(Refusal(200))
    with pytest.raises(ApiError, match="Something other than Trilha answered"):
        client.users.get(NOBODY)


def test_what_a_lost_attempt_deleted_is_deleted(client: Trilha, proxy: FaultyProxy) -> None:
    endpoint = client.webhooks.create(url="https://hooks.example.com/", events=["user.created"])
    proxy.faults.append(LOST_ANSWER)
    client.webhooks.delete(endpoint["id"])
    with pytest.raises(NotFoundError):
        client.webhooks.delete(endpoint["id"])
