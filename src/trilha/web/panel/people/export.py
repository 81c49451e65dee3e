"""/admin/people.csv: the people who match the list's filters, or selected ones, for a spreadsheet."""

from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.web.answers import Answer, Stream
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery, Person
from trilha.web.panel.people import words
from trilha.web.panel.people.filters import PATH
from trilha.web.panel.people_files import PeopleFile, format_day
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People as a file", "The people who match the list's filters.")
_READ = may(Permission.PEOPLE_READ)
_FILE: PeopleFile[Person] = PeopleFile(
    name="people",
    find_person=lambda row: (row.id, row.name, row.email),
    columns=[
        (N_("Department"), lambda view, row: row.department or ""),
        (N_("Job title"), lambda view, row: row.job_title or ""),
        (N_("Role"), lambda view, row: view.say(words.ROLES[row.role])),
        (N_("Status"), lambda view, row: view.say(words.STATUSES[row.status][1])),
        (N_("Last access"), lambda view, row: format_day(view, row.last_login_at)),
    ],
)


class ExportForm(PeopleQuery, frozen=True, kw_only=True):
    """The selected people, or all who match the filters."""

    id: list[UUID] = []
    all: bool = False


@routes.get("/people.csv", access=_READ)
async def download_people(view: PanelView, query: PeopleQuery) -> Stream[bytes]:
    """Streams everybody who matches the filters, as CSV."""
    return _FILE.stream(view, PEOPLE, query, reach_of(view))


@routes.post("/people/export", access=_READ)
async def export_people(view: PanelView, form: ExportForm) -> Answer:
    """Streams the selected people, as CSV."""
    if form.all:
        return _FILE.stream(view, PEOPLE, form, reach_of(view))
    if not form.id:
        return view.lead(PATH, N_("Select rows in the list first."), state="warn")
    return _FILE.stream_selected(view, PEOPLE, form.id, reach_of(view))
