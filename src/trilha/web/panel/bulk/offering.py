"""The pages of a list's bulk actions: each asks about the selected rows, then begins the work."""

import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal
from uuid import UUID, uuid4

from msgspec import Struct, defstruct, structs

from trilha.access.permissions.roles import may
from trilha.core.database import Tx
from trilha.core.errors import Invalid
from trilha.core.lists import list_ids
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.parsing import convert
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.platform.bulk_actions import queries
from trilha.platform.bulk_actions.schema import NewRun
from trilha.web.panel import lists
from trilha.web.panel.bulk import results, words
from trilha.web.panel.bulk.actions import BulkAction, Context, Targets
from trilha.web.panel.bulk.running import hold, run_batch
from trilha.web.panel.lists import BulkButton
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

MAX_ROWS = 10_000
# Up to so many rows are done in the request itself.
MAX_AT_ONCE = 200
_SAMPLE = 5
_MAX_BYTES = MIB
_NO_FILTERS = ("limit", "cursor", "fields")


class _Selection(Struct, frozen=True):
    """The selected rows in the order of the list, those of them within reach, and what will be left as it
    is.
    """

    ids: list[UUID]
    rows: Mapping[UUID, Any]
    reasons: Mapping[UUID, str]

    @property
    def digest(self) -> str:
        """What the confirmed selection is compared with."""
        ids = "".join(sorted(str(id) for id in self.ids))
        return hashlib.sha256(ids.encode()).hexdigest()[:20]


class BulkList(Struct, frozen=True, kw_only=True):
    """The bulk actions of one list. `path` is its page below /admin, such as `/groups/{group_id}`.

    `query` is the type of its filters. `search` builds the query of the list itself from the view, the form
    and the ids in the path, if that is another one. `context` adds such ids to the options of every action,
    and `find_owner` raises NotFound if what they name does not exist.
    """

    routes: Routes
    path: str
    title: str
    query: type[ListQuery]
    targets: Targets
    actions: Sequence[BulkAction]
    search: Callable[..., ListQuery] | None = None
    context: Callable[..., Mapping[str, Any]] = lambda *ids: {}
    find_owner: Callable[..., Awaitable[object]] | None = None

    def buttons(self, *ids: object) -> list[BulkButton]:
        """Returns the buttons of the bar, for the list with these ids in its path."""
        return [
            BulkButton(
                path=f"{self._address(*ids)}/bulk/{each.slug}",
                label=each.label,
                icon=each.icon,
                primary=False,
                permission=each.permission,
            )
            for each in self.actions
        ]

    def add_pages(self) -> None:
        """Adds the pages of every action to the routes."""
        for action in self.actions:
            self._add(action)

    def _address(self, *ids: object) -> str:
        return HOME + re.sub(r"{\w+}", "{}", self.path).format(*ids)

    def _add(self, action: BulkAction) -> None:
        names = re.findall(r"{(\w+)}", self.path)
        form_type = _build_form(self.query, action)

        async def ask_again(
            tx: Tx, view: PanelView, refusal: Refusal | None = None, **ids_by_name: Any
        ) -> Answer:
            ids = [ids_by_name[each] for each in names]
            await self._check_owner(tx, ids)
            form = _read_selection(form_type, refusal, tx)
            if form is None:
                return view.lead(self._address(*ids))
            answer: Answer = await self._ask(tx, view, action, form, ids, refusal)
            return answer

        async def act(tx: Tx, view: PanelView, form: Any, **ids_by_name: Any) -> Answer:
            ids = [ids_by_name[each] for each in names]
            await self._check_owner(tx, ids)
            return await self._act(tx, view, action, form, ids)

        verb = action.name.replace("/", "_").replace("-", "_")
        ask_again.__name__, ask_again.__doc__ = f"ask_to_{verb}", "Asks again about a form that was refused."
        act.__name__ = verb
        act.__doc__ = f"Asks about the selected rows, or does it: {action.button}."
        ids_by_name = {"tx": Tx, "view": PanelView, **dict.fromkeys(names, UUID)}
        ask_again.__annotations__ = ids_by_name | {"refusal": Refusal | None, "return": Answer}
        act.__annotations__ = ids_by_name | {"form": form_type, "return": Answer}
        path, access = f"{self.path}/bulk/{action.slug}", may(action.permission)
        asking = self.routes.get(path, access=access)(ask_again)
        self.routes.post(path, access=access, refused=asking, max_body=_MAX_BYTES)(act)

    async def _check_owner(self, tx: Tx, ids: Sequence[UUID]) -> None:
        if self.find_owner is not None:
            await self.find_owner(tx, *ids)

    async def _act(
        self, tx: Tx, view: PanelView, action: BulkAction, form: Any, ids: Sequence[UUID]
    ) -> Answer:
        if form.step == "ask":
            answer: Answer = await self._ask(tx, view, action, form, ids)
            return answer
        selection = await self._select(tx, view, action, form, ids)
        if selection.digest != form.digest or len(selection.ids) > MAX_ROWS or not selection.ids:
            asked: Answer = await self._ask(tx, view, action, form, ids, moved=form.count)
            return asked
        options = {**(await action.choose(tx, view, form)), **self.context(*ids)}
        back = lists.address(self._address(*ids), _read_filters(self.query, form))
        new = NewRun(
            id=form.token or uuid4(),
            action=action.name,
            options=options,
            address=back,
            user_id=view.viewer.user_id,
        )
        return await begin(tx, view, action, new, selection.ids, selection.reasons)

    async def _select(
        self, tx: Tx, view: PanelView, action: BulkAction, form: Any, path_ids: Sequence[UUID]
    ) -> _Selection:
        context = Context(reach_of(view), self.context(*path_ids))
        ids: list[UUID] = list(dict.fromkeys(form.id))[: MAX_ROWS + 1]
        if form.all:
            filters = self.search(view, form, *path_ids) if self.search else _read_filters(self.query, form)
            listing, reach = self.targets.list_of(context), self.targets.restrict(context)
            ids, _ = await list_ids(tx, listing, filters, reach, limit=MAX_ROWS + 1)
        rows = await self.targets.find(tx, context, ids)
        reasons = {
            id: reason for id in ids if id in rows and (reason := action.skip(context, rows[id])) is not None
        }
        ids = [id for id in ids if id in rows]
        if action.together is not None:
            ids = _bring_together(ids, rows, action.together)
        return _Selection(ids, rows, reasons)

    async def _ask(
        self,
        tx: Tx,
        view: PanelView,
        action: BulkAction,
        form: Any,
        path_ids: Sequence[UUID],
        refusal: Refusal | None = None,
        moved: int | None = None,
    ) -> Html:
        """Shows the question. `moved` is how many rows the person had confirmed, if they are others now."""
        selection = await self._select(tx, view, action, form, path_ids)
        left = [id for id in selection.ids if id not in selection.reasons]
        filters = _read_filters(self.query, form)
        address = self._address(*path_ids)
        begins = {field.name: getattr(form, field.name) for field in structs.fields(action.options)}
        sent = refusal.values if refusal else begins
        return view.form(
            "panel/bulk/ask.html",
            refusal,
            begins,
            words.SENTENCES,
            action=action,
            list_title=self.title,
            total=len(selection.ids),
            left=len(left),
            sample=[action.targets.describe(selection.rows[id]) for id in left[:_SAMPLE]],
            skipped=_count_reasons(selection),
            too_many=len(selection.ids) > MAX_ROWS,
            max_rows=MAX_ROWS,
            hidden=_list_hidden(form, filters, selection),
            back=lists.address(address, filters),
            here=f"{address}/bulk/{action.slug}",
            moved=moved,
            **(await action.offer(tx, view, sent) if left else {}),
        )


async def begin(
    tx: Tx, view: PanelView, action: BulkAction, new: NewRun, ids: Sequence[UUID], reasons: Mapping[UUID, str]
) -> Answer:
    """Begins an action that the person has confirmed, and leads back to its list. `reasons` are those of the
    rows that it would skip now.
    """
    inserted = await queries.insert(tx, new, ids)
    run = await queries.claim(tx, new.id) if inserted else None
    if run is None:  # the form was sent twice
        return view.lead(f"{results.ADDRESS}/{new.id}")
    if action.is_held and len(reasons) < len(ids):
        return results.lead_back(tx, view, await hold(tx, run, reasons))
    if run.rows <= MAX_AT_ONCE:
        while run.is_running:
            run = await run_batch(tx, run)
        return results.lead_back(tx, view, run)
    return view.lead(f"{results.ADDRESS}/{run.id}")


def _build_form(query: type[ListQuery], action: BulkAction) -> type[Struct]:
    """Builds the type of the form: the selection, as filters or ids, and the fields of the action."""
    fields: list[Any] = [
        ("id", list[UUID], []),
        ("all", bool, False),
        ("step", Literal["ask", "run"], "ask"),
        ("token", UUID | None, None),
        ("digest", str, ""),
        ("count", int, 0),
    ]
    fields += [(each.name, each.type, each.default) for each in structs.fields(action.options)]
    name = "".join(part.title() for part in re.split(r"\W", f"{action.name}-form"))
    return defstruct(name, fields, bases=(query,), frozen=True, kw_only=True, module=__name__)


def _read_filters(query: type[ListQuery], form: Any) -> ListQuery:
    names = (name for name in query.__struct_fields__ if name not in _NO_FILTERS)
    return query(**{name: getattr(form, name) for name in names})


def _read_selection(form_type: type[Struct], refusal: Refusal | None, tx: Tx) -> Any:
    """Returns the selection of a refused form, without the fields that were refused, or None."""
    if refusal is None:
        return None
    values = {name: value for name, value in refusal.values.items() if name in form_type.__struct_fields__}
    failure = refusal.failure
    problems = failure.detail if isinstance(failure, Invalid) else []
    for problem in problems:
        values.pop(problem.field.partition(".")[0], None)
    with suppress(Invalid):
        return convert(form_type, values, tx.today, strict=False)
    return None


def _bring_together(
    ids: Sequence[UUID], rows: Mapping[UUID, Any], together: Callable[[Any], object]
) -> list[UUID]:
    """Moves rows up to the first one with which they belong together."""
    first: dict[object, int] = {}
    for place, id in enumerate(ids):
        first.setdefault(together(rows[id]), place)
    return sorted(ids, key=lambda each: first[together(rows[each])])


def _count_reasons(selection: _Selection) -> list[tuple[str, int]]:
    counted = Counter(words.describe_reason(reason) for reason in selection.reasons.values())
    return counted.most_common()


def _list_hidden(form: Any, filters: ListQuery, selection: _Selection) -> list[tuple[str, object]]:
    """Lists the fields that bind the answer to what the question shows."""
    hidden: list[tuple[str, object]] = [
        (name, value)
        for name, value in structs.asdict(filters).items()
        if name not in _NO_FILTERS and value is not None and value is not False
    ]
    hidden = [(name, "true" if value is True else value) for name, value in hidden]
    hidden += [("all", "true")] if form.all else [("id", id) for id in selection.ids]
    return [
        *hidden,
        ("step", "run"),
        ("token", uuid4()),
        ("digest", selection.digest),
        ("count", len(selection.ids)),
    ]
