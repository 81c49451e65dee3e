"""/learn/profile, and the switches of theme and language."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from trilha.access.permissions.roles import Permission, may, may_oneself
from trilha.access.permissions.viewer import PAST_SECOND_FACTOR
from trilha.core.database import Tx
from trilha.core.errors import Problem, problem
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, Locale
from trilha.kit.preferences import Preference, keep
from trilha.people.business_units import queries as units
from trilha.people.users import own
from trilha.people.users import queries as users
from trilha.people.users.documents import (
    CNH_CATEGORIES,
    BirthDate,
    CnhCategory,
    CnhNumber,
    Cpf,
    ExpiryDate,
    Phone,
)
from trilha.people.users.rules import missing_documents, profile_problems
from trilha.people.users.schema import NewCnh, UserPatch
from trilha.training.enrollments import learner
from trilha.training.enrollments.learner import Asking
from trilha.web.learn.documents import NAMES
from trilha.web.learn.view import LearnView

routes = Routes("Profile", "The viewer's personal data, documents and language.")
_SENTENCES = {
    "invalid_cpf": N_("Enter the 11 digits of the CPF."),
    "invalid_phone": N_("Enter the area code and the number, such as 11 98765-4321."),
    "invalid_birth_date": N_("Enter your date of birth as shown on your ID."),
    "underage": N_("You must be at least 18 years old. Check the date of birth."),
    "invalid_cnh_number": N_("Enter the 11 digits of the license number."),
    "invalid_cnh_category": N_("Choose one of the categories."),
    "cnh_expired": N_("This license has expired. Enter a license that is still valid."),
    "cpf_exists": N_("This CPF belongs to someone else in your company. Contact your HR team."),
    "user_erased": N_("Your personal data was erased, so you cannot add documents."),
}
_CNH = ("cnh_numero", "cnh_categoria", "cnh_validade")


class Documents(Struct, frozen=True):
    """Documents to store; fields left blank do not change. `enrollment` is the course page to return to."""

    cpf: Cpf | None = None
    birth_date: BirthDate | None = None
    phone: Phone | None = None
    cnh_numero: CnhNumber | None = None
    cnh_categoria: CnhCategory | None = None
    cnh_validade: ExpiryDate | None = None
    cnh_ear: bool = False
    enrollment: UUID | None = None
    course: UUID | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from profile_problems({"birth_date": values.get("birth_date")}, today)
        numbers = [name for name in _CNH if name in values and values[name] is not None]
        if numbers or values.get("cnh_ear"):
            # An invalid field is not among the values: it has a problem of its own already.
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
    """The page to go back to: of an enrollment, or of a course of the catalog."""

    enrollment: UUID | None = None
    course: UUID | None = None


class Language(Struct, frozen=True):
    locale: Locale | None = None


@routes.get("/profile", access=may(Permission.LEARN))
async def show_profile(tx: Tx, view: LearnView) -> Html:
    """Show the viewer's personal data, with masked documents."""
    user = await users.get(tx, view.viewer.user_id)
    unit = await units.get(tx, user.business_unit_id) if user.business_unit_id else None
    asking = _by_document(await learner.list_asking(tx, user.id, view.locale))
    form = {"locale": view.viewer.own_locale or ""}
    return view.form(
        "learn/profile/profile.html",
        begins=form,
        user=user,
        unit=unit,
        asked=_describe_requests(view, asking),
        cnh_expired=user.cnh is not None and bool(missing_documents(user, ["cnh"], tx.today)),
        missing=missing_documents(user, asking, tx.today),
    )


@routes.post("/profile/language", access=may(Permission.LEARN), max_body=4096)
async def choose_language(tx: Tx, view: LearnView, form: Language) -> Answer:
    """Choose the language of pages and e-mails."""
    await own.choose_locale(tx, view.viewer.user_id, form.locale)
    # The confirmation is in the chosen language already.
    view.page = replace(view.page, locale=form.locale or view.viewer.tenant_locale)
    return view.lead("/learn/profile", N_("Your language was saved."))


@routes.get("/profile/documents", access=may_oneself(Permission.LEARN))
async def edit_documents(tx: Tx, view: LearnView, query: Origin, refusal: Refusal | None = None) -> Html:
    """Ask for missing documents, and for those that may change."""
    user = await users.get(tx, view.viewer.user_id)
    return view.form(
        "learn/profile/documents.html",
        refusal,
        begins={"enrollment": query.enrollment or "", "course": query.course or ""},
        sentences=_SENTENCES,
        user=user,
        fixed=own.FIXED_MEMBERS,
        asked=_describe_requests(view, _by_document(await learner.list_asking(tx, user.id, view.locale))),
        categories=[(each, each) for each in CNH_CATEGORIES],
    )


@routes.post(
    "/profile/documents", access=may_oneself(Permission.LEARN), max_body=8192, refused=edit_documents
)
async def complete_documents(tx: Tx, view: LearnView, form: Documents) -> Answer:
    """Store documents."""
    back = f"/learn/enrollments/{form.enrollment}" if form.enrollment else "/learn/profile"
    back = f"/learn/catalog/{form.course}" if form.course else back
    before = await users.get(tx, view.viewer.user_id)
    after = await own.complete_documents(tx, view.viewer.user_id, form.patch)
    if asdict(before) == asdict(after):
        return view.lead(back, N_("No changes to save."), "info")
    return view.lead(back, N_("Your documents were saved."))


@routes.post("/preferences", access=PAST_SECOND_FACTOR, max_body=4096)
async def set_preference(tx: Tx, view: LearnView, form: Preference) -> Answer:
    """Store the theme in this browser, and the language with the person."""
    if form.locale:
        await own.choose_locale(tx, view.viewer.user_id, form.locale)
    return keep(view.request, form)


def _by_document(asking: Sequence[Asking]) -> dict[str, list[str]]:
    """Returns the titles of the courses that require each document."""
    titles: dict[str, list[str]] = defaultdict(list)
    for course in asking:
        for name in course.required_fields:
            titles[name].append(course.title)
    return {name: titles[name] for name in NAMES if name in titles}


def _describe_requests(view: LearnView, titles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Returns a sentence for each document that says which courses require it; empty if none does."""
    return {
        name: view.say(N_("Required by the course %(course)s."), course=titles[name][0])
        if len(titles.get(name, ())) == 1
        else view.say(N_("Required by %(count)s of your courses."), count=len(titles[name]))
        if name in titles
        else ""
        for name in NAMES
    }
