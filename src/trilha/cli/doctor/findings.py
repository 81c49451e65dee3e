"""What a check reports."""

from collections.abc import AsyncIterator, Callable
from enum import StrEnum

from msgspec import Struct

from trilha.settings import Settings


class State(StrEnum):
    OK = "ok"
    # It works, but will fail later or is not fit for production.
    WARNING = "warning"
    PROBLEM = "problem"
    # The check could not run because another one failed, or because it does not apply here.
    SKIPPED = "skipped"


class Finding(Struct, frozen=True):
    """The result of one check. `cure` says how to mend a problem or a warning, and is empty otherwise."""

    check: str
    state: State
    message: str
    cure: str = ""


Check = Callable[[Settings], AsyncIterator[Finding]]


def ok(check: str, message: str) -> Finding:
    return Finding(check, State.OK, message)


def warn(check: str, message: str, cure: str) -> Finding:
    return Finding(check, State.WARNING, message, cure)


def fail(check: str, message: str, cure: str) -> Finding:
    return Finding(check, State.PROBLEM, message, cure)


def skip(check: str, message: str) -> Finding:
    return Finding(check, State.SKIPPED, message)
