"""/admin/settings/custom-fields: lists, creates, renames and deletes custom fields of people."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import STORABLE, Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.parsing import convert
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.people.custom_fields import actions, queries
from trilha.people.custom_fields.schema import CustomField, CustomFieldChange, NewCustomField
from trilha.training.requirements import field_deletion
from trilha.web.panel.confirm import Subject, Trail
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: custom fields", "What a company keeps of its people beside the usual members.")
ADDRESS = f"{PATH}/custom-fields"
_ACCESS = may(Permission.SETTINGS_WRITE)
_FORM = "panel/settings/custom_field.html"
TYPES = {"text": N_("Text"), "number": N_("Number"), "date": N_("Date"), "choice": N_("List of choices")}
_SENTENCES = {"too_long": N_("Enter up to 200 choices, one per line.")}
say(
    invalid_key=N_("Use up to 40 lower-case letters, digits and underscores, beginning with a letter."),
    choices_required=N_("Enter choices for a list of choices. Other types have none."),
    custom_field_exists=N_("Another field already has this key. Enter a different one."),
    too_many_custom_fields=N_("There are 50 custom fields already. Delete one first."),
    custom_field_in_use=N_("Requirements use this field. Change their rules first."),
    custom_field_not_found=N_("This field is no longer there."),
    unknown_custom_field=N_("This field is no longer there."),
)
Lines = Annotated[str, Meta(max_length=50_000, extra_json_schema=STORABLE)]


class NewFieldForm(Struct, frozen=True):
    """`choices` are one per line."""

    key: str
    name: str
    type: str = "text"
    choices: Lines = ""
    personal: bool = False


class FieldForm(Struct, frozen=True):
    """`choices` are those to add, one per line."""

    name: Name
    choices: Lines = ""


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@routes.get("/settings/custom-fields", access=_ACCESS)
async def list_fields(tx: Tx, view: PanelView) -> Html:
    """List the custom fields."""
    fields = await queries.list_fields(tx)
    return view.show("panel/settings/custom_fields.html", fields=fields, types=TYPES, address=ADDRESS)


@routes.get("/settings/new-custom-field", access=_ACCESS)
async def show_new_field(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show the form of a new field."""
    return _show_form(view, refusal, {"type": "text"}, None)


@routes.post("/settings/new-custom-field", access=_ACCESS, refused=show_new_field)
async def create_field(tx: Tx, view: PanelView, form: NewFieldForm) -> Answer:
    """Create a custom field."""
    raw = {"key": form.key, "name": form.name, "type": form.type, "personal": form.personal}
    raw["choices"] = _split_lines(form.choices)
    field = await actions.create(tx, convert(NewCustomField, raw, tx.today))
    return view.lead(ADDRESS, N_("The field %(name)s was created."), name=field.name)


@routes.get("/settings/custom-fields/{field_key}", access=_ACCESS)
async def show_field(tx: Tx, view: PanelView, field_key: str, refusal: Refusal | None = None) -> Html:
    """Show the form of a field."""
    field = await get_field(tx, view, field_key)
    return _show_form(view, refusal, {"name": field.name}, field)


@routes.post("/settings/custom-fields/{field_key}", access=_ACCESS, refused=show_field)
async def change_field(tx: Tx, view: PanelView, field_key: str, form: FieldForm) -> Answer:
    """Rename a field, and add choices."""
    raw = {"name": form.name, "choices": _split_lines(form.choices)}
    change = convert(CustomFieldChange, raw, tx.today)
    await actions.change(tx, field_key, change.name, change.choices)
    return view.lead(ADDRESS, N_("The field %(name)s was saved."), name=form.name)


def _show_form(
    view: PanelView, refusal: Refusal | None, begins: dict[str, object], field: CustomField | None
) -> Html:
    trail = [(view.say(N_("Custom fields")), ADDRESS)]
    return view.form(_FORM, refusal, begins, _SENTENCES, field=field, types=TYPES, trail=trail)


async def get_field(tx: Tx, view: PanelView, key: str) -> CustomField:
    """Raises NotFound."""
    field = await queries.find(tx, key)
    if field is None:
        raise NotFound("custom_field_not_found")
    return field


def _trail(view: PanelView, field: CustomField) -> Trail:
    return [(view.say(N_("Custom fields")), ADDRESS), (field.name, f"{ADDRESS}/{field.key}")]


async def _list_uses(tx: Tx, view: PanelView, field: CustomField) -> dict[str, Any]:
    titles = await field_deletion.list_uses(tx, field.key)
    return {"requirements": ", ".join(titles) or None}


FIELDS = Subject(
    routes=routes,
    path="/settings/custom-fields/{field_key}",
    access=_ACCESS,
    get=get_field,
    types={"field_key": str},
    trail=_trail,
)
FIELDS.ask(
    "delete",
    field_deletion.delete_field,
    N_("Delete the field %(name)s?"),
    [
        N_("Everybody's values of this field are deleted with it. This cannot be undone."),
        N_(
            "These requirements use the field, so it cannot be deleted: %(requirements)s. Change their "
            "rules first."
        ),
    ],
    N_("Delete field"),
    N_("The field %(name)s was deleted."),
    gone=True,
    values=_list_uses,
)
