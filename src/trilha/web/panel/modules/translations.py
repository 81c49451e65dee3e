"""/admin/courses/{id}/languages/{language}/modules/{module_id}: a lesson in a further language."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import queries
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.translations import actions
from trilha.training.courses.translations import queries as translations
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.modules import forms
from trilha.web.panel.modules.forms import LessonTranslationForm
from trilha.web.panel.modules.lessons import get_lesson
from trilha.web.panel.modules.pages import load_lesson, publish_lesson
from trilha.web.panel.view import PanelView

routes = Routes("Translated lessons", "Lessons in the further languages of a course.")
_HERE = "/courses/{course_id}/languages/{language}/modules/{module_id}"


@routes.get(_HERE, access=WRITE)
async def show_translated_lesson(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    module_id: UUID,
    texts: ArticlePages,
    refusal: Refusal | None = None,
) -> Html:
    """Shows the editor of a lesson in a further language."""
    module = await get_lesson(tx, view, course_id, module_id, language)
    text = await lessons.find_text(tx, module_id, language)
    values = {
        "title": await translations.find_module_title(tx, module_id, language),
        "body": text.body if text else module.body,
    }
    return view.form(
        "panel/modules/translation.html",
        refusal,
        values,
        forms.SENTENCES,
        course=await queries.get(tx, course_id),
        module=module,
        language=language,
        languages=LANGUAGES,
        is_new=text is None,
        **await load_lesson(tx, view, module, texts, refusal, language),
    )


@routes.post(_HERE, access=WRITE, max_body=5 * MIB, refused=show_translated_lesson)
async def publish_translated_lesson(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    module_id: UUID,
    form: LessonTranslationForm,
    texts: ArticlePages,
) -> Answer:
    """Publishes a lesson in a further language, and saves the module's title in it."""
    module = await get_lesson(tx, view, course_id, module_id, language)
    title = None if form.title is None else str(form.title)
    await actions.save_title(tx, course_id, module_id, actions.read_language(language), title)
    await publish_lesson(tx, view, course_id, module, form, texts, language)
    return view.lead(f"{ADDRESS}/{course_id}/languages/{language}", N_("The translation was saved."))
