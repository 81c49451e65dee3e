"""trilha tenant retention"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import click
from msgspec import structs

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.platform.retention import actions, queries, rules
from trilha.platform.retention.schema import RetentionSettings
from trilha.settings import Settings

_DEFAULT = "default"
_LOGS = {
    "audit_log_days": ("--audit-log", "the audit log without sign-ins"),
    "learning_log_days": ("--learning-log", "the learning log, from the end of the certificate's validity"),
    "sign_in_days": ("--sign-ins", "sign-ins"),
    "request_log_days": ("--request-log", "SCIM requests"),
    "event_days": ("--events", "events"),
    "delivery_days": ("--deliveries", "webhook deliveries"),
}


class _Days(click.ParamType[Any]):
    """A number of days that is not below the minimum of its log, or `default`."""

    name = "days"

    def __init__(self, log: str) -> None:
        self._log = log

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == _DEFAULT:
            return value
        if not (value.isascii() and value.isdigit() and len(value) <= 6):
            self.fail("give a number of days, or default", param, ctx)
        days = int(value)
        if days < rules.MIN_DAYS[self._log]:
            self.fail(f"keep it for {rules.explain_minimum(self._log)}", param, ctx)
        if days > rules.MAX_DAYS:
            self.fail(f"give at most {rules.MAX_DAYS:,} days", param, ctx)
        return days


def _add_option(command: Callable[..., None], log: str) -> Callable[..., None]:
    option, content = _LOGS[log]
    text = f"How many days to keep {content}: {rules.explain_minimum(log)}."
    return click.option(option, log, type=_Days(log), metavar="DAYS|default", help=text)(command)


def _log_options(command: Callable[..., None]) -> Callable[..., None]:
    return reduce(_add_option, reversed(_LOGS), command)


@click.command()
@in_tenant
@_log_options
@as_json
def retention(tenant: str, as_json: bool, **periods: Any) -> None:
    """Show or set how long the tenant's logs are kept. Older entries are deleted."""
    changes = {log: None if days == _DEFAULT else days for log, days in periods.items() if days is not None}

    async def work(_: Settings, tx: Tx) -> RetentionSettings:
        before = await queries.get(tx)
        return await actions.change(tx, structs.replace(before, **changes)) if changes else before

    show(in_transaction(tenant, work), as_json)
