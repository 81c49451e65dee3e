"""/admin/certificates/templates: the list, the editor and its preview."""

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Invalid, NotFound
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import ProcessDied
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, AnyQuery, Refusal, Routes
from trilha.kit import N_
from trilha.training.certificates.pdf.press import NotRendered
from trilha.training.certificates.pdf.previewing import Previews
from trilha.training.certificates.templates import actions, pictures, queries, rules
from trilha.training.certificates.templates.rules import PLACEHOLDERS
from trilha.training.certificates.templates.schema import NewTemplate, Template
from trilha.web.panel.certificate_templates import forms
from trilha.web.panel.certificate_templates.forms import TemplateForm, Uploads
from trilha.web.panel.certificates.pages import ADDRESS
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.view import PanelView

routes = Routes("Certificate templates", "The company's certificate templates.")
PATH = f"{ADDRESS}/templates"
_ACCESS = may(Permission.CERTIFICATES_WRITE)
DESIGNS = {"classic": N_("Classic"), "modern": N_("Modern")}
ORIENTATIONS = {"landscape": N_("Landscape"), "portrait": N_("Portrait")}
MEANINGS = {
    "name": N_("Holder's name"),
    "cpf": N_("Holder's CPF"),
    "course": N_("Course title"),
    "company": N_("Company name"),
    "workload": N_("Workload"),
    "score": N_("Score"),
    "started_on": N_("Start date"),
    "completed_on": N_("Completion date"),
    "issued_on": N_("Issue date"),
    "valid_until": N_("Last day of validity"),
    "code": N_("Verification code"),
}
MAX_BODY = 4 * pictures.MAX_BYTES + MIB
_RENDERING_FAILURES = (NotRendered, ProcessDied, FileNotFoundError)


class NewForm(Struct, frozen=True):
    name: Name
    design: Literal["classic", "modern"] = "classic"
    orientation: Literal["landscape", "portrait"] = "landscape"


@routes.get("/certificates/templates", access=_ACCESS)
async def list_templates(tx: Tx, view: PanelView) -> Html:
    """Lists the templates that are not archived, each with a picture."""
    templates = await queries.list_all(tx)
    return view.show(
        "panel/certificate_templates/list.html",
        templates=templates,
        default=next((template for template in templates if template.is_default), None),
        designs=DESIGNS,
        orientations=ORIENTATIONS,
        looks={template.id: _build_query(template) for template in templates},
        builtin=urlencode({"design": "classic", "orientation": "landscape", "name": "x", "syllabus": "true"}),
    )


def _build_query(template: Template) -> str:
    return urlencode({name: str(value) for name, value in forms.build_fields(template).items() if value})


@routes.get("/certificates/templates/new", access=_ACCESS)
async def new_template(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new template: its name, design and orientation."""
    looks = {
        (design, orientation): urlencode({"design": design, "orientation": orientation, "name": "x"})
        for design in DESIGNS
        for orientation in ORIENTATIONS
    }
    return view.form(
        "panel/certificate_templates/new.html",
        refusal,
        {"design": "classic", "orientation": "landscape"},
        designs=DESIGNS,
        orientations=ORIENTATIONS,
        looks=looks,
    )


@routes.post("/certificates/templates/new", access=_ACCESS, refused=new_template)
async def create_template(tx: Tx, view: PanelView, form: NewForm) -> Answer:
    """Creates a template. No course uses it until somebody chooses it."""
    new = NewTemplate(name=form.name, design=form.design, orientation=form.orientation)
    template = await actions.create(tx, new)
    return view.lead(f"{PATH}/{template.id}", N_("The template was created. You can now customize it."))


@routes.get("/certificates/templates/preview", access=_ACCESS)
async def show_preview(request: Request, tx: Tx, view: PanelView, query: AnyQuery) -> Html:
    """Renders the editor's preview for the current fields, while somebody types."""
    values = _read_fields(request)
    problem = ""
    try:
        forms.read({"name": "x"} | values, tx.today)
    except Invalid:
        problem = N_("Correct the fields to see the preview.")
    return view.show("panel/certificate_templates/_preview.html", look=urlencode(values), problem=problem)


@routes.get("/certificates/templates/preview.webp", access=_ACCESS)
async def draw_preview(
    request: Request, tx: Tx, view: PanelView, previews: Previews, query: AnyQuery
) -> Answer:
    """Renders the first page of a sample certificate with these fields."""
    new = forms.read({"name": "x"} | _read_fields(request), tx.today)
    try:
        pages = await previews.render(tx, actions.look_of(new), new.locale)
    except _RENDERING_FAILURES:
        raise NotFound("template_not_found") from None
    return Answer(
        200,
        pages[0],
        [(b"content-type", b"image/webp"), (b"content-disposition", b'inline; filename="preview.webp"')],
    )


def _read_fields(request: Request) -> dict[str, str]:
    """The editor's fields in the query, without those that do not change the look."""
    names = set(TemplateForm.__struct_fields__) - {"step"}
    return {name: value for name, value in parse_qsl(request.query) if name in names and "\x00" not in value}


@routes.get("/certificates/templates/{template_id}", access=_ACCESS)
async def edit_template(tx: Tx, view: PanelView, template_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the editor."""
    template = await queries.get(tx, template_id)
    fields = forms.build_fields(template, view.locale)
    if refusal is not None:  # browsers do not send empty fields
        sent = {name: value for name, value in refusal.values.items() if isinstance(value, str)}
        unsent = {name: "" for name in fields if not name.endswith("_picture") and name != "logo"}
        refusal = Refusal({**fields, **unsent, **sent}, refusal.failure)
        return _show_editor(view, template, refusal.values, refusal)
    return _show_editor(view, template, fields)


_MAX_NAME = 40  # characters of a placeholder in a message


def _show_editor(
    view: PanelView, template: Template, values: Mapping[str, Any], refusal: Refusal | None = None
) -> Html:
    look = {name: str(value) for name, value in values.items() if value}
    names = [(rules.display_name(name, view.locale), view.say(MEANINGS[name])) for name in PLACEHOLDERS]
    return view.form(
        "panel/certificate_templates/template.html",
        refusal,
        values,
        _describe_refusal(view, refusal),
        edited=template,
        designs=DESIGNS,
        orientations=ORIENTATIONS,
        placeholders=names,
        signers=forms.SIGNERS,
        look=urlencode(look) if refusal is None else _build_query(template),
        problem="",
    )


def _describe_refusal(view: PanelView, refusal: Refusal | None) -> dict[str, str]:
    """Returns a sentence for each field that has an unknown placeholder."""
    if refusal is None or not isinstance(refusal.failure, Invalid):
        return {}
    return {
        f"{each.field}: {each.code}": _describe_unknown(view, str(refusal.values.get(each.field, "")))
        for each in refusal.failure.detail
        if each.code == "unknown_placeholder"
    }


def _describe_unknown(view: PanelView, text: str) -> str:
    """Returns a msgid that has the typed name, and the placeholder that was probably meant."""
    unknown = next(iter(rules.list_unknown(text)), "")
    name, nearest = unknown[:_MAX_NAME], rules.find_nearest(unknown, view.locale)
    if nearest:
        sentence = N_("There is no placeholder {%(name)s}. Did you mean {%(nearest)s}?")
    else:
        sentence = N_("There is no placeholder {%(name)s}. Use one of the list.")
    return view.say(sentence, name=name, nearest=nearest).replace("%", "%%")


@routes.post(
    "/certificates/templates/{template_id}",
    access=_ACCESS,
    max_body=MAX_BODY,
    prepare=forms.read_pictures,
    refused=edit_template,
)
async def save_template(
    tx: Tx, view: PanelView, files: FileStore, template_id: UUID, form: TemplateForm, prepared: Uploads
) -> Answer:
    """Saves the template, or only shows the form again: see `TemplateForm.step`."""
    template = await queries.get(tx, template_id)
    for picture in prepared.values():
        await actions.keep_picture(files, tx, picture)
    values = forms.build_values(form, prepared)
    if form.step != "save":
        return _show_editor(view, template, values)
    await actions.update(tx, template_id, forms.build_patch(forms.read(values, tx.today)))
    message = N_("The template was saved. New certificates will use this version.")
    return view.lead(f"{PATH}/{template_id}", message)


@routes.post("/certificates/templates/builtin", access=_ACCESS)
async def use_builtin(tx: Tx, view: PanelView, form: Button) -> Answer:
    """Makes the built-in template the default."""
    await actions.use_builtin(tx)
    return view.lead(PATH, N_("The built-in template is now the default."))


@routes.post("/certificates/templates/{template_id}/default", access=_ACCESS)
async def make_default(tx: Tx, view: PanelView, template_id: UUID, form: Button) -> Answer:
    """Makes this template the default for courses that choose none."""
    template = await actions.make_default(tx, template_id)
    return view.lead(PATH, N_("%(name)s is now the default template."), name=template.name)


TEMPLATES = Subject(
    routes=routes,
    path="/certificates/templates/{template_id}",
    access=_ACCESS,
    get=lambda tx, view, template_id: queries.get(tx, template_id),
    trail=lambda view, template: [(view.say(N_("Templates")), PATH)],
)
TEMPLATES.ask(
    "archive",
    actions.archive,
    N_("Archive %(name)s"),
    [
        N_("It can no longer be chosen. Courses that use it switch to the default template."),
        N_("Certificates already issued do not change."),
    ],
    N_("Archive template"),
    N_("%(name)s was archived."),
)
