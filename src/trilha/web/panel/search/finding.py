"""Finds what the reader may see. Each kind has a few results, and costs a bounded number of rows."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.lists import List, fetch_page
from trilha.core.web.pagination import ListQuery
from trilha.kit import N_
from trilha.people.learning_groups.lists import NAMES as GROUPS
from trilha.people.learning_groups.schema import GroupQuery
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery
from trilha.people.users.words import search_text
from trilha.training.courses.lists import NAMES as COURSES
from trilha.training.courses.schema import CourseSearch
from trilha.training.learning_paths.lists import PATHS
from trilha.training.learning_paths.schema import PathQuery
from trilha.web.panel.reach import reach_of, teacher_of
from trilha.web.panel.search.places import NamedPlace, list_actions, list_pages
from trilha.web.panel.view import HOME, PanelView

_MAX_RESULTS = 6
# Words that say nothing about a page, in both languages.
_EMPTY_WORDS = {
    *(
        "a",
        "as",
        "o",
        "os",
        "um",
        "uma",
        "de",
        "da",
        "do",
        "das",
        "dos",
        "em",
        "no",
        "na",
        "e",
        "por",
        "para",
    ),
    *("the", "an", "of", "to", "in", "on", "and", "for"),
}
# A plural has up to so many letters more than its singular, such as "gestores" and "questions".
_LONGEST_ENDING = 2
_SHORTEST_SINGULAR = 4
# Every company has too many names with a given letter.
_SHORTEST = 2
_DIGITS_OF_A_CPF = 11


class Group(Struct, frozen=True):
    """Results of one kind. `more` is the list with all of them, if there are more."""

    label: str
    results: Sequence[NamedPlace]
    more: str = ""


def is_document(typed: str) -> bool:
    """Returns whether the text may be somebody's CPF, which no address may contain."""
    return bool(re.fullmatch(r"[\d\s./-]*", typed)) and sum(map(str.isdigit, typed)) == _DIGITS_OF_A_CPF


async def find(tx: Tx, view: PanelView, typed: str) -> list[Group]:
    """Returns the kinds with results. Without a text these are the actions and the pages of the menu."""
    text = " ".join(typed.split())
    terms = _list_terms(text)
    groups = [
        Group(view.say(N_("Actions")), _match(list_actions(view), terms)),
        Group(view.say(N_("Pages")), _match(list_pages(view), terms)),
    ]
    # What has the terms in its label comes before what has them in its further words.
    groups.sort(key=lambda group: not any(_has(each.label, terms) for each in group.results))
    if len(text) >= _SHORTEST:
        groups = [await _find_people(tx, view, text), *groups, *await _find_training(tx, view, text)]
    return [each for each in groups if each.results]


def _list_terms(text: str) -> list[str]:
    typed = _split(text)
    return [each for each in typed if each not in _EMPTY_WORDS] or typed


def _match(places: Sequence[NamedPlace], terms: Sequence[str]) -> list[NamedPlace]:
    """Returns the places with a word that begins with each term, or is its singular, by their label first."""
    if not terms:
        return list(places[:_MAX_RESULTS])
    by_label = [each for each in places if _has(each.label, terms)]
    others = [each for each in places if each not in by_label and _has(f"{each.label} {each.words}", terms)]
    return [*by_label, *others][:_MAX_RESULTS]


def _has(text: str, terms: Sequence[str]) -> bool:
    words = _split(text)
    return all(any(_fits(word, term) for word in words) for term in terms)


def _fits(word: str, term: str) -> bool:
    if word.startswith(term):
        return True
    is_plural = len(word) >= _SHORTEST_SINGULAR and len(term) - len(word) <= _LONGEST_ENDING
    return is_plural and term.startswith(word)


def _split(text: str) -> list[str]:
    return re.findall(r"[^\s-]+", search_text(text))


async def _find_people(tx: Tx, view: PanelView, text: str) -> Group:
    people, more = await _fetch(tx, PEOPLE, PeopleQuery(q=text, limit=_MAX_RESULTS), reach_of(view))
    return Group(
        view.say(N_("People")),
        [NamedPlace(each.name, f"{HOME}/people/{each.id}", "user", each.email) for each in people],
        _address("people", text) if more and not is_document(text) else "",
    )


async def _find_training(tx: Tx, view: PanelView, text: str) -> list[Group]:
    courses, more = await _fetch(tx, COURSES, CourseSearch(q=text, limit=_MAX_RESULTS), teacher_of(view))
    groups = [
        Group(
            view.say(N_("Courses")),
            [NamedPlace(each.title, f"{HOME}/courses/{each.id}", "book-open") for each in courses],
            _address("courses", text) if more else "",
        )
    ]
    if view.may(Permission.PATHS_READ):
        paths, more = await _fetch(tx, PATHS, PathQuery(q=text, limit=_MAX_RESULTS))
        results = [NamedPlace(each.title, f"{HOME}/paths/{each.id}", "route") for each in paths]
        groups.append(Group(view.say(N_("Learning paths")), results, _address("paths", text) if more else ""))
    if view.may(Permission.GROUPS_READ):
        found, _ = await _fetch(tx, GROUPS, GroupQuery(q=text[:120], limit=_MAX_RESULTS))
        results = [NamedPlace(each.name, f"{HOME}/groups/{each.id}", "users-round") for each in found]
        groups.append(Group(view.say(N_("Learning groups")), results))
    return groups


async def _fetch(
    tx: Tx, listing: List[Any], query: ListQuery, reach: Any = None
) -> tuple[Sequence[Any], bool]:
    """Returns the first page alone, because going on until it is full has no bound."""
    page = await fetch_page(tx, listing, query, reach)
    return page.data, page.has_more and bool(page.data)


def _address(path: str, text: str) -> str:
    return f"{HOME}/{path}?{urlencode({'q': text})}"
