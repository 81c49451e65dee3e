"""Reads passwords from standard input; commands never take them as arguments."""

import sys

import click
import msgspec

from trilha.core.clock import civil_date, system_clock
from trilha.core.web.parsing import convert
from trilha.people.users.rules import check_not_a_name
from trilha.people.users.schema import Password

password_stdin = click.option(
    "--password-stdin", is_flag=True, help="Read the password, a line, from standard input."
)


class PasswordInput(msgspec.Struct, frozen=True):
    password: Password


def read_password(is_wanted: bool, *names: str) -> str | None:
    """Reads the password from standard input if `is_wanted`. Raises Invalid, also for one of the names."""
    if not is_wanted:
        return None
    line = sys.stdin.readline().rstrip("\r\n")
    password = convert(PasswordInput, {"password": line}, civil_date(system_clock())).password
    check_not_a_name(password, names)
    return password
