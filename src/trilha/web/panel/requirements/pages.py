"""/admin/requirements: lists, creates, previews, changes and deletes requirements."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Invalid
from trilha.core.lists import list_rows
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.training.learning_paths.lists import PATHS
from trilha.training.learning_paths.schema import PathQuery
from trilha.training.requirements import actions, explaining, previewing, queries, totals
from trilha.training.requirements.lists import REQUIREMENTS
from trilha.training.requirements.schema import PreviewRow, Requirement, RequirementPatch, check_pairs
from trilha.training.requirements.totals import Totals
from trilha.training.requirements.world import load_world
from trilha.web.panel import choices, lists
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.lists import Action, Column, Empty, Table
from trilha.web.panel.people.words import ROLES
from trilha.web.panel.reach import reach_of
from trilha.web.panel.requirements import words
from trilha.web.panel.requirements.forms import RequirementForm, read_values
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Mandatory training", "Who must hold which course or path, and where everybody stands.")
ADDRESS = f"{HOME}/requirements"
MATRIX = f"{ADDRESS}/matrix"
UNITS = f"{ADDRESS}/units"
READ, WRITE = may(Permission.REQUIREMENTS_READ), may(Permission.REQUIREMENTS_WRITE)
_FORM = "panel/requirements/form.html"
_PREVIEW_SIZE = 20
_WRITING = Permission.REQUIREMENTS_WRITE


def build_tabs(view: PanelView, current: str) -> list[tuple[str, str, bool]]:
    """Returns the label and address of each page about mandatory training, and whether it is current."""
    tabs = {ADDRESS: N_("Requirements"), MATRIX: N_("People"), UNITS: N_("Business units")}
    return [(view.say(label), href, href == current) for href, label in tabs.items()]


class ListedRequirement(Struct, frozen=True):
    """A requirement, what it asks for, and how many people are in which state."""

    requirement: Requirement
    target: str
    totals: Totals


class PreviewPerson(Struct, frozen=True):
    row: PreviewRow
    name: str


def build_table(view: PanelView) -> Table[Requirement]:
    async def load(tx: Tx, rows: Sequence[Requirement]) -> list[ListedRequirement]:
        ids = [each.id for each in rows]
        counts = await totals.count(tx, ids, reach_of(view))
        targets = await queries.list_targets(tx, ids)
        return [
            ListedRequirement(each, targets[each.id], counts.get(each.id, totals.NOBODY)) for each in rows
        ]

    return Table(
        listing=REQUIREMENTS,
        load=load,
        path=ADDRESS,
        title=N_("Mandatory training"),
        row="panel/requirements/_row.html",
        columns=[
            N_("Requirement"),
            Column(N_("People"), numeric=True),
            Column(N_("Valid"), numeric=True),
            Column(N_("Due soon"), numeric=True),
            Column(N_("Overdue"), numeric=True),
            N_("Status"),
        ],
        counted=NN_("%(num)s requirement", "%(num)s requirements"),
        actions=[
            Action(
                N_("Create requirement"),
                f"{ADDRESS}/new",
                "plus",
                Permission.REQUIREMENTS_WRITE,
                primary=True,
            ),
        ],
        empty=Empty(
            N_("No mandatory training yet"),
            N_("Choose a course, who must take it, and how often. For example NR-35 for maintenance."),
            "shield-check",
            permission=Permission.REQUIREMENTS_WRITE,
            otherwise=Empty(
                N_("No mandatory training yet"),
                N_("Administrators say who must be trained. Your people then appear here."),
                "shield-check",
            ),
        ),
    )


@routes.get("/requirements", access=READ)
async def list_requirements(tx: Tx, view: PanelView, query: ListQuery) -> Html:
    """Lists the requirements, newest first."""
    return await lists.show(
        tx,
        view,
        build_table(view),
        query,
        template="panel/requirements/list.html",
        tabs=build_tabs(view, ADDRESS),
    )


@routes.get("/requirements/new", access=WRITE)
async def new_requirement(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new requirement."""
    begins: Mapping[str, Any] = {"window_days": 60}
    return await _show_form(tx, view, refusal, begins, None)


async def _show_form(
    tx: Tx,
    view: PanelView,
    refusal: Refusal | None,
    begins: Mapping[str, Any],
    requirement: Requirement | None,
    **values: Any,
) -> Html:
    sent = refusal.values if refusal else begins
    found = await list_rows(tx, PATHS, PathQuery(status="PUBLISHED"), limit=choices.MAX_OPTIONS)
    return view.form(
        _FORM,
        refusal,
        begins,
        words.SENTENCES,
        requirement=requirement,
        courses=await choices.courses(tx, view, sent.get("course_id"), published=True),
        paths=[(str(each.id), each.title) for each in found],
        units=await choices.units(tx, view, sent.get("unit_id")),
        groups=await choices.groups(tx, view, sent.get("group_id")),
        roles=[(role, view.say(label)) for role, label in ROLES.items()],
        address=ADDRESS,
        **({"preview": None, "people": ()} | values),
    )


@routes.post("/requirements/new", access=WRITE, refused=new_requirement)
async def create_requirement(tx: Tx, view: PanelView, form: RequirementForm) -> Answer:
    """Shows what the requirement would do, or creates it."""
    new = form.build()
    _check(form)
    if form.step == "preview":
        return await _show_preview(tx, view, form, None)
    requirement = await actions.create(tx, new)
    message = N_("The requirement was created. Everyone concerned is enrolled within a minute.")
    return view.lead(f"{ADDRESS}/{requirement.id}", message)


def _check(form: RequirementForm) -> None:
    """Raises Invalid if the form lacks a target or a due date, or has two."""
    if problems := list(check_pairs(structs.asdict(form))):
        raise Invalid(problems)


async def _show_preview(
    tx: Tx, view: PanelView, form: RequirementForm, requirement: Requirement | None
) -> Html:
    rows = await previewing.list_rows(tx, form.build())
    ids = [each.user_id for each in rows[:_PREVIEW_SIZE]]
    names = {each.id: each.name for each in await selection.find_by_ids(tx, ids, reach_of(view))}
    people = [PreviewPerson(row, names.get(row.user_id, "")) for row in rows[:_PREVIEW_SIZE]]
    counts = previewing.count(tx, rows)
    return await _show_form(tx, view, None, structs.asdict(form), requirement, preview=counts, people=people)


@routes.get("/requirements/{requirement_id}/edit", access=WRITE)
async def edit_requirement(
    tx: Tx, view: PanelView, requirement_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the form of a requirement whose rule the form can write."""
    requirement = await queries.get(tx, requirement_id)
    values = read_values(requirement)
    if values is None:
        return view.form("panel/requirements/fixed.html", None, {}, requirement=requirement, address=ADDRESS)
    return await _show_form(tx, view, refusal, values, requirement)


@routes.post("/requirements/{requirement_id}/edit", access=WRITE, refused=edit_requirement)
async def update_requirement(tx: Tx, view: PanelView, requirement_id: UUID, form: RequirementForm) -> Answer:
    """Shows what the change would do, or saves it."""
    _check(form)
    requirement = await queries.get(tx, requirement_id)
    if form.step == "preview":
        return await _show_preview(tx, view, form, requirement)
    new = structs.asdict(form.build())
    del new["active"]
    await actions.change(tx, requirement_id, RequirementPatch(**new))
    return view.lead(f"{ADDRESS}/{requirement_id}", N_("The changes were saved."))


@routes.post("/requirements/{requirement_id}/switch", access=WRITE)
async def switch_requirement(tx: Tx, view: PanelView, requirement_id: UUID, form: Button) -> Answer:
    """Turns a requirement off, or on again."""
    requirement = await queries.get(tx, requirement_id)
    await actions.change(tx, requirement_id, RequirementPatch(active=not requirement.active))
    message = (
        N_("The requirement was turned off. People keep what they have begun.")
        if requirement.active
        else N_("The requirement was turned on. Everyone concerned is enrolled within a minute.")
    )
    return view.lead(f"{ADDRESS}/{requirement_id}", message)


REQUIREMENT = Subject(
    routes=routes,
    path="/requirements/{requirement_id}",
    access=WRITE,
    get=lambda tx, view, requirement_id: queries.get(tx, requirement_id),
    name=lambda requirement: requirement.title,
)
REQUIREMENT.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    [
        N_("It enrolls no more people. People keep their enrollments and certificates."),
        N_("You cannot undo this."),
    ],
    N_("Delete requirement"),
    N_("The requirement %(name)s was deleted."),
    gone=True,
)


async def describe(tx: Tx, view: PanelView, requirement: Requirement) -> str:
    """Returns the rule in the viewer's language."""
    world = await load_world(tx)
    node = world.by_id[requirement.id].node
    if node is None:
        return ""
    names = await explaining.load_names(tx, [node])
    return explaining.describe_rule(node, names, view.page.locale)
