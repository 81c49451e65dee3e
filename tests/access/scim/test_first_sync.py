"""The first synchronization of a company, as Entra and Okta do it, with kills of the server."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from access.scim.providers import ENT, USER, U
from running import Running, running, wait_until

MODES = pytest.mark.parametrize("mode", ["Entra", "Okta"])


def people(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        name = f"pessoa.{number}@acme.example"
        yield {
            "schemas": [USER, ENT],
            "externalId": f"ext-{number}",
            "userName": name,
            "displayName": f"Pessoa {number}",
            "name": {"givenName": "Pessoa", "familyName": str(number)},
            "emails": [{"value": name, "type": "work", "primary": True}],
            "active": True,
            ENT: {"department": f"D{number % 7}", "employeeNumber": str(number)},
        }


class Client:
    """Repeats each request until it is answered, as providers do after failures."""

    def __init__(self, server: Running, token: str, mode: str) -> None:
        headers = {"authorization": f"Bearer {token}", "content-type": "application/scim+json"}
        self._http = httpx2.Client(base_url=server.url, headers=headers, timeout=20)
        self._mode = mode
        self.failures = 0

    def ask(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        answers: list[httpx2.Response] = []

        def is_answered() -> bool:
            try:
                answer = self._http.request(method, path, **sent)
            except httpx2.TransportError:
                self.failures += 1
                return False
            answers.append(answer)
            return answer.status_code < 500

        wait_until(is_answered, 90)
        return answers[-1]

    def bring(self, person: dict[str, Any]) -> None:
        params = {"filter": f'userName eq "{person["userName"]}"'}
        if self._mode == "Okta":
            params |= {"startIndex": "1", "count": "100"}
        found = self.ask("GET", U, params=params).json()["Resources"]
        if not found:
            made = self.ask("POST", U, json=person)
            # A request whose answer was lost created it. The repeated search finds it.
            assert made.status_code in (201, 409), made.text
            return
        (one,) = found
        if self._mode == "Okta":
            assert self.ask("PUT", f"{U}/{one['id']}", json=one | person).status_code == 200

    def all(self) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self.ask("GET", U, params={"cursor": cursor, "count": "100"}).json()
            told += page["Resources"]
            cursor = page.get("nextCursor")
        return told


def kill_sometimes(server: Running, times: int, done: threading.Event) -> None:
    for _ in range(times):
        if done.wait(1.5):
            return
        for each in server.children("serve")[1:]:
            each.send_signal(signal.SIGKILL)


def synchronise(folder: Path, mode: str, count: int, kills: int) -> None:
    with running(folder) as server:
        server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        token = server.command("scim", "token", "create", "--tenant", "acme")["token"]
        limit = server.command("scim", "limit", "--tenant", "acme", "--requests", "1000000")
        assert limit["requests"] == 1_000_000
        client = Client(server, token, mode)
        done = threading.Event()
        killer = threading.Thread(target=kill_sometimes, args=(server, kills, done))
        killer.start()
        for _ in range(2):  # the second synchronization finds all of them
            for person in people(count):
                client.bring(person)
        done.set()
        killer.join()
        everybody = client.all()
        assert sorted(each["externalId"] for each in everybody) == sorted(f"ext-{n}" for n in range(count))
        assert len({each["id"] for each in everybody}) == count
        by_name = {each["userName"]: each for each in everybody}
        for person in people(count):
            told = by_name[person["userName"]]
            assert (told["displayName"], told[ENT]) == (person["displayName"], person[ENT])
        assert not kills or client.failures


@MODES
def test_a_company_is_brought_in(tmp_path: Path, mode: str) -> None:
    synchronise(tmp_path, mode, 40, 0)


@pytest.mark.long
@pytest.mark.timeout(3600)
@MODES
def test_five_thousand_people_and_a_server_that_is_killed(tmp_path: Path, mode: str) -> None:
    synchronise(tmp_path, mode, 5_000, 5)
