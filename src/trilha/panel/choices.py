"""The courses, business units and learning groups to choose from, in the filters and forms of the panel.

Of many, a page offers the first ones; /admin/choices finds the others by what is typed.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.business_units import queries as unit_queries
from trilha.business_units.schema import PlacedUnit
from trilha.core.database import Tx
from trilha.core.lists import find_rows, list_rows
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.courses.lists import NAMES as COURSE_NAMES
from trilha.courses.schema import CourseName, CourseSearch
from trilha.learning_groups.lists import NAMES as GROUP_NAMES
from trilha.learning_groups.schema import GroupName, GroupQuery
from trilha.panel.reach import managed_by, taught_by
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users.schema import Person
from trilha.users.selection import Chosen
from trilha.users.words import search_text

routes = Routes("Choices", "What is found by typing, in filters and forms.")
MOST = 100
_ADDRESS = f"{HOME}/choices"
_BELOW = " › "  # between a unit and one below it
Options = Sequence[tuple[str, str]]


class Choices(Struct, frozen=True):
    """Pairs of an id and the words for it: the first MOST, and what is chosen wherever it is in the order.
    `source` is the address that finds the others; empty where there are none."""

    options: Options = ()
    source: str = ""

    def words(self, value: object) -> str | None:
        """Of one that is chosen or among the first; None of another."""
        return dict(self.options).get(str(value))


class Typed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


class TypedCourse(Typed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`published`: only those in which people can be enrolled."""

    published: bool = False


async def courses(tx: Tx, view: PanelView, chosen: object = None, *, published: bool = False) -> Choices:
    """Every course, or those that an instructor teaches. `chosen` is an id, or what was sent as one."""
    query = CourseSearch(status="PUBLISHED" if published else None)
    found = await list_rows(tx, COURSE_NAMES, query, taught_by(view), limit=MOST + 1)
    others: Sequence[CourseName] = ()
    if len(found) > MOST and (course_id := _id(chosen)):
        others = await find_rows(tx, COURSE_NAMES, [course_id], taught_by(view))
    path = "courses?published=true" if published else "courses"
    return _choices(_of_courses(found), _of_courses(others), path)


async def groups(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """None for those who may not see groups."""
    if not view.may(Permission.GROUPS_READ):
        return Choices()
    found = await list_rows(tx, GROUP_NAMES, GroupQuery(), limit=MOST + 1)
    others: Sequence[GroupName] = ()
    if len(found) > MOST and (group_id := _id(chosen)):
        others = await find_rows(tx, GROUP_NAMES, [group_id])
    return _choices(_of_groups(found), _of_groups(others), "groups")


async def units(tx: Tx, view: PanelView, chosen: object = None) -> Choices:
    """Every unit, or a manager's; none for those who may not see units."""
    if not view.may(Permission.UNITS_READ):
        return Choices()
    tree = await unit_queries.walk_tree(tx, managed_by(view))
    found = list(islice(tree, MOST + 1))
    unit_id = _id(chosen)
    others = (each for each in chain(found[MOST:], tree) if each.id == unit_id)
    return _choices(_of_units(found), _of_units(islice(others, 1)) if unit_id else (), "units")


def _choices(found: Options, chosen: Options, path: str) -> Choices:
    if len(found) <= MOST:
        return Choices(found)
    return Choices(list(dict.fromkeys([*found[:MOST], *chosen])), f"{_ADDRESS}/{path}")


def _id(value: object) -> UUID | None:
    """None of what is no id: a form is shown again with whatever was sent."""
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _of_courses(found: Iterable[CourseName]) -> Options:
    return [(str(each.id), each.title) for each in found]


def _of_groups(found: Iterable[GroupName]) -> Options:
    return [(str(each.id), each.name) for each in found]


def _of_units(found: Iterable[PlacedUnit]) -> Options:
    return [(str(each.id), _BELOW.join(each.path)) for each in found]


def of_people(found: Iterable[Person | Chosen]) -> Options:
    return [(str(each.id), f"{each.name} ({each.email})") for each in found]


@routes.get("/choices/courses", access=may(Permission.COURSES_READ))
async def offer_courses(tx: Tx, view: PanelView, query: TypedCourse) -> Html:
    """The courses within reach, for what is typed."""
    asked = CourseSearch(q=query.q, status="PUBLISHED" if query.published else None)
    return offered(view, _of_courses(await list_rows(tx, COURSE_NAMES, asked, taught_by(view), limit=MOST)))


@routes.get("/choices/groups", access=may(Permission.GROUPS_READ))
async def offer_groups(tx: Tx, view: PanelView, query: Typed) -> Html:
    """The groups, for what is typed."""
    return offered(view, _of_groups(await list_rows(tx, GROUP_NAMES, GroupQuery(q=query.q), limit=MOST)))


@routes.get("/choices/units", access=may(Permission.UNITS_READ))
async def offer_units(tx: Tx, view: PanelView, query: Typed) -> Html:
    """The units within reach, for what is typed of their names, their codes or where they are."""
    # As it is shown, with or without what stands between.
    wanted = " ".join(search_text(query.q.replace(_BELOW.strip(), " ")).split())
    tree = await unit_queries.walk_tree(tx, managed_by(view))
    found = (each for each in tree if wanted in search_text(" ".join([*each.path, each.code or ""])))
    return offered(view, _of_units(islice(found, MOST)))


def offered(view: PanelView, options: Options) -> Html:
    """What a field is answered that is typed into."""
    return view.show("panel/_options.html", options=options)
