"""Custom fields in the form and on the page of a person."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.web.routes import Refusal
from trilha.kit import formats
from trilha.people.custom_fields import queries
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import PREFIX
from trilha.people.people_import import cells
from trilha.people.users.schema import User
from trilha.web.panel.choices import Choices
from trilha.web.panel.view import PanelView


class FieldValue(Struct, frozen=True):
    """A field and its value on a person's page. `href` lists the people with the same value."""

    name: str
    text: str
    href: str


async def load_fields(tx: Tx) -> dict[str, CustomField]:
    return {field.key: field for field in await queries.list_fields(tx)}


def read_values(
    keys: Sequence[str], texts: Sequence[str], forgotten: Sequence[str], fields: Mapping[str, CustomField]
) -> dict[str, Any]:
    """Returns the values by key. An empty text clears the field, but leaves a personal one as it is."""
    values: dict[str, Any] = {key: None for key in forgotten if key in fields}
    for key, text in zip(keys, texts, strict=False):
        if text.strip():
            values[key] = cells.custom_value(text.strip(), fields.get(key))
        elif key in fields and not fields[key].personal:
            values[key] = None
    return values


def initial_values(view: PanelView, user: User, fields: Mapping[str, CustomField]) -> dict[str, object]:
    """Returns the form's initial values. Personal ones are masked, so they are typed again or left alone."""
    return {
        f"{PREFIX}{key}": _text_of(view, user.custom_fields.get(key))
        for key, field in fields.items()
        if not field.personal
    }


def _text_of(view: PanelView, value: object) -> object:
    if not isinstance(value, int | float):
        return value
    return str(value).replace(".", ",") if view.page.locale == "pt-BR" else str(value)


def with_values(refusal: Refusal | None) -> Refusal | None:
    """Returns the refusal with each custom field under its own name."""
    if refusal is None:
        return None
    keys, texts = (_list_sent(refusal.values.get(name)) for name in ("custom_key", "custom_value"))
    own = {f"{PREFIX}{key}": text for key, text in zip(keys, texts, strict=False)}
    return structs.replace(refusal, values={**refusal.values, **own})


def _list_sent(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def describe(view: PanelView, user: User, fields: Mapping[str, CustomField]) -> list[FieldValue]:
    """Returns every field with the person's value."""
    return [_describe(view, field, user.custom_fields.get(key)) for key, field in fields.items()]


def _describe(view: PanelView, field: CustomField, value: Any) -> FieldValue:
    href = ""
    text = "" if value is None else str(value)
    if text and not field.personal and field.type in ("text", "choice"):
        href = "/admin/people?" + urlencode({"custom": f"{field.key}:{text}"})
    elif text and not field.personal and field.type == "date":
        text = formats.day(view.page, text)
    elif text and not field.personal:
        text = formats.number(view.page, value)
    return FieldValue(field.name, text, href)


async def offer_values(tx: Tx, view: PanelView, chosen: object) -> Choices:
    """Returns the choices of all fields that are lists, and the chosen value of a text field."""
    fields = await load_fields(tx)
    options = {
        f"{field.key}:{choice}": f"{field.name}: {choice}"
        for field in fields.values()
        if not field.personal
        for choice in field.choices
    }
    key, _, value = str(chosen or "").partition(":")
    if value and key in fields:
        options.setdefault(f"{key}:{value}", f"{fields[key].name}: {value}")
    return Choices(list(options.items()))
