"""/admin/paths/{id}/people.csv: the people on a learning path, for a spreadsheet."""

from uuid import UUID

from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_, NC_, formats
from trilha.training.learning_paths import queries
from trilha.training.learning_paths.lists import followers
from trilha.training.learning_paths.schema import Follower, FollowQuery
from trilha.web.panel.learning_paths.pages import ADDRESS, READ
from trilha.web.panel.people_files import PeopleFile, format_day
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People on learning paths as a file", "How far the people on a path are.")


def _describe_status(view: PanelView, row: Follower) -> str:
    if row.completed_at:
        return view.say(NC_("path", "Completed"))
    if row.overdue:
        return view.say(NC_("path", "Overdue"))
    return view.say(N_("In progress") if row.completed else NC_("path", "At the first course"))


_FILE: PeopleFile[Follower] = PeopleFile(
    name="path",
    find_person=lambda row: (row.id, row.name, row.email),
    columns=[
        (N_("Courses completed"), lambda view, row: formats.number(view.page, row.completed)),
        (N_("Status"), _describe_status),
        (N_("Assignment date"), lambda view, row: format_day(view, row.assigned_at)),
        (N_("Due date"), lambda view, row: format_day(view, row.due_at)),
        (N_("Completion date"), lambda view, row: format_day(view, row.completed_at)),
    ],
)


class ExportForm(FollowQuery, frozen=True, kw_only=True):
    """The selected people, or all who match the filters."""

    id: list[UUID] = []
    all: bool = False


@routes.get("/paths/{path_id}/people.csv", access=READ)
async def download_followers(view: PanelView, path_id: UUID, query: FollowQuery) -> Stream[bytes]:
    """Streams the people who match the filters, as CSV."""
    await _check_path(view, path_id)
    return _FILE.stream(view, followers(path_id), query, reach_of(view))


@routes.post("/paths/{path_id}/people/export", access=READ)
async def export_followers(view: PanelView, path_id: UUID, form: ExportForm) -> Answer:
    """Streams the selected people, as CSV."""
    await _check_path(view, path_id)
    if form.all:
        return _FILE.stream(view, followers(path_id), form, reach_of(view))
    if not form.id:
        message = N_("Select rows in the list first.")
        return view.lead(f"{ADDRESS}/{path_id}/people", message, state="warn")
    return _FILE.stream_selected(view, followers(path_id), form.id, reach_of(view))


async def _check_path(view: PanelView, path_id: UUID) -> None:
    """Raises NotFound."""
    async with view.reading() as tx:
        await queries.get(tx, path_id)
