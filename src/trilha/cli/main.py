"""The group of all commands."""

import click

from trilha import __version__, settings
from trilha.cli import api_keys, audit, courses, demo, oauth, people, server, tenants, webhooks
from trilha.cli.output import CommandError, as_json, show
from trilha.settings import SettingError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
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


for command in (
    *(server.up, server.serve, server.work, server.migrate_command, server.openapi_command),
    *(tenants.tenant, tenants.admin, api_keys.api_key, oauth.oauth_client, oauth.signing_key, audit.audit),
    *(people.user, people.unit, people.group, people.import_),
    *(courses.course, webhooks.webhooks, demo.demo),
):
    main.add_command(command)
