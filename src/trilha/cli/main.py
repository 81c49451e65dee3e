"""The group of all commands."""

from importlib import import_module
from typing import Any

import click

from trilha import __version__, settings
from trilha.cli.output import CommandError, as_json, show
from trilha.core.variables import SettingError

# Each command with its module and its name there.
_COMMANDS = {
    "admin": ("tenants", "admin"),
    "api-key": ("api_keys", "api_key"),
    "archive": ("archive", "archive"),
    "audit": ("audit", "audit"),
    "backup": ("backups", "backup"),
    "certificate": ("certificates", "certificate"),
    "class": ("classes", "class_"),
    "cluster": ("cluster", "cluster"),
    "course": ("courses", "course"),
    "custom-field": ("custom_fields", "custom_field"),
    "demo": ("demo", "demo"),
    "doctor": ("doctor", "doctor"),
    "evidence": ("evidence", "evidence"),
    "mail": ("mail", "mail"),
    "group": ("people", "group"),
    "import": ("people", "import_"),
    "keys": ("keys", "keys"),
    "migrate": ("server", "migrate_command"),
    "oauth-client": ("oauth", "oauth_client"),
    "openapi": ("server", "openapi_command"),
    "path": ("paths", "path"),
    "practice": ("practice", "practice"),
    "recount": ("reports", "recount"),
    "question": ("questions", "question"),
    "requirement": ("requirements", "requirement"),
    "restore": ("backups", "restore"),
    "scim": ("scim", "scim"),
    "serve": ("server", "serve"),
    "signing-key": ("oauth", "signing_key"),
    "sso": ("sso", "sso"),
    "status": ("status", "status_command"),
    "tenant": ("tenants", "tenant"),
    "unit": ("people", "unit"),
    "up": ("server", "up"),
    "user": ("users", "user"),
    "webhooks": ("webhooks", "webhooks"),
    "work": ("server", "work"),
    "xapi-key": ("xapi_keys", "xapi_key"),
    "xapi-pipe": ("xapi_pipes", "xapi_pipe"),
}


class _LazyGroup(click.Group):
    """Imports a command only when it is used, because every serving and working process starts as a
    command.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*self.commands, *_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            module, name = _COMMANDS[cmd_name]
            command: Any = getattr(import_module(f"trilha.cli.{module}"), name)
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trilha")
def main() -> None:
    """Trilha: corporate training behind a public API."""


@main.command("settings")
@as_json
def settings_command(as_json: bool) -> None:
    """List every setting with its value, default, source and meaning."""
    try:
        rows = settings.describe(settings.load())
    except SettingError as error:
        raise CommandError(str(error)) from None
    show([{name: getattr(row, name) for name in row.__dataclass_fields__} for row in rows], as_json)


@main.command()
@as_json
def routes(as_json: bool) -> None:
    """List the routes of /v1 with their scopes."""
    from trilha.app import all_routes

    show(
        [
            {
                "method": each.method,
                "path": f"/v1{each.path}",
                "scope": str(each.scope),
                "operation": each.name,
            }
            for each in all_routes()
        ],
        as_json,
    )
