"""Two nodes behind nginx without sticky sessions, which share a database, a master key and a bucket."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from conftest import Clock, World, new_world
from proxy import proxy, require_nginx
from running import TRILHA, free_port, migrated, wait_until
from trilha.core.database import Database
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from web.panel.signing_in import PASSWORD, made, token_in

PEOPLE = "nome;email\nAna Conceição;ana@example.com\n".encode()


def answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).status_code == 200
    except httpx2.TransportError:
        return False


@contextmanager
def bucket(folder: Path) -> Iterator[dict[str, str]]:
    """Runs an S3 server with one bucket. Yields the settings of a node that uses it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (folder / "s3.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=log, stderr=log
        )
    try:
        wait_until(lambda: answers(f"{url}/moto-api/"), 60)
        assert httpx2.put(f"{url}/trilha").status_code == 200
        yield {
            "TRILHA_FILES_URL": "s3://trilha/test",
            "AWS_ENDPOINT": url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
    finally:
        process.terminate()
        process.wait(30)


class Node:
    """`trilha serve` and `trilha work` with a data folder of their own."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        folder.mkdir()
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        own = {"TRILHA_DATA_DIR": str(folder), "TRILHA_PORT": str(self.port)}
        self._environment = os.environ | variables | own
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, command: str) -> None:
        with (self.folder / f"{command}.log").open("ab") as log:
            self._processes[command] = subprocess.Popen(
                [TRILHA, command], env=self._environment, stdout=log, stderr=log
            )
        if command == "serve":
            wait_until(lambda: answers(f"{self.url}/readyz"), 60)

    def stop(self, *commands: str) -> None:
        for command in commands or tuple(self._processes):
            process = self._processes.pop(command)
            process.send_signal(signal.SIGTERM)
            process.wait(60)


class Cluster:
    """Two nodes, and the address of the proxy in front of them."""

    def __init__(self, world: World, nodes: list[Node], url: str) -> None:
        self.world = world
        self.nodes = nodes
        self.url = url

    async def sign_in(self) -> httpx2.AsyncClient:
        """Returns an administrator's browser, whose requests alternate between the nodes."""
        user = await made(self.world, "admin")
        client = httpx2.AsyncClient(base_url=self.url, timeout=30)
        client.headers |= {"sec-fetch-site": "same-origin", "accept-language": "en"}
        client.cookies.set("trilha_locale", "en")
        form = {"tenant_slug": self.world.tenant.slug, "email": user.email, "password": PASSWORD}
        answer = await client.post("/login", data=form)
        assert answer.status_code == 303, answer.text
        client.headers["x-csrf-token"] = token_in((await client.get("/learn")).text)
        return client


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    require_nginx()
    with ExitStack() as stack:
        files = stack.enter_context(bucket(tmp_path))
        data = migrated(tmp_path)
        postgres = EmbeddedPostgres(data)
        postgres.start()
        stack.callback(postgres.stop)
        keyring = load_keyring(data / "master.key")
        database = Database(serving_urls(postgres.url, keyring), Clock(), keyring)
        await database.open()
        world = await new_world(postgres.url, database, Clock(), None)
        variables = files | {
            "TRILHA_DATABASE_URL": postgres.url,
            "TRILHA_MASTER_KEY": (data / "master.key").read_text().strip(),
            "TRILHA_WORKERS": "1",
            "TRILHA_SHUTDOWN_DELAY": "3",  # longer than nginx leaves out a node that failed
        }
        nodes = [Node(tmp_path / name, variables) for name in ("one", "two")]
        for node in nodes:
            stack.callback(node.stop)
            await asyncio.to_thread(node.start, "serve")
        front = stack.enter_context(proxy(tmp_path, *[node.port for node in nodes]))
        yield Cluster(world, nodes, f"http://127.0.0.1:{front.port}")
        await database.close()


@pytest.mark.whole
async def test_two_nodes_do_each_others_work(cluster: Cluster) -> None:
    first, second = cluster.nodes
    second.start("work")  # the only worker
    admin = await cluster.sign_in()
    assert [(await admin.get("/admin/people")).status_code for _ in range(6)] == [200] * 6
    uploaded = await admin.post(
        f"{first.url}/admin/people/import/new",
        data={"csrf_token": admin.headers["x-csrf-token"]},
        files={"file": ("rh.csv", PEOPLE, "text/csv")},
    )
    assert uploaded.status_code == 303, uploaded.text
    path = uploaded.headers["location"]
    token = {"csrf_token": admin.headers["x-csrf-token"]}
    await admin.post(f"{path}/columns", data=token | {"member": ["name", "email"]})
    await until(admin, path, "Import 1 person")
    await admin.post(f"{path}/start", data=token)
    await until(admin, "/admin/people?q=ana@", "ana@example.com")
    # The second node's worker has written the mail, and the first one shows it.
    await until_a_mail_says(admin, first.url, "rh.csv")
    assert not (first.folder / "mail").exists()
    assert not (second.folder / "mail").exists()
    await restart_under_load(cluster, admin)


async def until(client: httpx2.AsyncClient, path: str, text: str) -> str:
    """Reloads a page until it has this text."""
    async with asyncio.timeout(60):
        while True:
            page = (await client.get(path)).text
            if text in page:
                return page
            await asyncio.sleep(0.1)


async def until_a_mail_says(client: httpx2.AsyncClient, url: str, text: str) -> None:
    """Reloads the list of e-mails on this node until one of them has the text."""
    async with asyncio.timeout(60):
        while True:
            outbox = (await client.get(f"{url}/admin/outbox")).text
            paths = set(re.findall(r"/admin/outbox/[0-9a-f-]{36}", outbox))
            if any([text in (await client.get(f"{url}{path}")).text for path in paths]):
                return
            await asyncio.sleep(0.1)


async def restart_under_load(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    """Restarts one node after the other, while four readers load pages. No request fails."""
    is_over = False
    statuses: list[int] = []

    async def read() -> None:
        while not is_over:
            statuses.append((await admin.get("/learn")).status_code)

    readers = [asyncio.create_task(read()) for _ in range(4)]
    for node in cluster.nodes:
        await asyncio.to_thread(node.stop, "serve")
        await asyncio.to_thread(node.start, "serve")
    is_over = True
    await asyncio.gather(*readers)
    print(f"\n{len(statuses)} requests")
    assert set(statuses) == {200}
