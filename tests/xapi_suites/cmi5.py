"""Runs CATAPULT's suite for cmi5 LMSs: `python -m xapi_suites.cmi5 FOLDER`.

FOLDER is a checkout of adlnet/CATAPULT; in its folder `lts`, the packages of npm are installed and those of
the suite are built. The suite runs on a server of its own, started here, and its totals are printed. The
command fails unless every test passes. PUPPETEER_EXECUTABLE_PATH names the browser, if Puppeteer has none.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

import httpx2

from running import Running
from trilha.cli.output import in_transaction
from trilha.core.database import Tx
from trilha.settings import Settings
from trilha.training.learning.launches import queries
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.learning.previews.actions import open_preview
from trilha.web.player.origin import ContentOrigin

_DRIVER = Path(__file__).with_name("lms.js")


class Refused(Exception):
    """The package was refused."""


class Lms:
    """What the suite asks of an LMS, done on a running server."""

    def __init__(self, server: Running, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.packages = 0
        self.last: tuple[UUID, UUID] | None = None
        scopes = "users:write,courses:read,enrollments:read,enrollments:write"
        made = server.command("api-key", "create", "--tenant", "lts", "--name", "LTS", "--scopes", scopes)
        headers = {"authorization": f"Bearer {made['key']}"}
        self.api = httpx2.Client(base_url=f"{server.url}/v1", headers=headers, timeout=60)
        person = {"name": "Ana Lima", "email": "ana@example.com"}
        self.learner = self._send("POST", "/users", json=person)["id"]
        admin = ("--email", "rita@example.com", "--name", "Rita")
        self.admin = server.command("admin", "create", "--tenant", "lts", *admin)["id"]

    def _send(self, method: str, path: str, **options: Any) -> Any:
        answer = self.api.request(method, path, **options)
        if answer.status_code >= 300:
            raise RuntimeError(answer.text)
        return answer.json()["data"] if answer.content else None

    def import_package(self, name: str, content: bytes) -> dict[str, Any]:
        self.packages += 1
        path = self.folder / str(self.packages) / name
        path.parent.mkdir()
        path.write_bytes(content)
        arguments = ("--tenant", "lts", "--title", f"{name} {self.packages}", "--publish")
        try:
            made = self.server.command("course", "import", *arguments, str(path))
        except RuntimeError as error:
            if "was refused." in str(error):
                raise Refused(str(error)) from None
            raise
        return {"id": made["id"]}

    def _list_modules(self, course: str) -> list[dict[str, Any]]:
        modules: list[dict[str, Any]] = self._send("GET", f"/courses/{course}/modules")
        return modules

    def launch(
        self, course: str, unit: int, registration: str | None = None, mode: str | None = None
    ) -> dict[str, Any]:
        module = self._list_modules(course)[unit]["id"]
        if mode == "Browse":
            token = in_transaction("lts", partial(_open_preview, UUID(self.admin), UUID(module)))
        else:
            enrollment = registration or self._enroll(course)
            if mode == "Review":
                self._waive(enrollment, module, "Review")
            ids = (UUID(self.learner), UUID(enrollment), UUID(module))
            token = in_transaction("lts", partial(_launch, *ids))
            self.last = UUID(enrollment), UUID(module)
        return self._open(*token)

    def _enroll(self, course: str) -> str:
        body = {"user_id": self.learner, "course_id": course}
        return str(self._send("POST", "/enrollments", json=body)["id"])

    def _open(self, origin: str, token: str) -> dict[str, Any]:
        """Opens the content as the player's page does."""
        host = origin.partition("://")[2]
        answer = httpx2.post(
            f"{self.server.url}/l/{token}/session", headers={"host": host}, json={}, timeout=60
        )
        assert answer.status_code == 200, answer.text
        return {"address": answer.json()["address"]}

    def waive(self, registration: str, unit: int, reason: str) -> dict[str, Any]:
        course = self._send("GET", f"/enrollments/{registration}")["course_id"]
        self._waive(registration, self._list_modules(course)[unit]["id"], reason)
        return {}

    def _waive(self, enrollment: str, module: str, reason: str) -> None:
        options = ("--enrollment", enrollment, "--module", module, "--reason", reason)
        self.server.command("course", "waive", "--tenant", "lts", *options)

    def abandon(self, session: str) -> dict[str, Any]:
        """Opens the module again, which abandons the session that has not ended."""
        assert session
        assert self.last
        self._open(*in_transaction("lts", partial(_launch, UUID(self.learner), *self.last)))
        return {}


async def _launch(
    learner: UUID, enrollment: UUID, module: UUID, settings: Settings, tx: Tx
) -> tuple[str, str]:
    """Returns the origin of the content, and the token of the launch."""
    made = await launch(tx, learner, enrollment, module, LaunchClient("", "LTS"))
    context = await queries.find_context(tx, made.launch_id)
    assert context
    return _find_origin(settings, tx, context.sha256), made.token


async def _open_preview(admin: UUID, module: UUID, settings: Settings, tx: Tx) -> tuple[str, str]:
    made = await open_preview(tx, admin, module)
    return _find_origin(settings, tx, made.sha256), made.token


def _find_origin(settings: Settings, tx: Tx, sha256: str | None) -> str:
    origin = ContentOrigin(settings.content, "", tx.keyring)
    return origin.address(origin.label(tx.tenant_id, sha256), "")


def build_driver(lms: Lms) -> ThreadingHTTPServer:
    """Returns a server that answers the calls of lms.js, one at a time."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                with lock:
                    status, told = 200, self.call(body)
            except Refused as error:
                status, told = 422, {"error": str(error)}
            except Exception as error:
                status, told = 500, {"error": repr(error)}
                print(told, file=sys.stderr)
            content = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def call(self, body: bytes) -> dict[str, Any]:
            what, _, name = urlsplit(self.path).path.strip("/").partition("/")
            if what == "import":
                return lms.import_package(unquote(name), body)
            methods: dict[str, Callable[..., dict[str, Any]]] = {
                "launch": lms.launch,
                "waive": lms.waive,
                "abandon": lms.abandon,
            }
            told: dict[str, Any] = methods[what](**json.loads(body))
            return told

        def log_message(self, *_: Any) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def run_suite(folder: Path, lms: Lms, key: dict[str, str], arguments: list[str]) -> bool:
    """Runs the suite. Returns whether all tests passed; prints its totals."""
    driver = build_driver(lms)
    threading.Thread(target=driver.serve_forever, daemon=True).start()
    basic = base64.b64encode(f"{key['key']}:{key['secret']}".encode()).decode()
    config = folder / "trilha-puppeteer.config.js"
    browser = os.environ.get("PUPPETEER_EXECUTABLE_PATH", "")
    options = {"headless": True, "args": ["--no-sandbox"], **({"executablePath": browser} if browser else {})}
    config.write_text(f"module.exports = {json.dumps({'launch': options})};")
    environment = os.environ | {
        "CATAPULT_LMS": str(_DRIVER),
        "CATAPULT_DRIVER": f"http://127.0.0.1:{driver.server_port}",
        "CATAPULT_LRS": f"{lms.server.url}/xapi",
        "CATAPULT_LRS_AUTHORIZATION": f"Basic {basic}",
        "JEST_PUPPETEER_CONFIG": str(config),
    }
    command = ["npx", "--no-install", "jest", "--runInBand", "--testTimeout=120000", *arguments]
    try:
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode == 0
    finally:
        driver.shutdown()
        config.unlink()


def main(folder: Path, arguments: list[str]) -> int:
    suite = folder / "lts"
    if not (suite / "node_modules").is_dir() or not (suite / "pkg" / "dist").is_dir():
        print(f"{suite}: run npm ci there, and npx webpack in its folder pkg.")
        return 2
    # The server must not use another installation's database or files.
    for name in [each for each in os.environ if each.startswith("TRILHA_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o711)
        server = Running(Path(scratch), TRILHA_LIMIT_XAPI="100000000/1m")
        try:
            server.wait_ready()
            os.environ.update(server.environment)
            server.command("tenant", "create", "--slug", "lts", "--name", "LTS")
            scopes = ("--scopes", "xapi:read,xapi:write")
            key = server.command("xapi-key", "create", "--tenant", "lts", "--name", "Suite", *scopes)
            passed = run_suite(suite, Lms(server, Path(scratch)), key, arguments)
            if not passed:
                print(server.log.read_text()[-3000:])
            return 0 if passed else 1
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
