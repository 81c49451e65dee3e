"""Runs ADL's conformance suite for learning record stores: `python -m xapi_suites.lrs FOLDER [VERSION…]`.

FOLDER is a checkout of adlnet/lrs-conformance-test-suite with its packages installed. The suite runs on a
server of its own, started here, and its totals are printed. The command fails unless every test of every
version passes.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from running import Running

VERSIONS = ("1.0.3", "2.0.0")


def run_suite(folder: Path, version: str, server: Running, key: dict[str, str], grep: str = "") -> bool:
    """Runs the suite for one version. Returns whether all tests passed."""
    before = set((folder / "logs").glob("*.log"))
    command = ["node", "bin/console_runner.js", "-x", version, "-e", f"{server.url}/xapi", "-a", "-z"]
    command += ["-u", key["key"], "-p", key["secret"], *(["-g", grep] if grep else [])]
    printed: list[str] = []
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout
            for line in process.stdout:
                # Every two seconds the suite prints how far it is.
                if line not in printed[-1:]:
                    print(line, end="", file=sys.stderr, flush=True)
                printed.append(line)
        finally:
            process.terminate()
    logs = set((folder / "logs").glob("*.log")) - before
    if not logs:
        return False
    record = json.loads(logs.pop().read_text())
    # Without failures, the record has no log of the tests.
    for line in list_failures(record.get("log"), []):
        print(line)
    totals = record["summary"]
    print(f"xAPI {version}: {totals['total']} tests, {totals['passed']} passed, {totals['failed']} failed")
    return bool(totals["total"]) and totals["passed"] == totals["total"] and not totals["failed"]


def list_failures(log: Any, titles: list[str]) -> list[str]:
    """Lists the failed tests of the suite's record, each with its error."""
    if not log:
        return []
    path = [*titles, log["title"]] if log.get("title") else titles
    if not log.get("tests"):
        return ["  failed: " + " / ".join(path[-2:]) + f"\n    {log.get('error')}"]
    return [line for each in log["tests"] for line in list_failures(each, path)]


def main(folder: Path, versions: list[str], grep: str = "") -> int:
    if not (folder / "node_modules").is_dir():
        print(f"{folder} has no node_modules: run npm install there first.")
        return 2
    # The server must not use another installation's database or files.
    for name in [each for each in os.environ if each.startswith("TRILHA_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o711)
        server = Running(Path(scratch), TRILHA_LIMIT_XAPI="100000000/1m")
        try:
            server.wait_ready()
            server.command("tenant", "create", "--slug", "lrs", "--name", "LRS")
            scopes = ("--scopes", "xapi:read,xapi:write")
            key = server.command("xapi-key", "create", "--tenant", "lrs", "--name", "Suite", *scopes)
            results = [run_suite(folder, version, server, key, grep) for version in versions]
            if server.process.poll() is not None or not all(results):
                print(server.log.read_text()[-2000:])
            return 0 if all(results) else 1
        finally:
            server.stop()


if __name__ == "__main__":
    grep = ""
    names = sys.argv[2:]
    if "--grep" in names:
        grep = names.pop(names.index("--grep") + 1)
        names.remove("--grep")
    sys.exit(main(Path(sys.argv[1]).resolve(), names or list(VERSIONS), grep))
