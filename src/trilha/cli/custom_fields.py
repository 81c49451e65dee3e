"""trilha custom-field …"""

from collections.abc import Sequence

import click

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.people.custom_fields import actions, queries
from trilha.people.custom_fields.schema import CustomField, CustomFieldChange, NewCustomField
from trilha.settings import Settings
from trilha.training.requirements import field_deletion


@click.group("custom-field")
def custom_field() -> None:
    """Custom fields: what a company keeps of its people beside the usual members."""


@custom_field.command()
@in_tenant
@click.option("--key", required=True, help="What integrations call the field.")
@click.option("--name", required=True, help="What people call the field.")
@click.option("--type", "kind", required=True, type=click.Choice(["text", "number", "date", "choice"]))
@click.option("--choice", "choices", multiple=True, help="An allowed value of a choice; may be repeated.")
@click.option("--personal", is_flag=True, help="Seal its values, and mask them on every read.")
@as_json
def create(
    tenant: str, key: str, name: str, kind: str, choices: Sequence[str], personal: bool, as_json: bool
) -> None:
    """Create a custom field."""
    raw = {"key": key, "name": name, "type": kind, "choices": list(choices), "personal": personal}

    async def work(_: Settings, tx: Tx) -> CustomField:
        return await actions.create(tx, convert(NewCustomField, raw, tx.today))

    show(in_transaction(tenant, work), as_json)


@custom_field.command()
@in_tenant
@click.option("--key", required=True)
@click.option("--name", help="The new name.")
@click.option("--choice", "choices", multiple=True, help="A choice to add; may be repeated.")
@as_json
def update(tenant: str, key: str, name: str | None, choices: Sequence[str], as_json: bool) -> None:
    """Rename a custom field, or add choices to it. Choices cannot be removed."""

    async def work(_: Settings, tx: Tx) -> CustomField:
        field = await actions.lock(tx, key)
        raw = {"name": name or field.name, "choices": list(choices)}
        change = convert(CustomFieldChange, raw, tx.today)
        await actions.change(tx, key, change.name, change.choices)
        return await actions.lock(tx, key)

    show(in_transaction(tenant, work), as_json)


@custom_field.command()
@in_tenant
@click.option("--key", required=True)
@as_json
def delete(tenant: str, key: str, as_json: bool) -> None:
    """Delete a custom field and everybody's values of it, unless the rule of a requirement uses it."""

    async def work(_: Settings, tx: Tx) -> CustomField:
        return await field_deletion.delete_field(tx, key)

    show(in_transaction(tenant, work), as_json)


@custom_field.command("list")
@in_tenant
@as_json
def list_custom_fields(tenant: str, as_json: bool) -> None:
    """List the custom fields in the company's order."""

    async def work(_: Settings, tx: Tx) -> list[CustomField]:
        return await queries.list_fields(tx)

    show(in_transaction(tenant, work), as_json)
