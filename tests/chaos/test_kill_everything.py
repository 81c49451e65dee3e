"""`trilha up` starts again immediately after all its processes were killed, including those of PostgreSQL."""

import contextlib
import random
from pathlib import Path

import psutil
import pytest

from running import Running, running


@pytest.mark.parametrize("rounds", [4, pytest.param(40, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_it_starts_right_after_everything_was_killed(tmp_path: Path, rounds: int) -> None:
    chance = random.Random(7)
    with running(tmp_path) as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        for number in range(rounds):
            # The other processes of PostgreSQL end on their own some time after the first one.
            _kill(trilha, with_backends=number % 2 == 1, chance=chance)
            trilha.start_again()
        assert [each["slug"] for each in trilha.command("tenant", "list")] == ["acme"]


def _kill(trilha: Running, *, with_backends: bool, chance: random.Random) -> None:
    postmaster = trilha.postmaster()
    supervisor = psutil.Process(trilha.process.pid)
    victims = [supervisor, *supervisor.children(recursive=True), postmaster]
    if with_backends:
        victims += postmaster.children(recursive=True)
    chance.shuffle(victims)
    for each in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    trilha.process.wait()
