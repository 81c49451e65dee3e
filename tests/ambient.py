"""Keeps the machine's own `TRILHA_*` variables from the tests, and from every process that they start.

Imported by conftest.py before anything else of ours. `TRILHA_TEST_*` is meant for the suite: it is read here,
and handed on to the processes of pytest-xdist.
"""

import os
import sys

import pytest

# Some hundred processes are started here: none is to compile anew what the one before it has compiled, nor is
# pytest to rewrite the asserts of 470 files in every process of every run, which takes eight seconds in each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
_TAKEN = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("TRILHA_")}


def hand_on(workerinput: dict[str, object]) -> None:
    workerinput["ambient"] = _TAKEN


def variable(config: pytest.Config, name: str) -> str | None:
    """The value of `TRILHA_TEST_<name>`."""
    taken: dict[str, str] = getattr(config, "workerinput", {}).get("ambient", _TAKEN)
    return taken.get(f"TRILHA_TEST_{name}")
