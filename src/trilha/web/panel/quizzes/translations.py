"""/admin/courses/{id}/languages/{language}/modules/{module_id}/questions: translates a quiz's questions."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import quiz_actions
from trilha.training.courses.translations import actions
from trilha.training.courses.translations.schema import LANGUAGES
from trilha.training.quizzes import queries, translation_queries
from trilha.training.quizzes.schema import MAX_CHOICES, Question
from trilha.training.quizzes.translations import QuestionTexts, QuestionTranslation
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.quizzes.page_quiz import find_question, find_quiz
from trilha.web.panel.quizzes.words import KINDS
from trilha.web.panel.view import PanelView

routes = Routes("Translated questions", "The questions of quizzes in further languages.")
_HERE = "/courses/{course_id}/languages/{language}/modules/{module_id}/questions"
_FORM = 256 * 1024


class QuestionTranslationForm(Struct, frozen=True, kw_only=True):
    """The texts of a question; without a `text`, it is not translated. `choice_text` are the texts of the
    choices in `choice_id`, in the same order.
    """

    text: Annotated[str, Meta(max_length=5000, extra_json_schema=STORABLE)] = ""
    feedback: Annotated[str, Meta(max_length=5000, extra_json_schema=STORABLE)] = ""
    choice_id: Annotated[list[Annotated[str, Meta(max_length=12)]], Meta(max_length=MAX_CHOICES)] = []
    choice_text: Annotated[list[Annotated[str, Meta(max_length=1000)]], Meta(max_length=MAX_CHOICES)] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        ids, texts = values.get("choice_id", []), values.get("choice_text", [])
        if len(ids) != len(texts) or (values.get("text", "").strip() and not all(map(str.strip, texts))):
            yield problem("choice_text", "required")

    @property
    def choices(self) -> dict[str, str]:
        texts = zip(self.choice_id, self.choice_text, strict=True)
        return {id: text.strip() for id, text in texts if text.strip()}


def build_address(course_id: UUID, language: str, module_id: UUID, question_id: UUID | None = None) -> str:
    address = f"{ADDRESS}/{course_id}/languages/{language}/modules/{module_id}/questions"
    return f"{address}/{question_id}" if question_id else address


@routes.get(_HERE, access=WRITE)
async def list_translated_questions(
    tx: Tx, view: PanelView, course_id: UUID, language: str, module_id: UUID
) -> Html:
    """Lists the questions of a quiz, and which are translated."""
    found = await find_quiz(tx, view, course_id, module_id)
    await actions.get(tx, course_id, language)
    questions, stored = await _load(tx, found.quiz.id, language)
    return view.show(
        "panel/quizzes/translated_questions.html",
        found=found,
        language=language,
        languages=LANGUAGES,
        questions=questions,
        stored=stored,
        kinds=KINDS,
        here=build_address(course_id, language, module_id),
    )


async def _load(
    tx: Tx, quiz_id: UUID, language: str
) -> tuple[Sequence[Question], Mapping[UUID, QuestionTranslation]]:
    questions = await queries.list_questions(tx, quiz_id)
    return questions, await translation_queries.load(tx, [each.id for each in questions], language)


@routes.get(f"{_HERE}/{{question_id}}", access=WRITE)
async def show_translated_question(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    module_id: UUID,
    question_id: UUID,
    refusal: Refusal | None = None,
) -> Html:
    """Shows the texts of a question in a language, beside those in the course's own."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    await actions.get(tx, course_id, language)
    stored = (await translation_queries.load(tx, [question_id], language)).get(question_id)
    texts = stored.texts if stored else None
    return view.form(
        "panel/quizzes/translated_question.html",
        refusal,
        {
            "text": texts.text if texts else "",
            "feedback": texts.feedback if texts else "",
            "choice_text": [texts.choices.get(each.id, "") if texts else "" for each in question.choices],
        },
        found=found,
        language=language,
        languages=LANGUAGES,
        question=question,
        stored=stored,
        here=build_address(course_id, language, module_id),
    )


@routes.post(f"{_HERE}/{{question_id}}", access=WRITE, max_body=_FORM, refused=show_translated_question)
async def save_translated_question(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    language: str,
    module_id: UUID,
    question_id: UUID,
    form: QuestionTranslationForm,
) -> Answer:
    """Saves the texts of a question, and leads to the next one that is not translated."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    await actions.get(tx, course_id, language)
    texts = None
    if form.text.strip():
        texts = QuestionTexts(text=form.text.strip(), feedback=form.feedback.strip(), choices=form.choices)
    await quiz_actions.translate_question(tx, course_id, module_id, question.id, language, texts)
    questions, stored = await _load(tx, found.quiz.id, language)
    following = next(
        (each.id for each in questions if each.id not in stored or stored[each.id].is_outdated), None
    )
    address = build_address(course_id, language, module_id, following if texts else None)
    return view.lead(address, N_("The translation was saved."))
