"""The table of people, and the choices of the profile form."""

from typing import Any

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.people.users.documents import CNH_CATEGORIES
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery, User
from trilha.people.users.sealing import DOCUMENTS
from trilha.web.panel import choices, people_files
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.lists import Action, Bulk, Check, Choice, Column, Download, Empty, Table
from trilha.web.panel.people import bulk, custom_fields, words
from trilha.web.panel.view import PanelView

PATH = "/admin/people"
bulk_routes = Routes("People: bulk actions", "What is done to selected people.")
BULK = BulkList(
    routes=bulk_routes,
    path="/people",
    title=N_("People"),
    query=PeopleQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
PEOPLE_TABLE = Table(
    listing=PEOPLE,
    path=PATH,
    title=N_("People"),
    search=N_("Search by name, e-mail, employee number or CPF"),
    row="panel/people/_row.html",
    columns=[
        Column(N_("Name"), sort="name"),
        N_("Employee number"),
        N_("Business unit"),
        N_("Role"),
        N_("Status"),
        Column(N_("Last access"), sort="last_login"),
    ],
    choices=[
        Choice(
            name="status",
            label=N_("All statuses"),
            options={value: word for value, (_, word) in words.STATUSES.items()},
        ),
        Choice(name="role", label=N_("All roles"), options=words.ROLES),
        Choice(name="unit", label=N_("All business units"), options=choices.units, more=True),
        Choice(name="group", label=N_("All learning groups"), options=choices.groups, more=True),
        Choice(
            name="custom",
            label=N_("All values of custom fields"),
            options=custom_fields.offer_values,
            more=True,
        ),
    ],
    checks=[
        # Managers and instructors cannot reach people without a unit.
        Check(name="without_unit", label=N_("In no business unit"), roles=("admin",)),
        Check(name="licence_expired", label=N_("Expired driver's license in a course that requires one")),
    ],
    values={"words": words},
    counted=NN_("%(num)s person", "%(num)s people"),
    download=Download(f"{PATH}.csv"),
    bulk=Bulk(buttons=[*BULK.buttons(), people_files.build_button(f"{PATH}/export")]),
    actions=[
        Action(N_("Import people"), f"{PATH}/import/new", "upload", Permission.PEOPLE_IMPORT),
        Action(N_("Add person"), f"{PATH}/new", "plus", Permission.PEOPLE_WRITE, primary=True),
    ],
    empty=Empty(
        N_("Nobody here yet"),
        N_("Add people one by one, or import them all from a file of your HR system."),
        "users",
        permission=Permission.PEOPLE_WRITE,
        otherwise=Empty(
            N_("Nobody here yet"),
            N_("People appear here once they are in a unit that you manage or in a course that you teach."),
            "users",
        ),
    ),
)


async def of_profile(
    tx: Tx, view: PanelView, user: User | None = None, unit: object = None
) -> dict[str, Any]:
    """Returns the choices of the profile form, with its `unit` selected, and the stored documents,
    masked.
    """
    fields = await custom_fields.load_fields(tx)
    return {
        "user": user,
        "kept": {name: getattr(user, name, None) for name in DOCUMENTS},
        "units": await choices.units(tx, view, unit),
        "roles": role_choices(view),
        "custom_fields": fields,
        "pairs": {key: [(choice, choice) for choice in field.choices] for key, field in fields.items()},
        "categories": [(each, each) for each in CNH_CATEGORIES],
    }


def role_choices(view: PanelView) -> list[tuple[str, str, str]]:
    return [(role, view.say(word), view.say(words.ROLE_HINTS[role])) for role, word in words.ROLES.items()]
