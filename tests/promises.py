"""What clients of a running server were promised, and must be able to use after the server was changed."""

import asyncio
import threading
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2
from validate_docbr import CPF

from running import Running, wait_until


class Promises:
    """A key, a person with a CPF, the first page of a list, and certificates' files of the demo tenant."""

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
        answer = httpx2.get(self.server.url + url[url.index("/", 8) :], headers=self.headers)
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
        self.made: list[str] = []
        self.failures: list[str] = []
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.wait(0.01):
            person = {"email": f"{uuid4().hex}@example.com", "name": "Rui", "cpf": CPF().generate()}
            try:
                made = self._promises.ask("POST", "/v1/users", json=person)["data"]
                self._promises.ask("PATCH", f"/v1/users/{made['id']}", json={"cpf": CPF().generate()})
                self.made.append(made["id"])
            except Exception as error:
                self.failures.append(repr(error))

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
