"""Tables where the output is not a terminal."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest
from click.testing import CliRunner

from running import TRILHA
from trilha.app import all_routes
from trilha.cli import main
from trilha.cli.output import show
from trilha.settings import describe, load


def test_a_table_in_a_pipe_cuts_nothing() -> None:
    output = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["routes"]).output
    assert all(f"/v1{route.path} " in output for route in all_routes())


def test_a_table_in_a_narrow_terminal_cuts_nothing() -> None:
    """In its own terminal. A row that does not fit becomes a block with one line per member."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    process = subprocess.Popen([TRILHA, "settings"], stdout=theirs, env={"PATH": "/usr/bin:/bin"})
    os.close(theirs)
    output = b""
    with contextlib.suppress(OSError):  # EIO marks the end of a terminal
        while piece := os.read(ours, 65536):
            output += piece
    os.close(ours)
    assert process.wait() == 0
    lines = output.decode().splitlines()
    for each in describe(load({}), {}):
        assert f"name{' ' * 18}{each.name}" in lines
        assert f"meaning{' ' * 15}{each.meaning}" in lines


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    lines = CliRunner().invoke(main, ["routes"]).output.splitlines()
    column = lines[0].index("scope")
    assert {line[column - 2 : column] for line in lines} == {"  "}
    assert all(line[column] != " " for line in lines)


def test_what_is_within_a_cell_reads_as_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    error = {"kind": "builtins.OSError", "at": ["gateway.py:1 run", "call.py:2 answer"]}
    show([{"message": "unexpected failure", "detail": {"request": "GET /v1/users", "error": error}}], False)
    told = "request=GET /v1/users error=kind=builtins.OSError at=gateway.py:1 run call.py:2 answer"
    assert capsys.readouterr().out.splitlines()[1] == f"unexpected failure  {told}"
