"""Large bodies are parsed by a process of their own, which comes after the one that answers.

A few milliseconds for each megabyte, sixty at worst: while one thread parses, the interpreter's lock keeps
every other from running, the event loop first of all. The process is started when it is first needed, and
ends with its standard input.
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


# A value, or why there is none: its problems, or else the code of what is wrong with all of it.
_Parsed = tuple[Any, list[Problem], str]


# All of the environment that it is given: who reads what anybody sends need not know a secret.
_PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")


class _Parser:
    """The process. One body at a time; the others wait."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="large bodies")

    async def parse(self, kind: type[Struct], body: bytes, today: date) -> _Parsed:
        return await asyncio.get_running_loop().run_in_executor(self._asking, self._ask, kind, body, today)

    def _ask(self, kind: type[Struct], body: bytes, today: date) -> _Parsed:
        try:
            return self._exchange(kind, body, today)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            # It was killed. What was asked changes nothing, and may be asked again.
            logs.failed("the parser of large bodies ended", error)
            self.end()
            return self._exchange(kind, body, today)

    def _exchange(self, kind: type[Struct], body: bytes, today: date) -> _Parsed:
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
        parsed: _Parsed = pickle.load(self._process.stdout)  # noqa: S301 - our own process
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
    """As `parse_body`, in the other process."""
    value, problems, code = await _PARSER.parse(kind, body, today)
    if code:
        raise BadRequest(code)
    if problems:
        raise Invalid(problems)
    return value  # type: ignore[no-any-return]


def _parse(kind: type[Struct], body: bytes, today: date) -> _Parsed:
    try:
        return parse_body(kind, body, today), [], ""
    except Invalid as error:
        return None, error.detail, ""
    except BadRequest as error:
        return None, [], error.code


def main(asked: IO[bytes], told: IO[bytes]) -> None:
    """Until nobody asks any more."""
    yield_process()
    with suppress(EOFError, BrokenPipeError):
        while True:
            pickle.dump(_parse(*pickle.load(asked)), told, pickle.HIGHEST_PROTOCOL)  # noqa: S301
            told.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
