"""The command."""

import asyncio

import click

from trilha import settings
from trilha.cli.doctor import database, keys, machine, network, web
from trilha.cli.doctor.findings import Check, Finding, State, fail
from trilha.cli.output import as_json, show
from trilha.core.variables import SettingError
from trilha.settings import Settings

# In the order of the report: a later check often fails because an earlier one did.
_CHECKS: tuple[Check, ...] = (
    keys.check_settings,
    keys.check_master_key,
    machine.check_disk,
    machine.check_open_files,
    machine.check_file_store,
    database.check_database,
    network.check_limits_server,
    network.check_mail,
    network.check_name_servers,
    network.check_host_names,
    web.check_certificate,
    web.check_proxy,
    web.check_content_origin,
)
_MARKS = {State.OK: "ok     ", State.WARNING: "warning", State.PROBLEM: "PROBLEM", State.SKIPPED: "skipped"}


@click.command("doctor")
@as_json
def doctor(as_json: bool) -> None:
    """Check this installation: settings, keys, machine, database, mail, DNS, certificates and proxy.

    Each problem comes with its cure. Nothing is changed and no message is sent. The exit code is 1 if there
    is a problem, and 0 if there are only warnings.
    """
    findings = asyncio.run(_examine(silent=as_json))
    if as_json:
        show(findings, True)
    else:
        counts = {state: sum(each.state is state for each in findings) for state in State}
        words = (_count(counts[State.PROBLEM], "problem"), _count(counts[State.WARNING], "warning"))
        click.echo(f"\n{', '.join(words)}.")
    if any(each.state is State.PROBLEM for each in findings):
        raise click.exceptions.Exit(1)


async def _examine(*, silent: bool) -> list[Finding]:
    try:
        current = settings.load()
    except SettingError as error:
        finding = fail("settings", str(error), "Correct the variable; `docs/settings.md` lists all of them.")
        if not silent:
            _print(finding)
        return [finding]
    # At once, because each may wait for a server that does not answer; reported in their order.
    checks = [asyncio.create_task(_collect(check, current)) for check in _CHECKS]
    findings = []
    for check in checks:
        for finding in await check:
            findings.append(finding)
            if not silent:
                _print(finding)
    return findings


async def _collect(check: Check, current: Settings) -> list[Finding]:
    return [finding async for finding in check(current)]


def _print(finding: Finding) -> None:
    click.echo(f"{_MARKS[finding.state]}  {finding.check}: {finding.message}")
    if finding.cure:
        click.echo(f"         → {finding.cure}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
