"""A deletion that is killed at any point goes on where it stopped, and its proof counts everything."""

import random
import subprocess
import time
from pathlib import Path

from running import TRILHA, Running, running, with_demo


def test_a_killed_deletion_goes_on(tmp_path: Path) -> None:
    with_demo(tmp_path)
    chance = random.Random(7)
    with running(tmp_path) as server:
        (demo,) = server.command("tenant", "list")
        assert demo["slug"] == "demo"
        for _ in range(6):
            delete_and_kill(server, chance.uniform(0.6, 1.6))
        proof = server.command("tenant", "delete", "--tenant", "demo", "--confirm", "demo")
        assert proof["rows"]["users"] > 10
        assert proof["files"] > 0
        assert server.command("tenant", "deletion", "--id", proof["id"])["problems"] == []
        assert server.command("tenant", "list") == []


def delete_and_kill(server: Running, seconds: float) -> None:
    command = [TRILHA, "tenant", "delete", "--tenant", "demo", "--confirm", "demo"]
    with subprocess.Popen(
        command, env=server.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(seconds)
        process.kill()
