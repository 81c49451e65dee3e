"""What a bulk action is: a value with its texts, its permission, and what it does to rows and takes back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.errors import ApiError
from trilha.core.lists import List, find_rows
from trilha.people.users.reach import Reach
from trilha.web.panel.view import PanelView

# Reasons by the ids of rows that were left as they are.
Reasons = Mapping[UUID, str]
# What an action changes of rows, by their ids. Rows that do not exist are left out.
States = Mapping[UUID, Any]
REASON_NOT_PERMITTED, REASON_GONE, REASON_CHANGED = "not_permitted", "gone", "changed_since"


class LeftAsIs(Exception):
    """A row that a change of a single row leaves as it is, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Context(Struct, frozen=True):
    """Who acts, with the present role, and the options that were chosen for all rows. `begun_at` is when the
    work began, of which this is perhaps a part.
    """

    reach: Reach
    options: Mapping[str, Any] = {}
    begun_at: datetime | None = None

    @property
    def user_id(self) -> UUID | None:
        return self.reach.user_id


class Targets(Struct, frozen=True):
    """The rows of a list as targets of actions. `describe` names a row in the question and the result.

    `listing` is the list, or a function that builds it. `restrict` returns what the list takes as its reach.
    """

    listing: List[Any] | Callable[[Context], List[Any]]
    describe: Callable[[Any], str]
    restrict: Callable[[Context], Any] = lambda context: context.reach

    def list_of(self, context: Context) -> List[Any]:
        return self.listing if isinstance(self.listing, List) else self.listing(context)

    async def find(self, tx: Tx, context: Context, ids: Sequence[UUID]) -> dict[UUID, Any]:
        """Returns the rows within reach by their ids."""
        rows = await find_rows(tx, self.list_of(context), ids, self.restrict(context))
        return {row.id: row for row in rows}


class NoOptions(Struct, frozen=True):
    """An action without fields of its own."""


async def _choose_nothing(tx: Tx, view: PanelView, form: Any) -> Mapping[str, Any]:
    return {}


async def _offer_nothing(tx: Tx, view: PanelView, values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


def _skip_none(context: Context, row: Any) -> str | None:
    return None


class BulkAction(Struct, frozen=True, kw_only=True):
    """An action on many rows. Texts are msgids; those of two have `%(num)s` rows.

    - `name`: the feature and the verb, such as `people/suspend`. It is stored with each use.
    - `question`, `consequence` and `button` are the page that asks; `done` and `undone` what was done.
    - `options`: a Struct of the form's fields, all with defaults; `fields` is their template, which gets
      what `offer` returns; `choose` checks them and returns what is stored. It raises Invalid.
    - `skip` returns the reason why the action would leave a row as it is. Reasons are in `words.REASONS`.
    - `act` changes rows within reach and returns the reasons of those that it left as they are.
    - `read` returns what the action changes of rows, and locks them. `undo` gives them back what they had,
      and returns the reasons of those that it could not. Without it the action cannot be undone, unless it is
      held.
    - `together` returns what rows have in common that are done one after the other, such as their person:
      otherwise a reminder of many courses could be sent in several messages.
    - `held` says of how many rows the work begins in a minute. Such an action sends something that cannot be
      taken back, so it waits while it can be undone.
    """

    name: str
    targets: Targets
    permission: Permission
    label: str
    icon: str
    question: tuple[str, str]
    consequence: str
    button: str
    done: tuple[str, str]
    kind: Literal["danger", "primary"] = "primary"
    options: type[Struct] = NoOptions
    fields: str = ""
    offer: Callable[[Tx, PanelView, Mapping[str, Any]], Awaitable[Mapping[str, Any]]] = _offer_nothing
    choose: Callable[[Tx, PanelView, Any], Awaitable[Mapping[str, Any]]] = _choose_nothing
    skip: Callable[[Context, Any], str | None] = _skip_none
    act: Callable[[Tx, Context, Sequence[Any]], Awaitable[Reasons]]
    read: Callable[[Tx, Context, Sequence[UUID]], Awaitable[States]] | None = None
    undo: Callable[[Tx, Context, States], Awaitable[Reasons]] | None = None
    together: Callable[[Any], object] | None = None
    held: tuple[str, str] | None = None

    @property
    def slug(self) -> str:
        """The end of its address."""
        return self.name.rpartition("/")[2]

    @property
    def can_be_undone(self) -> bool:
        return self.undo is not None or self.is_held

    @property
    def is_held(self) -> bool:
        return self.held is not None


_ACTIONS: dict[str, BulkAction] = {}


def declare(action: BulkAction) -> BulkAction:
    """Makes an action known to the worker, and returns it."""
    assert action.name not in _ACTIONS, action.name
    assert (action.undo is None) == (action.read is None), action.name
    _ACTIONS[action.name] = action
    return action


def find_action(name: str) -> BulkAction | None:
    return _ACTIONS.get(name)


def list_actions() -> Sequence[BulkAction]:
    return list(_ACTIONS.values())


def one_by_one(
    change: Callable[[Tx, Context, Any], Awaitable[object]],
) -> Callable[[Tx, Context, Sequence[Any]], Awaitable[Reasons]]:
    """Builds an `act` from the change of a single row: an error that the change raises, or LeftAsIs, is the
    reason why this row is left as it is.
    """

    async def act(tx: Tx, context: Context, rows: Sequence[Any]) -> Reasons:
        reasons: dict[UUID, str] = {}
        # One order for everybody, so that two actions on the same rows cannot deadlock.
        for row in sorted(rows, key=lambda row: row.id.int):
            try:
                async with tx.savepoint():
                    await change(tx, context, row)
            except ApiError as error:
                reasons[row.id] = error.code
            except LeftAsIs as error:
                reasons[row.id] = error.reason
        return reasons

    return act


def undo_one_by_one(
    restore: Callable[[Tx, Context, UUID, Any], Awaitable[object]],
) -> Callable[[Tx, Context, States], Awaitable[Reasons]]:
    """Builds an `undo` from that of a single row. An error that it raises is the reason why a row stays."""

    async def undo(tx: Tx, context: Context, states: States) -> Reasons:
        reasons: dict[UUID, str] = {}
        for id in sorted(states, key=attrgetter("int")):
            try:
                async with tx.savepoint():
                    await restore(tx, context, id, states[id])
            except ApiError as error:
                reasons[id] = error.code
            except LeftAsIs as error:
                reasons[id] = error.reason
        return reasons

    return undo
