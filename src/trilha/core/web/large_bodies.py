"""Parses large bodies in a separate process.

Parsing takes a few milliseconds for each megabyte, sixty at worst. In a thread it would hold the
interpreter's lock and stop the event loop. The process starts with the first large body and ends with its
standard input.
"""

import asyncio
import atexit
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from typing import IO, Any, TypeVar

from msgspec import Struct

from trilha.core import logs
from trilha.core.errors import BadRequest, Invalid, Problem
from trilha.core.priority import yield_process
from trilha.core.web.parsing import parse_body

S = TypeVar("S", bound=Struct)


# A value, or the problems, or the code of an error that concerns the whole body.
_ParseResult = tuple[Any, list[Problem], str]


# The complete environment of the process: a parser of foreign data needs no secrets.
_PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")


class _Parser:
    """The process. It parses one body at a time; others wait."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="large bodies")

    async def parse(self, kind: type[Struct], body: bytes, today: date) -> _ParseResult:
        return await asyncio.get_running_loop().run_in_executor(self._asking, self._ask, kind, body, today)

    def _ask(self, kind: type[Struct], body: bytes, today: date) -> _ParseResult:
        try:
            return self._exchange(kind, body, today)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            # The process was killed. Parsing changes nothing, so it may be repeated.
            logs.log_failure("the parser of large bodies ended", error)
            self.end()
            return self._exchange(kind, body, today)

    def _exchange(self, kind: type[Struct], body: bytes, today: date) -> _ParseResult:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            )
        assert self._process.stdin
        assert self._process.stdout
        pickle.dump((kind, body, today), self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        parsed: _ParseResult = pickle.load(self._process.stdout)  # noqa: S301 - our own process
        return parsed

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            process.__exit__(None, None, None)


_PARSER = _Parser()
atexit.register(_PARSER.end)


async def parse_large(kind: type[S], body: bytes, today: date) -> S:
    """Parses a body like `parse_body`, in the other process."""
    value, problems, code = await _PARSER.parse(kind, body, today)
    if code:
        raise BadRequest(code)
    if problems:
        raise Invalid(problems)
    return value  # type: ignore[no-any-return]


def _parse(kind: type[Struct], body: bytes, today: date) -> _ParseResult:
    try:
        return parse_body(kind, body, today), [], ""
    except Invalid as error:
        return None, error.detail, ""
    except BadRequest as error:
        return None, [], error.code


def main(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answers requests until the input ends."""
    yield_process()
    with suppress(EOFError, BrokenPipeError):
        while True:
            pickle.dump(_parse(*pickle.load(requests)), answers, pickle.HIGHEST_PROTOCOL)  # noqa: S301
            answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
