"""Loads the person of a page, and renders what all pages of a person have."""

from typing import Any
from uuid import UUID

from trilha.access.sessions import administration
from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.web.answers import Html
from trilha.kit import N_
from trilha.people.users import queries, selection
from trilha.people.users.reach import Reach
from trilha.people.users.schema import User
from trilha.web.panel.people import words
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView


async def get_changeable(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for people out of reach, and Conflict (user_erased)."""
    user = await selection.get_within(tx, user_id, reach)
    if await queries.is_erased(tx, user_id):
        raise Conflict("user_erased")
    return user


async def name_person(tx: Tx, view: PanelView, user_id: UUID | None) -> dict[str, str]:
    """Describes a list's filter for one person, `user`; empty if there is none."""
    if user_id is None:
        return {}
    found = await selection.find_by_ids(tx, [user_id], reach_of(view))
    return {"user": found[0].name if found else view.say(N_("Another one"))}


async def show_tab(tx: Tx, view: PanelView, tab: str, user: User, **values: Any) -> Html:
    """Renders a page of a person, with the name, state and actions that all of them have."""
    state = await administration.get_sign_in_state(tx, user.id)
    return view.show(f"panel/people/{tab}.html", user=user, state=state, words=words, current=tab, **values)
