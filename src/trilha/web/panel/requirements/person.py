"""/admin/people/{id}/requirements: what a person must hold, why, more time for it, and excuses from it."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.moments import Day
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.people.users import selection
from trilha.training.requirements import actions, excuse_queries, lists, queries
from trilha.training.requirements.excuse_queries import ExcuseReason
from trilha.training.requirements.schema import PersonRequirement
from trilha.web.panel.confirm import Button
from trilha.web.panel.people.filters import PATH
from trilha.web.panel.people.page_person import get_changeable, show_tab
from trilha.web.panel.reach import check_not_own, reach_of
from trilha.web.panel.requirements import words
from trilha.web.panel.requirements.pages import READ, WRITE
from trilha.web.panel.view import HOME, PanelView

EXTEND = may(Permission.ENROLLMENTS_WRITE)
routes = Routes("A person's mandatory training", "What a person must hold, why, and excuses from it.")


class OwnRequirement(Struct, frozen=True):
    """A requirement that applies to the person; `excuse` is None unless they are excused from it."""

    standing: PersonRequirement
    title: str
    target: str
    excuse: ExcuseReason | None


class ExtensionForm(Struct, frozen=True, kw_only=True):
    """How many days to give, and the page to return to."""

    days: Literal[7, 15, 30] = 15
    page: Literal["overview", "person"] = "person"


class ExcuseForm(Struct, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]
    until: Day | None = None


@routes.get("/people/{user_id}/requirements", access=READ)
async def show_requirements(tx: Tx, view: PanelView, user_id: UUID) -> Html:
    """Shows what a person must hold and why."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    standings = await lists.list_of_person(tx, user_id, view.page.locale)
    titles = {each.id: each.title for each in await queries.list_all(tx)}
    targets = await queries.list_targets(tx, [each.requirement_id for each in standings])
    excuses = await excuse_queries.list_reasons(tx, user_id)
    rows = [
        OwnRequirement(
            each,
            titles[each.requirement_id],
            targets[each.requirement_id],
            excuses.get(each.requirement_id),
        )
        for each in standings
    ]
    values = {"rows": rows, "states": words.STATES, "badges": words.BADGES}
    return await show_tab(tx, view, "requirements", user, **values)


@routes.post("/people/{user_id}/requirements/{requirement_id}/extend", access=EXTEND)
async def extend_due_date(
    tx: Tx, view: PanelView, user_id: UUID, requirement_id: UUID, form: ExtensionForm
) -> Answer:
    """Gives a person more time for a requirement, counted from today."""
    user = await get_changeable(tx, user_id, reach_of(view))
    check_not_own(view, user_id)
    await actions.extend(tx, requirement_id, user_id, form.days)
    page = HOME if form.page == "overview" else f"{PATH}/{user_id}/requirements"
    message = N_("%(name)s has %(days)s more days. The figures follow within a minute.")
    return view.lead(page, message, name=user.name, days=form.days)


@routes.get("/people/{user_id}/requirements/{requirement_id}/excuse", access=WRITE)
async def show_excuse(
    tx: Tx, view: PanelView, user_id: UUID, requirement_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the form that excuses a person."""
    user = await get_changeable(tx, user_id, reach_of(view))
    requirement = await queries.get(tx, requirement_id)
    excuse = (await excuse_queries.list_reasons(tx, user_id)).get(requirement_id)
    begins = {"reason": excuse.reason if excuse else ""}
    return view.form(
        "panel/requirements/excuse.html",
        refusal,
        begins,
        words.SENTENCES,
        user=user,
        requirement=requirement,
        back=f"{PATH}/{user_id}/requirements",
    )


@routes.post("/people/{user_id}/requirements/{requirement_id}/excuse", access=WRITE, refused=show_excuse)
async def excuse_person(
    tx: Tx, view: PanelView, user_id: UUID, requirement_id: UUID, form: ExcuseForm
) -> Answer:
    """Excuses a person until the end of a day, or for good."""
    user = await get_changeable(tx, user_id, reach_of(view))
    if not form.reason.strip():
        raise invalid("reason", "too_short")
    until = form.until.end(view.page.time_zone).moment() if form.until else None
    await actions.excuse(tx, requirement_id, user_id, form.reason.strip(), until)
    return view.lead(f"{PATH}/{user_id}/requirements", N_("%(name)s is excused."), name=user.name)


@routes.post("/people/{user_id}/requirements/{requirement_id}/end-excuse", access=WRITE)
async def end_excuse(tx: Tx, view: PanelView, user_id: UUID, requirement_id: UUID, form: Button) -> Answer:
    """Ends an excuse."""
    user = await get_changeable(tx, user_id, reach_of(view))
    await actions.end_excuse(tx, requirement_id, user_id)
    return view.lead(f"{PATH}/{user_id}/requirements", N_("%(name)s is no longer excused."), name=user.name)
