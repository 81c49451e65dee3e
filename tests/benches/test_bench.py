"""The short form of `python -m bench` runs to its end and prints its page."""

import subprocess
import sys

import pytest
from bench.__main__ import PARTS

# The slowest parts run only in the long form of the suite.
_SLOW = ("webhooks", "certificates", "worst")


# Other tests use the two processors at the same time.
@pytest.mark.timeout(600)
def test_the_short_form_prints_every_part() -> None:
    _run([each for each in PARTS if each not in _SLOW])


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_slower_parts_print_their_short_form() -> None:
    _run(list(_SLOW))


def _run(parts: list[str]) -> None:
    command = [sys.executable, "-m", "bench", "--short", *parts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The bounds apply to an idle machine. This test checks only that the bench measures something.
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert "Every bound held" in done.stdout or "bounds were missed" in done.stdout, done.stderr
    assert [each for each in parts if f"{each}: " not in done.stdout] == []
