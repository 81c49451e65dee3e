"""Keeps the machine's own `TRILHA_*` variables away from the tests and from every process that they start.

conftest.py imports this module before any other module of ours. `TRILHA_TEST_*` variables configure the
suite: they are read here and passed on to the processes of pytest-xdist.
"""

import os
import sys

import pytest

# The suite starts hundreds of processes. They must not compile again what an earlier one has compiled, and
# pytest must not rewrite the asserts of 470 files in each of them, which takes eight seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
_TAKEN = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("TRILHA_")}


def hand_on(workerinput: dict[str, object]) -> None:
    workerinput["ambient"] = _TAKEN


def variable(config: pytest.Config, name: str) -> str | None:
    """Returns the value of `TRILHA_TEST_<name>`."""
    taken: dict[str, str] = getattr(config, "workerinput", {}).get("ambient", _TAKEN)
    return taken.get(f"TRILHA_TEST_{name}")


def replace(name: str, value: str) -> None:
    """Sets `TRILHA_TEST_<name>` for this process, and for those of pytest-xdist that start later."""
    _TAKEN[f"TRILHA_TEST_{name}"] = value
