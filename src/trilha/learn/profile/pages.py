"""/learn/profile, and the switch of theme and language of whoever is signed in."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from trilha.business_units import queries as units
from trilha.core.database import Tx
from trilha.core.errors import Problem, problem
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.enrollments import learner
from trilha.enrollments.learner import Asking
from trilha.learn.documents import NAMES
from trilha.learn.view import LearnView
from trilha.pages import N_, Locale
from trilha.pages.preferences import Preference, keep
from trilha.sessions.permissions import Permission, may
from trilha.sessions.viewer import PAST_SECOND_FACTOR
from trilha.users import own
from trilha.users import queries as users
from trilha.users.documents import CNH_CATEGORIES, BirthDate, CnhCategory, CnhNumber, Cpf, ExpiryDate, Phone
from trilha.users.rules import missing_documents, profile_problems
from trilha.users.schema import NewCnh, UserPatch

routes = Routes("Profile", "What is on record of whoever is signed in.")
_SENTENCES = {
    "invalid_cpf": N_("Enter the 11 digits of the CPF."),
    "invalid_phone": N_("Enter the area code and the number, such as 11 98765-4321."),
    "invalid_birth_date": N_("Enter the date of birth as it is in your document."),
    "underage": N_("Enter the date of birth of somebody who is at least 18."),
    "invalid_cnh_number": N_("Enter the 11 digits of the licence's registry number."),
    "invalid_cnh_category": N_("Choose one of the categories."),
    "cnh_expired": N_("Enter the validity of a licence that has not expired."),
    "cpf_exists": N_(
        "This CPF is on record for somebody else in your company. Ask whoever manages people there."
    ),
    "user_erased": N_("Your personal data were erased; nothing can be added."),
}
_CNH = ("cnh_numero", "cnh_categoria", "cnh_validade")


class Documents(Struct, frozen=True):
    """What is left out stays as it is. `enrollment` is where the person came from."""

    cpf: Cpf | None = None
    birth_date: BirthDate | None = None
    phone: Phone | None = None
    cnh_numero: CnhNumber | None = None
    cnh_categoria: CnhCategory | None = None
    cnh_validade: ExpiryDate | None = None
    cnh_ear: bool = False
    enrollment: UUID | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from profile_problems({"birth_date": values.get("birth_date")}, today)
        given = [name for name in _CNH if name in values and values[name] is not None]
        if given or values.get("cnh_ear"):
            # A member that was not right is not among the values: its own problem is told.
            yield from (problem(name, "required") for name in _CNH if name in values and not values[name])
        last = values.get("cnh_validade")
        if last and last < today.isoformat():
            yield problem("cnh_validade", "cnh_expired")

    @property
    def patch(self) -> UserPatch:
        plain = {name: getattr(self, name) or UNSET for name in ("cpf", "birth_date", "phone")}
        if not (self.cnh_numero and self.cnh_categoria and self.cnh_validade):
            return UserPatch(**plain)
        cnh = NewCnh(
            numero=self.cnh_numero,
            categoria=self.cnh_categoria,
            validade=self.cnh_validade,
            ear=self.cnh_ear,
        )
        return UserPatch(**plain, cnh=cnh)


class Origin(Struct, frozen=True):
    enrollment: UUID | None = None


class Language(Struct, frozen=True):
    locale: Locale | None = None


@routes.get("/profile", access=may(Permission.LEARN))
async def show_profile(tx: Tx, view: LearnView) -> Html:
    """What is on record of oneself, documents masked."""
    user = await users.get(tx, view.viewer.user_id)
    unit = await units.get(tx, user.business_unit_id) if user.business_unit_id else None
    asking = _by_document(await learner.list_asking(tx, user.id))
    form = {"locale": view.viewer.own_locale or ""}
    return view.form(
        "learn/profile/profile.html",
        begins=form,
        user=user,
        unit=unit,
        asked=_asked(view, asking),
        cnh_expired=user.cnh is not None and bool(missing_documents(user, ["cnh"], tx.today)),
        lacks=missing_documents(user, asking, tx.today),
    )


@routes.post("/profile/language", access=may(Permission.LEARN), max_body=4096)
async def choose_language(tx: Tx, view: LearnView, form: Language) -> Answer:
    """The language of pages and e-mails."""
    await own.choose_locale(tx, view.viewer.user_id, form.locale)
    # Told in the language that was chosen.
    view.page = replace(view.page, locale=form.locale or view.viewer.tenant_locale)
    return view.lead("/learn/profile", N_("Your language was saved."))


@routes.get("/profile/documents", access=may(Permission.LEARN))
async def edit_documents(tx: Tx, view: LearnView, query: Origin, refusal: Refusal | None = None) -> Html:
    """A form for what is missing, and for what changes."""
    user = await users.get(tx, view.viewer.user_id)
    return view.form(
        "learn/profile/documents.html",
        refusal,
        begins={"enrollment": query.enrollment or ""},
        sentences=_SENTENCES,
        user=user,
        fixed=own.FIXED,
        asked=_asked(view, _by_document(await learner.list_asking(tx, user.id))),
        categories=[(each, each) for each in CNH_CATEGORIES],
    )


@routes.post("/profile/documents", access=may(Permission.LEARN), max_body=8192, refused=edit_documents)
async def complete_documents(tx: Tx, view: LearnView, form: Documents) -> Answer:
    """Put documents on record."""
    back = f"/learn/enrollments/{form.enrollment}" if form.enrollment else "/learn/profile"
    before = await users.get(tx, view.viewer.user_id)
    after = await own.complete_documents(tx, view.viewer.user_id, form.patch)
    if asdict(before) == asdict(after):
        return view.lead(back, N_("Nothing was changed."), "info")
    return view.lead(back, N_("Your documents were saved."))


@routes.post("/preferences", access=PAST_SECOND_FACTOR, max_body=4096)
async def set_preference(tx: Tx, view: LearnView, form: Preference) -> Answer:
    """Theme of the browser; language of the person, wherever they sign in."""
    if form.locale:
        await own.choose_locale(tx, view.viewer.user_id, form.locale)
    return keep(view.request, form)


def _by_document(asking: Sequence[Asking]) -> dict[str, list[str]]:
    """The titles of the courses that ask for each document."""
    titles: dict[str, list[str]] = defaultdict(list)
    for course in asking:
        for name in course.required_fields:
            titles[name].append(course.title)
    return {name: titles[name] for name in NAMES if name in titles}


def _asked(view: LearnView, titles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Who asks for each document, in a sentence; empty where nobody does."""
    return {
        name: view.say(N_("Asked for by %(course)s."), course=titles[name][0])
        if len(titles.get(name, ())) == 1
        else view.say(N_("Asked for by %(count)s of your courses."), count=len(titles[name]))
        if name in titles
        else ""
        for name in NAMES
    }
