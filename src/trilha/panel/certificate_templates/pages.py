"""/admin/certificates/templates: the list, the editor and its preview."""

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from msgspec import Struct

from trilha.certificates.rendering.press import NotRendered
from trilha.certificates.rendering.previewing import Previews
from trilha.certificates.templates import actions, pictures, queries
from trilha.certificates.templates.rules import PLACEHOLDERS
from trilha.certificates.templates.schema import NewTemplate, Template
from trilha.core.database import Tx
from trilha.core.errors import Invalid, NotFound
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import Died
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.request import Request
from trilha.core.web.routes import MIB, AnyQuery, Refusal, Routes
from trilha.pages import N_
from trilha.panel.certificate_templates import forms
from trilha.panel.certificate_templates.forms import TemplateForm, Uploads
from trilha.panel.certificates.pages import ADDRESS
from trilha.panel.confirm import Button, Subject
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Certificate templates", "How certificates look.")
PATH = f"{ADDRESS}/templates"
_ACCESS = may(Permission.CERTIFICATES_WRITE)
DESIGNS = {"classic": N_("Classic"), "modern": N_("Modern")}
ORIENTATIONS = {"landscape": N_("Landscape"), "portrait": N_("Portrait")}
MEANINGS = {
    "name": N_("Name of the holder"),
    "cpf": N_("CPF of the holder"),
    "course": N_("Title of the course"),
    "company": N_("Name of the company"),
    "workload": N_("Workload"),
    "score": N_("Score"),
    "started_on": N_("Day on which it was started"),
    "completed_on": N_("Day on which it was completed"),
    "issued_on": N_("Day of issue"),
    "valid_until": N_("Last day on which it counts"),
    "code": N_("Code"),
}
_MOST = 4 * pictures.MOST_BYTES + MIB
_NOT_SHOWN = (NotRendered, Died, FileNotFoundError)


class NewForm(Struct, frozen=True):
    name: Name
    design: Literal["classic", "modern"] = "classic"
    orientation: Literal["landscape", "portrait"] = "landscape"


@routes.get("/certificates/templates", access=_ACCESS)
async def list_templates(tx: Tx, view: PanelView) -> Html:
    """All that are in use, each with a picture."""
    templates = await queries.list_all(tx)
    return view.show(
        "panel/certificate_templates/list.html",
        templates=templates,
        default=next((each for each in templates if each.is_default), None),
        designs=DESIGNS,
        orientations=ORIENTATIONS,
        looks={each.id: _query_of(each) for each in templates},
        builtin=urlencode({"design": "classic", "orientation": "landscape", "name": "x", "syllabus": "true"}),
    )


def _query_of(template: Template) -> str:
    return urlencode({name: str(value) for name, value in forms.begins_of(template).items() if value})


@routes.get("/certificates/templates/new", access=_ACCESS)
async def new_template(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask from which design to begin."""
    shown = {
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
        shown=shown,
    )


@routes.post("/certificates/templates/new", access=_ACCESS, refused=new_template)
async def create_template(tx: Tx, view: PanelView, form: NewForm) -> Answer:
    """No course gets it yet: that is for the list and the pages of courses."""
    new = NewTemplate(name=form.name, design=form.design, orientation=form.orientation)
    template = await actions.create(tx, new)
    return view.lead(f"{PATH}/{template.id}", N_("The template was created. Now make it yours."))


@routes.get("/certificates/templates/preview", access=_ACCESS)
async def show_preview(request: Request, tx: Tx, view: PanelView, query: AnyQuery) -> Html:
    """A part of the editor: the picture of what is in its fields, while they are typed in."""
    values = _asked(request)
    problem = ""
    try:
        forms.read({"name": "x"} | values, tx.today)
    except Invalid:
        problem = N_("Something in the fields is not right yet. The picture follows once it is.")
    return view.show("panel/certificate_templates/_preview.html", look=urlencode(values), problem=problem)


@routes.get("/certificates/templates/preview.webp", access=_ACCESS)
async def draw_preview(
    request: Request, tx: Tx, view: PanelView, previews: Previews, query: AnyQuery
) -> Answer:
    """The first page of a certificate that would be issued by these fields."""
    new = forms.read({"name": "x"} | _asked(request), tx.today)
    try:
        made = await previews.render(tx, actions.look_of(new), new.locale)
    except _NOT_SHOWN:
        raise NotFound("template_not_found") from None
    return Answer(
        200,
        made[0],
        [(b"content-type", b"image/webp"), (b"content-disposition", b'inline; filename="preview.webp"')],
    )


def _asked(request: Request) -> dict[str, str]:
    """The fields of the editor, as far as they say how it looks."""
    known = set(TemplateForm.__struct_fields__) - {"step"}
    return {name: value for name, value in parse_qsl(request.query) if name in known and "\x00" not in value}


@routes.get("/certificates/templates/{template_id}", access=_ACCESS)
async def edit_template(tx: Tx, view: PanelView, template_id: UUID, refusal: Refusal | None = None) -> Html:
    """The editor."""
    template = await queries.get(tx, template_id)
    begins = forms.begins_of(template)
    if refusal is not None:  # a field that was left empty was not sent
        sent = {name: value for name, value in refusal.values.items() if isinstance(value, str)}
        unsent = {name: "" for name in begins if not name.endswith("_picture") and name != "logo"}
        refusal = Refusal({**begins, **unsent, **sent}, refusal.failure)
        return _editor(view, template, refusal.values, refusal)
    return _editor(view, template, begins)


def _editor(
    view: PanelView, template: Template, values: Mapping[str, Any], refusal: Refusal | None = None
) -> Html:
    look = {name: str(value) for name, value in values.items() if value}
    return view.form(
        "panel/certificate_templates/template.html",
        refusal,
        values,
        edited=template,
        designs=DESIGNS,
        orientations=ORIENTATIONS,
        placeholders=[(each, view.say(MEANINGS[each])) for each in PLACEHOLDERS],
        signers=forms.SIGNERS,
        look=urlencode(look) if refusal is None else _query_of(template),
        problem="",
    )


@routes.post(
    "/certificates/templates/{template_id}",
    access=_ACCESS,
    max_body=_MOST,
    prepare=forms.read_pictures,
    refused=edit_template,
)
async def save_template(
    tx: Tx, view: PanelView, files: FileStore, template_id: UUID, form: TemplateForm, prepared: Uploads
) -> Answer:
    """Keep it, or only show it."""
    template = await queries.get(tx, template_id)
    for picture in prepared.values():
        await actions.keep_picture(files, tx, picture)
    values = forms.values_of(form, prepared)
    if form.step != "save":
        return _editor(view, template, values)
    await actions.update(tx, template_id, forms.patch_of(forms.read(values, tx.today)))
    message = N_("The template was saved. Certificates are issued with it from now on.")
    return view.lead(f"{PATH}/{template_id}", message)


@routes.post("/certificates/templates/builtin", access=_ACCESS)
async def use_builtin(tx: Tx, view: PanelView, form: Button) -> Answer:
    """Courses that name no template get the built-in one."""
    await actions.use_builtin(tx)
    return view.lead(PATH, N_("The built-in design is the company's now."))


@routes.post("/certificates/templates/{template_id}/default", access=_ACCESS)
async def make_default(tx: Tx, view: PanelView, template_id: UUID, form: Button) -> Answer:
    """Courses that name no template get this one."""
    template = await actions.make_default(tx, template_id)
    return view.lead(PATH, N_("%(name)s is the company's template now."), name=template.name)


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
        N_("It can no longer be chosen, and courses that use it get the company's template."),
        N_("Certificates that were already issued stay as they are."),
    ],
    N_("Archive template"),
    N_("%(name)s was archived."),
)
