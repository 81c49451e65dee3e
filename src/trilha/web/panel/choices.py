"""Fields to choose a course, business unit or learning group, in filters and forms.

A page offers the first ones of many; /admin/choices finds the others by what the person types.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import find_rows, list_rows
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.people.business_units import queries as unit_queries
from trilha.people.business_units.schema import PlacedUnit
from trilha.people.learning_groups.lists import NAMES as GROUP_NAMES
from trilha.people.learning_groups.schema import GroupName, GroupQuery
from trilha.people.users.schema import Person
from trilha.people.users.selection import SelectedUser
from trilha.people.users.words import search_text
from trilha.training.courses.lists import NAMES as COURSE_NAMES
from trilha.training.courses.schema import CourseName, CourseSearch
from trilha.training.learning_paths.lists import PATHS
from trilha.training.learning_paths.schema import ListedPath, PathQuery
from trilha.web.panel.reach import manager_of, teacher_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Choices", "What is found by typing, in filters and forms.")
MAX_OPTIONS = 100
_ADDRESS = f"{HOME}/choices"
_PUBLISHED_PATHS = PathQuery(status="PUBLISHED")
_BELOW = " › "  # between a unit and one below it
Options = Sequence[tuple[str, str]]


class Choices(Struct, frozen=True):
    """Pairs of an id and its label: the first MAX_OPTIONS, and the chosen one wherever it is in the order.
    `source` is the address that finds the others, or empty if there are none.
    """

    options: Options = ()
    source: str = ""

    def words(self, value: object) -> str | None:
        """Returns the label of an id that is chosen or among the first, else None."""
        return dict(self.options).get(str(value))


class ChoiceSearch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


class CourseChoiceSearch(ChoiceSearch, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`published` limits the search to courses that people can be enrolled in."""

    published: bool = False


async def courses(tx: Tx, view: PanelView, chosen: object = None, *, published: bool = False) -> Choices:
    """Returns all courses, or those that an instructor teaches. `chosen` is an id, or an invalid value
    from the request.
    """
    query = CourseSearch(status="PUBLISHED" if published else None)
    found = await list_rows(tx, COURSE_NAMES, query, teacher_of(view), limit=MAX_OPTIONS + 1)
    others: Sequence[CourseName] = ()
    if len(found) > MAX_OPTIONS and (course_id := _id(chosen)):
        others = await find_rows(tx, COURSE_NAMES, [course_id], teacher_of(view))
    path = "courses?published=true" if published else "courses"
    return _choices(_of_courses(found), _of_courses(others), path)


async def paths(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """Returns the published learning paths, or nothing for viewers who may not see them."""
    if not view.may(Permission.PATHS_READ):
        return Choices()
    found = await list_rows(tx, PATHS, _PUBLISHED_PATHS, limit=MAX_OPTIONS + 1)
    others: Sequence[ListedPath] = ()
    if len(found) > MAX_OPTIONS and (path_id := _id(chosen)):
        others = await find_rows(tx, PATHS, [path_id])
    return _choices(_of_paths(found), _of_paths(others), "paths")


async def groups(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """Returns the groups, or nothing for viewers who may not see groups."""
    if not view.may(Permission.GROUPS_READ):
        return Choices()
    found = await list_rows(tx, GROUP_NAMES, GroupQuery(), limit=MAX_OPTIONS + 1)
    others: Sequence[GroupName] = ()
    if len(found) > MAX_OPTIONS and (group_id := _id(chosen)):
        others = await find_rows(tx, GROUP_NAMES, [group_id])
    return _choices(_of_groups(found), _of_groups(others), "groups")


async def units(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """Returns all units, or a manager's units; nothing for viewers who may not see units."""
    if not view.may(Permission.UNITS_READ):
        return Choices()
    tree = await unit_queries.walk_tree(tx, manager_of(view))
    found = list(islice(tree, MAX_OPTIONS + 1))
    unit_id = _id(chosen)
    others = (each for each in chain(found[MAX_OPTIONS:], tree) if each.id == unit_id)
    return _choices(_of_units(found), _of_units(islice(others, 1)) if unit_id else (), "units")


def _choices(options: Options, chosen: Options, path: str) -> Choices:
    if len(options) <= MAX_OPTIONS:
        return Choices(options)
    return Choices(list(dict.fromkeys([*options[:MAX_OPTIONS], *chosen])), f"{_ADDRESS}/{path}")


def _id(value: object) -> UUID | None:
    """Returns None for an invalid id, because a refused form is shown again with whatever was sent."""
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _of_courses(courses: Iterable[CourseName]) -> Options:
    return [(str(each.id), each.title) for each in courses]


def _of_paths(paths: Iterable[ListedPath]) -> Options:
    return [(str(each.id), each.title) for each in paths]


def _of_groups(groups: Iterable[GroupName]) -> Options:
    return [(str(each.id), each.name) for each in groups]


def _of_units(units: Iterable[PlacedUnit]) -> Options:
    return [(str(each.id), _BELOW.join(each.path)) for each in units]


def of_people(people: Iterable[Person | SelectedUser]) -> Options:
    return [(str(each.id), f"{each.name} ({each.email})") for each in people]


@routes.get("/choices/courses", access=may(Permission.COURSES_READ))
async def offer_courses(tx: Tx, view: PanelView, query: CourseChoiceSearch) -> Html:
    """Lists the courses within reach that match the typed text."""
    search = CourseSearch(q=query.q, status="PUBLISHED" if query.published else None)
    return render_options(
        view, _of_courses(await list_rows(tx, COURSE_NAMES, search, teacher_of(view), limit=MAX_OPTIONS))
    )


@routes.get("/choices/paths", access=may(Permission.PATHS_READ))
async def offer_paths(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Lists the published learning paths that match the typed text."""
    search = PathQuery(q=query.q, status="PUBLISHED")
    return render_options(view, _of_paths(await list_rows(tx, PATHS, search, limit=MAX_OPTIONS)))


@routes.get("/choices/groups", access=may(Permission.GROUPS_READ))
async def offer_groups(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Lists the groups that match the typed text."""
    return render_options(
        view, _of_groups(await list_rows(tx, GROUP_NAMES, GroupQuery(q=query.q), limit=MAX_OPTIONS))
    )


@routes.get("/choices/units", access=may(Permission.UNITS_READ))
async def offer_units(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Lists the units within reach whose name, code or path matches the typed text."""
    # Matches a path as displayed, with or without the separators.
    wanted = " ".join(search_text(query.q.replace(_BELOW.strip(), " ")).split())
    tree = await unit_queries.walk_tree(tx, manager_of(view))
    found = (each for each in tree if wanted in search_text(" ".join([*each.path, each.code or ""])))
    return render_options(view, _of_units(islice(found, MAX_OPTIONS)))


def render_options(view: PanelView, options: Options) -> Html:
    """Renders the options of a field."""
    return view.show("panel/_options.html", options=options)
