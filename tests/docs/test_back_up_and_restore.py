"""Follows the backup page with other folders and users: a restore works with the key and is refused without
it.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from markdown_pages import ROOT, blocks
from running import TRILHA, migrated

PAGE = ROOT / "docs" / "howto" / "back-up-and-restore.md"
BACK_UP, RESTORE, AS_ROOT = [block.text for block in blocks(PAGE) if block.language == "text"][:3]
NOBODY = 65534
# Copies whole databases, on a machine that may do other work.
pytestmark = pytest.mark.timeout(600)
is_root = os.geteuid() == 0


class Machine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = {name: folder / name for name in ("backup", "safe")}
        self.data = folder / "data"
        self.restored = folder / "restored"

    def shell(self, script: str, user: int | None) -> None:
        """Runs the page's commands with other paths."""
        for shown, place in (
            ("/var/lib/trilha", self.data),
            ("/srv/trilha", self.restored),
            *((f"/{name}/", f"{place}/") for name, place in self.places.items()),
        ):
            script = script.replace(str(shown), str(place))
        subprocess.run([*_as(user), "bash", "-euc", script], check=True)

    def trilha(self, *arguments: str, user: int | None, **variables: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")}
        return subprocess.run(
            [*_as(user), TRILHA, *arguments],
            env=clean | {"TRILHA_DATA_DIR": str(self.restored)} | variables,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


def _as(user: int | None) -> list[str]:
    """Runs a command as a user who may write only to their own files. They may read everything, because the
    interpreter may lie in a private folder.
    """
    if user is None:
        return []
    capability = "+dac_read_search"
    who = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return ["setpriv", *who, f"--inh-caps={capability}", f"--ambient-caps={capability}"]


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("machine")
    folder.chmod(0o777)
    migrated(folder)
    machine = Machine(folder)
    environment = os.environ | {"TRILHA_DATA_DIR": str(machine.data)}
    made = [TRILHA, "tenant", "create", "--slug", "acme", "--name", "Acme"]
    subprocess.run(made, env=environment, check=True, stdout=subprocess.DEVNULL)
    for place in machine.places.values():
        place.mkdir(mode=0o755)
    machine.shell(BACK_UP, None)
    # The restoring user has both the backup and the key.
    for place in machine.places.values():
        for file in place.iterdir():
            file.chmod(0o644)
    return machine


can_change = is_root and shutil.which("setpriv") is not None
only_root = pytest.mark.skipif(not can_change, reason="only root, with setpriv, becomes another user")
USERS = [
    pytest.param(None, id="the same user"),
    pytest.param(NOBODY, id="another user", marks=only_root),
]


@pytest.fixture
def machine(backed_up: Machine, request: pytest.FixtureRequest) -> Machine:
    machine = Machine(backed_up.folder)
    machine.restored = backed_up.folder / f"restored-{abs(hash(request.node.name))}"
    return machine


def restore(machine: Machine, user: int | None) -> None:
    machine.shell(RESTORE, user)
    if is_root and user is None:
        machine.shell(AS_ROOT, user)


@pytest.mark.parametrize("user", USERS)
def test_with_its_key_it_is_all_there(machine: Machine, user: int | None) -> None:
    restore(machine, user)
    done = machine.trilha("tenant", "list", "--json", user=user)
    assert done.returncode == 0, done.stderr
    assert [each["slug"] for each in json.loads(done.stdout)] == ["acme"]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("command", ["up", "migrate"])
def test_without_the_key_it_is_refused(machine: Machine, user: int | None, command: str) -> None:
    restore(machine, user)
    key = machine.restored / "master.key"
    kept = key.read_text()
    key.unlink()
    done = machine.trilha(command, user=user)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == _told("is missing").replace("/srv/trilha", str(machine.restored))
    assert not key.exists()
    other = machine.trilha(command, user=user, TRILHA_MASTER_KEY="1f" * 32)
    assert (other.returncode, other.stderr) == (1, _told("does not open"))
    # Neither attempt changed anything.
    assert machine.trilha("tenant", "list", user=user, TRILHA_MASTER_KEY=kept.strip()).returncode == 0


@pytest.mark.skipif(not is_root, reason="PostgreSQL runs as another user for root alone")
def test_files_of_another_user_are_one_sentence(machine: Machine) -> None:
    machine.shell(RESTORE, None)
    machine.restored.chmod(0o711)
    done = machine.trilha("tenant", "list", user=None)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert f"chown -R pgserver: {machine.restored}/postgres" in done.stderr


def _told(what: str) -> str:
    (line,) = [line for line in PAGE.read_text().splitlines() if line.startswith("trilha: ") and what in line]
    return line + "\n"
