"""An earlier revision serves /v1 on the new schema, as it does while processes are restarted one by one."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import suite_database
import trilha
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring

pytestmark = [pytest.mark.whole, pytest.mark.timeout(300)]
ROOT = Path(__file__).parents[2]
# Until there is a release tag. Its newest migration is 0150_hire_date.sql.
RECORDED = "3e227c67"
TESTS = ("tests/people/users", "tests/training/enrollments")
# Installed packages of browsers and fonts, which git ignores.
IGNORED = ("kit", "web/player", "training/certificates/designs")


def git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"needs the history in git ({error})")
    return done.stdout.strip()


def previous_revision() -> str:
    """Returns the newest release, or the recorded revision if there is none."""
    return git("tag", "--list", "v*", "--sort=-v:refname").partition("\n")[0] or RECORDED


def check_out(revision: str, folder: Path) -> None:
    archive = folder / "revision.tar"
    git("archive", "--output", str(archive), revision, "src", "tests", "docs", "pyproject.toml")
    subprocess.run(["tar", "xf", archive, "-C", folder], check=True)
    ours = Path(trilha.__file__).parent
    for part in IGNORED:
        (folder / "src" / "trilha" / part / "node_modules").symlink_to(ours / part / "node_modules")


def test_the_previous_revision_serves_on_the_new_schema(
    admin_url: str, keyring: Keyring, tmp_path: Path
) -> None:
    check_out(previous_revision(), tmp_path)
    url = suite_database.create(admin_url, admin_url)
    asyncio.run(migrate(url, keyring))
    environment = os.environ | {
        "TRILHA_TEST_DATABASE_URL": url,
        "PYTHONPATH": f"{tmp_path / 'src'}:{tmp_path / 'tests'}",
    }
    where = [sys.executable, "-c", "import trilha; print(trilha.__file__)"]
    assert str(tmp_path) in subprocess.run(where, env=environment, capture_output=True, text=True).stdout
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "not whole and not long"]
    done = subprocess.run(
        [*command, *TESTS], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    suite_database.drop(url, admin_url)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
