"""Reads calendars with ical4j, which Maven installs once. Otherwise the test is skipped with a reason."""

import fcntl
import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "ical4j"
_CACHE = Path.home() / ".cache" / "trilha-tests"


def read_with_ical4j(calendars: Mapping[str, str], folder: Path) -> dict[str, tuple[str, str, int, int]]:
    """Returns METHOD, UID, SEQUENCE and start (seconds since 1970) of each calendar, by its name. Fails if
    ical4j finds one invalid.
    """
    jars = _install()
    folder.mkdir()
    for name, calendar in calendars.items():
        (folder / f"{name}.ics").write_bytes(calendar.encode())
    command = ["java", "-cp", f"{jars}/*", str(HERE / "Read.java"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    return {
        name.removesuffix(".ics"): (method, uid, int(sequence), int(start))
        for name, method, uid, sequence, start in lines
    }


def _install() -> Path:
    """Returns the folder of the libraries."""
    for program in ("java", "mvn"):
        if not shutil.which(program):
            pytest.skip(f"needs {program} for ical4j")
    pom = HERE / "pom.xml"
    folder = _CACHE / f"ical4j-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not list(folder.glob("ical4j-*.jar")):
            goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
            told = subprocess.run(
                ["mvn", "-q", "-B", "-f", str(pom), *goal], capture_output=True, text=True, check=False
            )
            if not list(folder.glob("ical4j-*.jar")):
                pytest.skip(f"Maven cannot fetch ical4j: {told.stdout[-200:]}")
    return folder
