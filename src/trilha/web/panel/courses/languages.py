"""/admin/courses/{id}/languages/{language}: the texts of a course in its further languages."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import Problem, invalid, problem
from trilha.core.types import InvalidValue, Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, say
from trilha.training.courses import queries
from trilha.training.courses.rules import MAX_MODULES
from trilha.training.courses.schema import Course, CourseLanguage
from trilha.training.courses.translations import actions
from trilha.training.courses.translations import queries as translations
from trilha.training.courses.translations.schema import LANGUAGES, CourseTranslation
from trilha.web.panel.confirm import Subject, Trail
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.forms import Line
from trilha.web.panel.courses.pages import ADDRESS, TYPES, show_course
from trilha.web.panel.view import PanelView

routes = Routes("Languages of a course", "The texts of a course in its further languages.")
_HERE = "/courses/{course_id}/languages/{language}"
_PAGE = 80  # modules: a form has at most 200 fields
say(
    language_exists=N_("The course is in this language already."),
    language_not_found=N_("The course is not in this language anymore."),
    translation_changed=N_(
        "Somebody else changed these texts after you opened them. Save again to replace theirs with yours."
    ),
)


class NewLanguage(Struct, frozen=True):
    language: CourseLanguage


class TranslationQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`page` is the page of the modules, from 1."""

    page: Annotated[int, Meta(ge=1, le=MAX_MODULES)] = 1


class TranslationForm(Struct, frozen=True, kw_only=True):
    """The texts in one language; an empty field means that learners see the text in the course's own.
    `module_title` are the titles of the modules in `module_id`, in the same order.
    """

    title: Line | None = None
    description: Annotated[str, Meta(max_length=10_000)] | None = None
    module_id: Annotated[list[UUID], Meta(max_length=_PAGE)] = []
    module_title: Annotated[list[str], Meta(max_length=_PAGE)] = []
    revision: Annotated[int, Meta(ge=0)] | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        ids, titles = values.get("module_id", []), values.get("module_title", [])
        if len(ids) != len(titles):
            yield problem("module_title", "invalid_value")
        if any(len(" ".join(title.split())) > Title.longest for title in titles):
            yield problem("module_title", "too_long")


def build_address(course_id: UUID, language: str) -> str:
    return f"{ADDRESS}/{course_id}/languages/{language}"


@routes.post("/courses/{course_id}/languages", access=WRITE, refused=show_course)
async def add_language(tx: Tx, view: PanelView, course_id: UUID, form: NewLanguage) -> Answer:
    """Adds a language to the course, without texts."""
    await get_changeable(tx, view, course_id)
    await actions.add_language(tx, course_id, form.language)
    return view.lead(
        build_address(course_id, form.language),
        N_("%(language)s was added. Now translate the texts."),
        language=LANGUAGES[form.language],
    )


async def get_translation(tx: Tx, view: PanelView, course_id: UUID, language: str) -> CourseTranslation:
    """Loads a language of a course that the viewer may change. Raises NotFound."""
    await get_changeable(tx, view, course_id)
    return await actions.get(tx, course_id, language)


@routes.get(_HERE, access=WRITE)
async def show_translation(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    query: TranslationQuery,
    refusal: Refusal | None = None,
) -> Html:
    """Shows the texts of a course in a language, beside those in its own."""
    translation = await get_translation(tx, view, course_id, language)
    every = await translations.list_modules(tx, course_id, language)
    modules = every[(query.page - 1) * _PAGE : query.page * _PAGE]
    progress = await translations.list_progress(tx, course_id)
    values = {
        "title": translation.title,
        "description": translation.description,
        "module_title": [each.title or "" for each in modules],
    }
    if refusal is not None:
        refusal = Refusal({**refusal.values, "module_title": _keep_titles(refusal, modules)}, refusal.failure)
    return view.form(
        "panel/courses/translation.html",
        refusal,
        values,
        course=await queries.get(tx, course_id),
        authored=await queries.get_authored(tx, course_id),
        translation=translation,
        modules=modules,
        page_number=query.page,
        page_count=-(-len(every) // _PAGE),
        progress=next(each for each in progress if each.language == language),
        languages=LANGUAGES,
        types=TYPES,
    )


def _keep_titles(refusal: Refusal, modules: Sequence[Any]) -> list[str]:
    """Returns the titles of a refused form in the present order of the modules."""
    sent = dict(
        zip(refusal.values.get("module_id", []), refusal.values.get("module_title", []), strict=False)
    )
    return [sent.get(str(each.id), each.title or "") for each in modules]


@routes.post(_HERE, access=WRITE, max_body=2 * MIB, refused=show_translation)
async def save_translation(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    query: TranslationQuery,
    form: TranslationForm,
) -> Answer:
    """Saves the texts of a course in a language."""
    translation = await get_translation(tx, view, course_id, language)
    await actions.save(
        tx,
        course_id,
        translation.language,
        title=None if form.title is None else str(form.title),
        description=(form.description or "").strip() or None,
        titles={id: _read_title(title) for id, title in zip(form.module_id, form.module_title, strict=True)},
        revision=form.revision,
    )
    page = f"?page={query.page}" if query.page > 1 else ""
    return view.lead(build_address(course_id, language) + page, N_("The translation was saved."))


def _read_title(text: str) -> str | None:
    """Raises Invalid (invalid_text)."""
    try:
        return str(Line.normalise(text)) if text.strip() else None
    except InvalidValue:
        raise invalid("module_title", "invalid_text") from None


class TranslatedCourse(Struct, frozen=True):
    """A course in one of its further languages, to be removed."""

    course: Course
    language: CourseLanguage

    @property
    def name(self) -> str:
        return LANGUAGES[self.language]


async def _get_subject(tx: Tx, view: PanelView, course_id: UUID, language: str) -> TranslatedCourse:
    course = await get_changeable(tx, view, course_id)
    return TranslatedCourse(course, (await actions.get(tx, course_id, language)).language)


def _list_trail(view: PanelView, subject: TranslatedCourse) -> Trail:
    course = subject.course
    return [
        (course.title, f"{ADDRESS}/{course.id}"),
        (subject.name, build_address(course.id, subject.language)),
    ]


TRANSLATIONS = Subject(
    routes=routes,
    path=_HERE,
    access=WRITE,
    get=_get_subject,
    types={"language": str},
    trail=_list_trail,
)


async def _remove(tx: Tx, course_id: UUID, language: str) -> None:
    await actions.remove_language(tx, course_id, actions.read_language(language))


TRANSLATIONS.ask(
    "remove",
    _remove,
    N_("Remove %(name)s from the course"),
    [
        N_("All texts in this language are deleted, with the versions and drafts of its lessons."),
        N_("Learners who take the course in it continue in the course's own language. Progress is kept."),
    ],
    N_("Remove language"),
    N_("%(name)s was removed from the course."),
    gone=True,
)
