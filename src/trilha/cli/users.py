"""trilha user …"""

import click

from trilha.access.sessions import administration, email_changes
from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.cli.passwords import password_stdin, read_password
from trilha.core.database import Tx
from trilha.core.passwords import hash_password
from trilha.core.types import Email, InvalidValue
from trilha.people.users import queries
from trilha.people.users.schema import User
from trilha.platform.tenants import queries as tenants
from trilha.settings import Settings


@click.group()
def user() -> None:
    """The people of a tenant."""


@user.command()
@in_tenant
@click.option("--email", required=True, help="The user's e-mail.")
@click.option("--confirm", required=True, metavar="NAME", help="The user's name, as it is stored.")
@as_json
def erase(tenant: str, email: str, confirm: str, as_json: bool) -> None:
    """Erase a person's data for good. Training records remain, without a name."""
    from trilha.app import PERSONAL_DATA  # loads every feature

    async def work(_: Settings, tx: Tx) -> User:
        found = await queries.find_by_email(tx, email.strip().lower())
        if found is None:
            raise CommandError(f"There is no user with the e-mail {email}.")
        if found.name != confirm:
            raise CommandError("--confirm is not the user's name; nothing was erased.")
        await PERSONAL_DATA.erase(tx, found.id)
        return await queries.get(tx, found.id)

    show(in_transaction(tenant, work), as_json)


@user.command()
@in_tenant
@click.option("--email", required=True, help="The user's e-mail.")
@password_stdin
@as_json
def password(tenant: str, email: str, password_stdin: bool, as_json: bool) -> None:
    """Set a person's password: a temporary one that is shown only once, or the given one."""

    async def work(_: Settings, tx: Tx) -> dict[str, object]:
        found = await queries.find_by_email(tx, email.strip().lower())
        if found is None:
            raise CommandError(f"There is no user with the e-mail {email}.")
        hashed = await hash_password(
            read_password(password_stdin, found.name, found.email, *await tenants.list_names(tx))
        )
        await administration.set_temporary_password(tx, found.id, hashed)
        shown = {"temporary_password": hashed.temporary} if hashed.temporary else {}
        return {"id": str(found.id), "email": found.email, **shown}

    show(in_transaction(tenant, work), as_json)


@user.command("change-email")
@in_tenant
@click.option("--email", required=True, help="The user's present e-mail.")
@click.option("--new-email", required=True, help="The e-mail that takes its place.")
@as_json
def change_email(tenant: str, email: str, new_email: str, as_json: bool) -> None:
    """Change a person's e-mail address at once, even an administrator's; both addresses are notified.

    Use it for somebody who cannot read the old address any more, if no other administrator can confirm the
    new one. Verify who asks for it, because whoever reads the new address can set a password.
    """
    try:
        address = Email.parse(new_email)
    except InvalidValue:
        raise CommandError("--new-email is not an e-mail address.") from None

    async def work(_: Settings, tx: Tx) -> User:
        found = await queries.find_by_email(tx, email.strip().lower())
        if found is None:
            raise CommandError(f"There is no user with the e-mail {email}.")
        await email_changes.change_as_operator(tx, found.id, address)
        return await queries.get(tx, found.id)

    show(in_transaction(tenant, work), as_json)
