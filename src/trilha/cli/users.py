"""trilha user …"""

import click

from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.personal_data import actions
from trilha.settings import Settings
from trilha.users import queries
from trilha.users.schema import User


@click.group()
def user() -> None:
    """The people of a tenant."""


@user.command()
@in_tenant
@click.option("--email", required=True, help="The user's e-mail.")
@click.option("--confirm", required=True, metavar="NAME", help="The user's name, as it is stored.")
@as_json
def erase(tenant: str, email: str, confirm: str, as_json: bool) -> None:
    """Erase a person's data, for good; training records stay, of nobody."""

    async def work(_: Settings, tx: Tx) -> User:
        found = await queries.find_by_email(tx, email.strip().lower())
        if found is None:
            raise CommandError(f"There is no user with the e-mail {email}.")
        if found.name != confirm:
            raise CommandError("--confirm is not the user's name; nothing was erased.")
        await actions.erase(tx, found.id)
        return await queries.get(tx, found.id)

    show(in_transaction(tenant, work), as_json)
