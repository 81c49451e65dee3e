"""/admin/requirements/{id}: the people of a requirement, and reminding them."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta

from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.training.requirements import queries, totals
from trilha.training.requirements.standing import State
from trilha.web.panel import lists, people_files
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.lists import ACTIONS, Bulk, Choice, Download, Empty, Table
from trilha.web.panel.reach import reach_of
from trilha.web.panel.requirements import bulk, words
from trilha.web.panel.requirements.pages import ADDRESS, READ, describe
from trilha.web.panel.requirements.panel_lists import ListedPerson, of_requirement
from trilha.web.panel.view import PanelView

routes = Routes("People of requirements", "Where people stand, and reminding them.")


class PeopleQuery(ListQuery, frozen=True, kw_only=True):
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: State | None = None


BULK = BulkList(
    routes=routes,
    path="/requirements/{requirement_id}",
    title=N_("People"),
    query=PeopleQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
    context=lambda requirement_id: {"requirement_id": str(requirement_id)},
    find_owner=queries.get,
)
BULK.add_pages()


def build_table(requirement_id: UUID) -> Table[ListedPerson]:
    address = f"{ADDRESS}/{requirement_id}"
    return Table(
        listing=of_requirement(requirement_id),
        path=address,
        title=N_("People"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        choices=[Choice(name="state", label=N_("Any status"), options=words.STATES)],
        row="panel/requirements/_person_row.html",
        values={"states": words.STATES, "badges": words.BADGES, "requirement_id": requirement_id},
        columns=[
            N_("Person"),
            N_("Unit"),
            N_("Status"),
            N_("Due date"),
            N_("Valid until"),
            ACTIONS,
        ],
        counted=NN_("%(num)s person", "%(num)s people"),
        download=Download(f"{address}/people.csv"),
        bulk=Bulk(
            buttons=[
                *BULK.buttons(requirement_id),
                people_files.build_button(f"{address}/export"),
            ]
        ),
        empty=Empty(
            N_("Nobody meets the rule yet"),
            N_("People appear here within a minute after the rule applies to them."),
            "users",
        ),
    )


@routes.get("/requirements/{requirement_id}", access=READ)
async def show_requirement(tx: Tx, view: PanelView, requirement_id: UUID, query: PeopleQuery) -> Html:
    """Shows a requirement, its figures and its people."""
    requirement = await queries.get(tx, requirement_id)
    counts = await totals.count(tx, [requirement_id], reach_of(view))
    return await lists.show(
        tx,
        view,
        build_table(requirement_id),
        query,
        reach_of(view),
        template="panel/requirements/requirement.html",
        requirement=requirement,
        target=(await queries.list_targets(tx, [requirement_id]))[requirement_id],
        rule=await describe(tx, view, requirement),
        totals=counts.get(requirement_id, totals.NOBODY),
        address=f"{ADDRESS}/{requirement_id}",
    )
