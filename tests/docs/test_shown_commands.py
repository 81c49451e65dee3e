"""Runs every command in the documentation against a server with the demo tenant.

CONTRIBUTING.md says how pages mark commands that are run, their output, and commands that are skipped.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from markdown_pages import PAGES, ROOT, Block, blocks, shown
from running import Running, running, wait_until, with_demo

RUN = ("sh", "bash", "console")
# Runs before each page, so that a refused call and the first failing command fail the test.
PRELUDE = """
set -euo pipefail
curl() { command curl --fail-with-body --max-time 20 "$@"; }
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("docs")
    with_demo(folder)
    with running(folder, "--demo", TRILHA_LIMIT_LOGIN="1000/1m") as server:
        arguments = ("api-key", "create", "--tenant", "demo", "--name", "docs", "--scopes", "users:read")
        server.environment["KEY_ID"] = server.command(*arguments)["id"]
        arguments = ("oauth-client", "create", "--tenant", "demo", "--name", "docs", "--scopes", "users:read")
        server.environment["OAUTH_ID"] = server.command(*arguments)["id"]
        made = server.command(*arguments)
        server.environment["CLIENT_ID"] = made["client_id"]
        server.environment["CLIENT_SECRET"] = made["client_secret"]
        arguments = ("scim", "token", "create", "--tenant", "demo", "--name", "docs")
        server.environment["SCIM_TOKEN"] = server.command(*arguments)["token"]
        arguments = ("xapi-key", "create", "--tenant", "demo", "--name", "docs", "--scopes", "xapi:write")
        made = server.command(*arguments)
        server.environment["XAPI_KEY"], server.environment["XAPI_SECRET"] = made["key"], made["secret"]
        yield server


def _placeholders(server: Running, page: Path) -> dict[str, str]:
    """Returns the values for the reader's own values. Each page gets its own user, so that pages can run
    concurrently.
    """
    key = json.loads((server.folder / "data" / "demo.json").read_text())["key"]
    with httpx2.Client(base_url=f"{server.url}/v1", headers={"authorization": f"Bearer {key}"}) as http:
        new = {"email": f"{uuid4().hex}@docs.test", "name": shown(page)}
        user = http.post("/users", json=new).json()
        (course,) = http.get("/courses?slug=boas-vindas").json()["data"]
        enrollment = http.get("/enrollments?limit=1").json()
        webhook, delivery = _tried(http)
        certificate = http.get("/certificates?limit=1").json()["data"][0]
    scripts = str(Path(sys.executable).parent)
    return server.environment | {
        "PATH": f"{scripts}:{server.environment['PATH']}",
        "KEY": key,
        "USER_ID": user["data"]["id"],
        "COURSE_ID": course["id"],
        "ENROLLMENT_ID": enrollment["data"][0]["id"],
        "CERTIFICATE_ID": certificate["id"],
        "CODE": certificate["verification_code"],
        "WEBHOOK_ID": webhook,
        "DELIVERY_ID": delivery,
    }


def _tried(http: httpx2.Client) -> tuple[str, str]:
    """Creates a webhook endpoint that does not answer, and a delivery to it that waits for its
    next attempt.
    """
    new = {"url": "https://hooks.example.com/", "events": ["user.deleted"]}
    path = f"/webhooks/{http.post('/webhooks', json=new).json()['data']['id']}"
    delivery = http.post(f"{path}/test").json()["data"]["id"]
    wait_until(lambda: http.get(f"{path}/deliveries").json()["data"][0]["attempts"])
    return path.rpartition("/")[2], delivery


@pytest.mark.timeout(1000)
def test_commands_run_and_answer_as_shown(server: Running, tmp_path: Path) -> None:
    pages = [page for page in PAGES if any(block.language in RUN for block in blocks(page))]
    assert ROOT / "README.md" in pages

    def run(page: Path) -> list[str]:
        folder = tmp_path / shown(page).replace("/", "-")
        folder.mkdir()
        (folder / "examples").symlink_to(ROOT / "examples")
        return _run_page(page, folder, server, _placeholders(server, page))

    with ThreadPoolExecutor(3) as pool:
        assert [each for found in pool.map(run, pages) for each in found] == []


def _run_page(page: Path, folder: Path, server: Running, environment: dict[str, str]) -> list[str]:
    """Returns the errors of the page, each with its line."""
    script = [PRELUDE]
    answers: list[tuple[Block, Path]] = []
    last: Path | None = None
    for block in blocks(page):
        if block.language in RUN:
            last = folder / f"{block.line}.out"
            commands = block.text.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
            script.append(f"echo line {block.line} >&2\n{{\n{commands}}} > {last}\n")
            continue
        if block.language == "yaml":
            script.append(f"cat > {block.text.split()[1]} <<'END'\n{block.text}END\n")
        if block.language == "json" and block.follows and last:
            answers.append((block, last))
        last = None
    done = subprocess.run(
        ["bash", "-c", "".join(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        output = "".join(path.read_text() for path in sorted(folder.glob("*.out")))
        return [f"{shown(page)}: exit code {done.returncode}: {done.stderr} {output[-500:]}"]
    return [
        f"{shown(page)}:{block.line}: {difference}"
        for block, answer in answers
        for difference in _differences(json.loads(block.text), json.loads(answer.read_text()), "answer")
    ]


def _differences(told: Any, real: Any, at: str) -> Iterator[str]:
    """Returns where two shapes differ. Null matches everything, and the first element of a list stands for
    all.
    """
    if told is None or real is None:
        return
    if isinstance(told, dict) and isinstance(real, dict):
        if told.keys() != real.keys():
            yield f"{at} has {sorted(real)}, not {sorted(told)}"
        for name in told.keys() & real.keys():
            yield from _differences(told[name], real[name], f"{at}.{name}")
    elif isinstance(told, list) and isinstance(real, list):
        if bool(told) != bool(real):
            yield f"{at} has {len(real)} elements"
        elif told:
            yield from _differences(told[0], real[0], f"{at}.0")
    elif type(told) is not type(real):
        yield f"{at} is {real!r}"


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda answer: answer.pop("limit"), "answer has ['data'], not ['data', 'limit']"),
        (lambda answer: answer["data"].clear(), "answer.data has 0 elements"),
        (lambda answer: answer["data"][0].update(id=7), "answer.data.0.id is 7"),
    ],
)
def test_another_shape_is_noticed(change: Callable[[Any], Any], difference: str) -> None:
    told = {"data": [{"id": "a"}], "limit": 20}
    real = {"data": [{"id": "b"}, {"id": "c"}], "limit": 1}
    assert list(_differences(told, real, "answer")) == []
    change(real)
    assert list(_differences(told, real, "answer")) == [difference]
