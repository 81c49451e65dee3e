"""A generated client in its own folder: the generator is downloaded, and the client generated, compiled and
called.
"""

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clients.generators import OPENAPI_GENERATOR, Generator
from npm import CACHE, NODE, installed

HERE = Path(__file__).parent
PACKAGES = ("package.json", "tsconfig.json")


class Generated:
    """Skips the test if a required program is missing, with one sentence that names it."""

    def __init__(self, generator: Generator, folder: Path, **variables: str) -> None:
        self._generator = generator
        self._folder = folder
        missing = [each for each in generator.needs if not shutil.which(each)]
        missing += [str(each) for each in generator.files if not each.exists()]
        if missing:
            pytest.skip(f"not on this machine: {', '.join(missing)}")
        tools = installed(HERE)
        shutil.copytree(HERE / generator.folder, folder, dirs_exist_ok=True)
        for file in (*generator.files, *(HERE / name for name in PACKAGES)):
            shutil.copy(file, folder)
        (folder / "node_modules").symlink_to(tools / "node_modules")
        path = [Path(sys.executable).parent, tools / "node_modules" / ".bin", NODE.parent]
        self._environment = os.environ | {
            "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
            "GOTOOLCHAIN": "local",
            **variables,
        }
        if generator.fetch and (told := self._run(generator.fetch)).returncode:
            pytest.skip(f"cannot be fetched: {' '.join((told.stderr + told.stdout).split())[-200:]}")

    def generate(self) -> None:
        self.run(self._generator.generate)

    def compile(self) -> None:
        for command in self._generator.compile:
            self.run(command.format(cache=CACHE))

    def call(self) -> list[str]:
        """Returns the lines that the program prints: `list …`, `create …`, `refused …`."""
        return self.run(self._generator.call).splitlines()

    def run(self, command: str) -> str:
        done = self._run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout + done.stderr

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = shlex.split(command)
        whole = (
            ["java", "-jar", str(jar()), *arguments]
            if program == OPENAPI_GENERATOR
            else [program, *arguments]
        )
        return subprocess.run(
            whole, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )


def jar() -> Path:
    """Returns openapi-generator in the version that openapi_generator/pom.xml names. Skips if Maven cannot
    download it.
    """
    pom = HERE / "openapi_generator" / "pom.xml"
    folder = CACHE / f"openapi-generator-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (found := list(folder.glob("*.jar"))):
            copy = [
                "mvn",
                "-q",
                "-B",
                "-f",
                pom,
                "dependency:copy-dependencies",
                f"-DoutputDirectory={folder}",
            ]
            told = subprocess.run(copy, capture_output=True, text=True, check=False)
            found = list(folder.glob("*.jar"))
    if not found:
        pytest.skip(f"Maven cannot fetch openapi-generator: {told.stdout[-200:]}")
    return found[0]
