"""The person whom a page is about."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.pages import N_
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.users import queries, selection
from trilha.users.reach import Reach
from trilha.users.schema import User


async def get_changeable(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for who is out of reach, and Conflict (user_erased)."""
    user = await selection.get_within(tx, user_id, reach)
    if await queries.is_erased(tx, user_id):
        raise Conflict("user_erased")
    return user


async def name_person(tx: Tx, view: PanelView, user_id: UUID | None) -> dict[str, str]:
    """The filter of a list for one person, `user`, in words; empty where there is none."""
    if user_id is None:
        return {}
    found = await selection.find_by_ids(tx, [user_id], reach_of(view))
    return {"user": found[0].name if found else view.say(N_("Another one"))}
