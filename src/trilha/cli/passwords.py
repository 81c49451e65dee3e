"""Passwords that commands take from standard input, and never from their arguments."""

import sys

import click
import msgspec

from trilha.core.clock import civil_date, system_clock
from trilha.core.web.parsing import convert
from trilha.users.schema import Password

password_stdin = click.option(
    "--password-stdin", is_flag=True, help="Read the password, a line, from standard input."
)


class GivenPassword(msgspec.Struct, frozen=True):
    password: Password


def read_password(wanted: bool) -> str | None:
    """The password from standard input, where it is wanted. Raises Invalid."""
    if not wanted:
        return None
    line = sys.stdin.readline().rstrip("\r\n")
    return convert(GivenPassword, {"password": line}, civil_date(system_clock())).password
