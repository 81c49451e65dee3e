"""`trilha keys` encrypts everything with a new master key while the server runs, until the old key can go."""

import asyncio
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2
import pytest
from validate_docbr import CPF

from running import TRILHA, Running, running, wait_until, with_demo

NEW = "2e" * 32


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("keys")
    with_demo(folder)
    with running(folder) as server:
        yield server


class Promises:
    """What clients got before the change, and must be able to use after it."""

    def __init__(self, server: Running) -> None:
        key = server.command(
            *("api-key", "create", "--tenant", "demo", "--name", "t"),
            *("--scopes", "users:read,users:write,certificates:read"),
        )["key"]
        self.server = server
        self.headers = {"authorization": f"Bearer {key}"}
        self.cpf = CPF().generate()
        person = {"email": f"{uuid4().hex}@example.com", "name": "Rui", "cpf": self.cpf}
        self.user = self.ask("POST", "/v1/users", json=person)["data"]
        self.page = self.ask("GET", "/v1/users?limit=2")
        wait_until(self.list_files, 60)
        self.files = {id: self.download(id) for id in self.list_files()}

    def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = httpx2.request(method, f"{self.server.url}{path}", headers=self.headers, **options)
        assert answer.is_success, answer.text
        return answer.json()

    def list_files(self) -> list[str]:
        async def load() -> list[str]:
            connection = await asyncpg.connect(self.server.database_url())
            rows = await connection.fetch("SELECT id FROM certificates WHERE file_key IS NOT NULL")
            await connection.close()
            return [str(row["id"]) for row in rows]

        return asyncio.run(load())

    def download(self, id: str) -> bytes:
        url = self.ask("GET", f"/v1/certificates/{id}")["data"]["pdf_url"]
        answer = httpx2.get(url, headers=self.headers)
        assert answer.is_success, answer.text
        return answer.content

    def check(self) -> None:
        assert self.page["next_cursor"]
        following = self.ask("GET", f"/v1/users?limit=2&cursor={self.page['next_cursor']}")["data"]
        assert {each["id"] for each in following}.isdisjoint(each["id"] for each in self.page["data"])
        assert {id: self.download(id) for id in self.files} == self.files
        # Found by its hash, and compared with the encrypted one.
        other = {"email": f"{uuid4().hex}@example.com", "name": "Rui", "cpf": self.cpf}
        answer = httpx2.post(f"{self.server.url}/v1/users", headers=self.headers, json=other)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "cpf_exists")


class Load:
    """Creates and changes people until it is stopped. Each must succeed."""

    def __init__(self, promises: Promises) -> None:
        self._promises = promises
        self._stop = threading.Event()
        self.count = 0
        self.failures: list[str] = []
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.wait(0.01):
            person = {"email": f"{uuid4().hex}@example.com", "name": "Rui", "cpf": CPF().generate()}
            try:
                made = self._promises.ask("POST", "/v1/users", json=person)["data"]
                self._promises.ask("PATCH", f"/v1/users/{made['id']}", json={"cpf": CPF().generate()})
            except Exception as error:
                self.failures.append(repr(error))
            self.count += 1

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def keys_in_use(server: Running) -> set[str]:
    return {each["key"] for each in server.command("keys", "status")["uses"]}


def test_an_old_key_is_thrown_away_while_the_server_runs(server: Running) -> None:
    promises = Promises(server)
    key_file = server.folder / "data" / "master.key"
    old = key_file.read_text().strip()
    (old_id,) = keys_in_use(server)
    server.stop()
    key_file.write_text(f"{NEW}\n{old}\n")
    server.start_again()
    promises.check()
    with Load(promises) as load:
        for _ in range(3):
            reseal_and_kill(server)
        assert server.command("keys", "reseal") == {"forgotten": [old_id]}
    assert load.count > 0
    assert load.failures == []
    assert old_id not in keys_in_use(server)
    promises.check()
    server.stop()
    key_file.write_text(NEW)
    server.start_again()
    promises.check()
    assert server.command("keys", "reseal") == {"forgotten": []}


def reseal_and_kill(server: Running) -> None:
    process = subprocess.Popen([TRILHA, "keys", "reseal"], env=server.environment)
    time.sleep(random.uniform(0.5, 1.5))  # somewhere between its start and its end
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_process_with_another_key_stops_the_change(server: Running) -> None:
    current = (server.folder / "data" / "master.key").read_text().strip()
    environment = server.environment | {"TRILHA_MASTER_KEY": f"{'5f' * 32}\n{current}"}
    done = subprocess.run(
        [TRILHA, "keys", "reseal"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Restart these processes, which still encrypt with another key: serve " in done.stderr
