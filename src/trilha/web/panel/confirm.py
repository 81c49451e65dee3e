"""Confirmation questions before an action. Each is a page that also opens as a dialog."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.credentials import CredentialRefused
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Access
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, formats
from trilha.people.users.words import search_text
from trilha.web.panel.view import HOME, PanelView

Trail = Sequence[tuple[str, str]]
Values = Mapping[str, object]
Kind = Literal["danger", "primary"]
_MAX_BYTES = 16 * 1024  # of a form


class Button(Struct, frozen=True):
    """A form that has only its button."""


class Confirmation(Struct, frozen=True, kw_only=True):
    """The form of a question. `typed` is what the person typed to confirm, if the question asks for it."""

    typed: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


class Question(Struct, frozen=True, kw_only=True):
    """A question about one subject: msgids, filled with `values`. Cancel leads to the end of the
    breadcrumbs `way`.
    """

    title: str
    text: Sequence[str]
    button: str
    kind: Kind
    values: Values
    way: Trail
    typed: str

    @property
    def sentences(self) -> list[str]:
        """The text without sentences that use an unknown value (None)."""
        unknown = [f"%({name})s" for name, value in self.values.items() if value is None]
        return [text for text in self.text if not any(name in text for name in unknown)]


class Subject(Struct, frozen=True, kw_only=True):
    """The subject of questions. `path` is its page below /admin, such as `/groups/{group_id}`.

    `get` loads it by the ids in the path, and returns None or raises NotFound if it does not exist. `types`
    are the types of ids that are not UUIDs. `name` returns its displayed name. `trail` returns the
    breadcrumbs between the menu and its questions; by default that is its own page.
    """

    routes: Routes
    path: str
    access: Access
    get: Callable[..., Awaitable[Any]]
    types: Mapping[str, type] = {}
    name: Callable[[Any], str] = attrgetter("name")
    trail: Callable[[PanelView, Any], Trail] | None = None

    def address(self, *ids: object) -> str:
        """Returns the address of the subject's page."""
        return HOME + re.sub(r"{\w+}", "{}", self.path).format(*ids)

    async def find(self, tx: Tx, view: PanelView, *ids: object) -> Any:
        """Raises NotFound."""
        subject = await self.get(tx, view, *ids)
        if subject is None:
            raise NotFound("route_not_found")
        return subject

    def ask(
        self,
        action: str,
        do: Callable[..., Awaitable[Any]],
        title: str,
        text: str | Sequence[str],
        button: str,
        done: str = "",
        *,
        kind: Kind = "danger",
        gone: bool = False,
        typed: bool = False,
        values: Callable[[Tx, PanelView, Any], Awaitable[Values]] | None = None,
        form: type[Struct] = Confirmation,
        begins: Callable[[Any], Values] | None = None,
        needs: type | None = None,
        prepare: Callable[[Any, Any], Awaitable[Any]] | None = None,
        then: Callable[..., Answer] | None = None,
        too_late: str = "",
        template: str = "panel/confirm.html",
        sentences: Mapping[str, str] | None = None,
    ) -> None:
        """Adds the page of a question and the form that it sends, at `path` followed by `action`.

        `do` is called with the transaction and the ids, then with the form if it has fields of its own, with
        the result of `prepare`, and with the object of the type that it `needs`. Afterwards the person is
        redirected to the page of Cancel and sees `done`; if the subject is `gone`, to the page above. With
        `then`, its return value is the answer instead: it gets the transaction, the view, the subject and
        the result of `do`. `too_late` is shown if a credential was revoked or disabled meanwhile. Texts are
        filled with `name`, members of the subject, and `values`. If `typed`, the person has to type the name
        to confirm.
        """
        names = re.findall(r"{(\w+)}", self.path)
        text = [text] if isinstance(text, str) else text

        async def question_of(tx: Tx, view: PanelView, ids: Sequence[UUID]) -> tuple[Any, Question]:
            subject = await self.find(tx, view, *ids)
            members = _members(view, subject, " ".join([title, *text, done]))
            members["name"] = name = self.name(subject)
            trail = self.trail(view, subject) if self.trail else [(name, self.address(*ids))]
            question = Question(
                title=title,
                text=text,
                button=button,
                kind=kind,
                values={**members, **(await values(tx, view, subject) if values else {})},
                way=view.breadcrumbs(trail),
                typed=name if typed else "",
            )
            return subject, question

        async def ask(tx: Tx, view: PanelView, refusal: Refusal | None = None, **ids_by_name: Any) -> Html:
            subject, question = await question_of(tx, view, [ids_by_name[each] for each in names])
            says = {"invalid_value": N_("Type it exactly as shown above.")} if typed else {}
            return view.form(
                template,
                refusal,
                begins(subject) if begins else {},
                {**says, **(sentences or {})},
                question=question,
            )

        async def act(tx: Tx, view: PanelView, form: Any, **ids_by_name: Any) -> Answer:
            ids = [ids_by_name[each] for each in names]
            subject, question = await question_of(tx, view, ids)
            if _normalize(form.typed) != _normalize(question.typed) and typed:
                raise invalid("typed", "invalid_value")
            more = [] if type(form) is Confirmation else [form]
            more += [ids_by_name[each] for each in ("prepared", "needed") if each in ids_by_name]
            try:
                result = await do(tx, *ids, *more)
            except CredentialRefused:
                return view.lead(question.way[-1][1], too_late, state="warn")
            if then is not None:
                return then(tx, view, subject, result)
            return view.lead(question.way[-2 if gone else -1][1], done, "ok", **question.values)

        ask.__name__, ask.__doc__ = f"ask_to_{action.replace('-', '_')}", f"Ask whether to: {button}."
        act.__name__, act.__doc__ = action.replace("-", "_"), f"{button}."
        ids_by_name: dict[str, Any] = {
            "tx": Tx,
            "view": PanelView,
            **dict.fromkeys(names, UUID),
            **self.types,
        }
        ask.__annotations__ = ids_by_name | {"refusal": Refusal | None, "return": Html}
        act.__annotations__ = (
            ids_by_name | {"form": form, "return": Answer} | ({"needed": needs} if needs else {})
        )
        asking = self.routes.get(f"{self.path}/{action}", access=self.access)(ask)
        declared = {"access": self.access, "refused": asking, "max_body": _MAX_BYTES, "prepare": prepare}
        self.routes.post(f"{self.path}/{action}", **declared)(act)


def _members(view: PanelView, subject: Any, texts: str) -> dict[str, object]:
    """Returns the members of a subject that these texts use, with moments and numbers formatted."""
    found: dict[str, object] = {}
    for name in re.findall(r"%\((\w+)\)s", texts):
        value = getattr(subject, name, None)
        if value is not None and name.endswith("_at"):
            value = formats.moment(view.page, value)
        found[name] = formats.number(view.page, value) if isinstance(value, int) else value
    return found


def _normalize(text: str) -> str:
    """Normalizes a typed confirmation: case, accents and spaces do not matter."""
    return search_text(" ".join(text.split()))
