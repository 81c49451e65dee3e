"""trilha xapi-pipe …"""

import sys
from uuid import UUID

import click

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.clock import civil_date, system_clock
from trilha.core.web.parsing import convert
from trilha.training.xapi_pipes import actions, queries
from trilha.training.xapi_pipes.schema import NewPipe


@click.group("xapi-pipe")
def xapi_pipe() -> None:
    """Pipes, which forward a company's xAPI statements to other learning record stores."""


@xapi_pipe.command()
@in_tenant
@click.option("--name", required=True, help="The system that receives the statements.")
@click.option("--url", required=True, help="Its xAPI endpoint, without /statements.")
@click.option("--username", required=True, help="The user name or key for HTTP Basic.")
@click.option(
    "--password-stdin", required=True, is_flag=True, help="Read the password, a line, from standard input."
)
@click.option("--xapi-version", type=click.Choice(["1.0.3", "2.0.0"]), default="1.0.3", show_default=True)
@click.option("--verb", "verbs", multiple=True, help="Forward only this verb, an IRI. May be repeated.")
@click.option("--activity-prefix", help="Forward only activities whose IRI begins like this.")
@click.option("--from-start", is_flag=True, help="Forward the statements that are already stored, too.")
@as_json
def create(
    tenant: str,
    name: str,
    url: str,
    username: str,
    password_stdin: bool,
    xapi_version: str,
    verbs: tuple[str, ...],
    activity_prefix: str | None,
    from_start: bool,
    as_json: bool,
) -> None:
    """Create a pipe. It begins to forward at once."""
    raw = {
        "name": name,
        "url": url,
        "username": username,
        "password": sys.stdin.readline().rstrip("\r\n"),
        "version": xapi_version,
        "verbs": list(verbs),
        "activity_prefix": activity_prefix,
        "begin": "start" if from_start else "now",
    }
    new = convert(NewPipe, raw, civil_date(system_clock()))
    show(in_transaction(tenant, lambda settings, tx: actions.create(tx, new, settings.guard)), as_json)


@xapi_pipe.command("list")
@in_tenant
@as_json
def list_pipes(tenant: str, as_json: bool) -> None:
    """List a tenant's pipes, with their failures."""
    show(in_transaction(tenant, lambda _, tx: queries.list_all(tx)), as_json)


@xapi_pipe.command()
@in_tenant
@click.option("--id", "pipe_id", type=click.UUID, required=True, help="The pipe's id.")
@as_json
def delete(tenant: str, pipe_id: UUID, as_json: bool) -> None:
    """Delete a pipe. What the receiver has already stays there."""
    in_transaction(tenant, lambda _, tx: actions.delete(tx, pipe_id))
    show({"deleted": pipe_id}, as_json)
