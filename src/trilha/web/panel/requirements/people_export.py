"""/admin/requirements/{id}/people.csv: where the people of a requirement stand, for a spreadsheet."""

from uuid import UUID

from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.requirements import queries
from trilha.web.panel.people_files import PeopleFile, format_day
from trilha.web.panel.reach import reach_of
from trilha.web.panel.requirements import words
from trilha.web.panel.requirements.pages import ADDRESS, READ
from trilha.web.panel.requirements.panel_lists import ListedPerson, of_requirement
from trilha.web.panel.requirements.people import PeopleQuery
from trilha.web.panel.view import PanelView

routes = Routes("People of requirements as a file", "Where people stand with a requirement.")
_FILE: PeopleFile[ListedPerson] = PeopleFile(
    name="requirement",
    find_person=lambda row: (row.user_id, row.name, row.email),
    columns=[
        (N_("Status"), lambda view, row: view.say(words.STATES[row.state])),
        (N_("Due date"), lambda view, row: format_day(view, row.due_at)),
        (N_("Valid until"), lambda view, row: format_day(view, row.valid_until)),
    ],
)


class ExportForm(PeopleQuery, frozen=True, kw_only=True):
    """The selected people, or all who match the filters."""

    id: list[UUID] = []
    all: bool = False


@routes.get("/requirements/{requirement_id}/people.csv", access=READ)
async def download_people(view: PanelView, requirement_id: UUID, query: PeopleQuery) -> Stream[bytes]:
    """Streams the people who match the filters, as CSV."""
    await _check_requirement(view, requirement_id)
    return _FILE.stream(view, of_requirement(requirement_id), query, reach_of(view))


@routes.post("/requirements/{requirement_id}/export", access=READ)
async def export_people(view: PanelView, requirement_id: UUID, form: ExportForm) -> Answer:
    """Streams the selected people, as CSV."""
    await _check_requirement(view, requirement_id)
    listing = of_requirement(requirement_id)
    if form.all:
        return _FILE.stream(view, listing, form, reach_of(view))
    if not form.id:
        message = N_("Select rows in the list first.")
        return view.lead(f"{ADDRESS}/{requirement_id}", message, state="warn")
    return _FILE.stream_selected(view, listing, form.id, reach_of(view))


async def _check_requirement(view: PanelView, requirement_id: UUID) -> None:
    """Raises NotFound."""
    async with view.reading() as tx:
        await queries.get(tx, requirement_id)
