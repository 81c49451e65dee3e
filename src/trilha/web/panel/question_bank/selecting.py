"""Changes to selected questions: adding them to a quiz, tagging and archiving them."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.question_bank import actions, queries
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.question_bank import forms
from trilha.web.panel.question_bank.forms import QuizForm, Selection, TagForm
from trilha.web.panel.question_bank.pages import PATH
from trilha.web.panel.quizzes.page_quiz import address
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

routes = Routes("Selected questions", "What is done with several questions of the bank.")
_FORM = 64 * 1024
_SENTENCES = {
    "required": N_("Select at least one question."),
    "invalid_uuid": N_("Choose one of the options."),
    "too_long": N_("Select at most 500 questions."),
}


@routes.get("/questions/selected", access=WRITE)
async def show_selected(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show what can be done with the selected questions."""
    sent = refusal.values.get("id", ()) if refusal else ()
    return await _show(tx, view, _read_ids(sent), refusal)


@routes.post("/questions/selected", access=WRITE, max_body=_FORM, refused=show_selected)
async def choose_change(tx: Tx, view: PanelView, form: Selection) -> Html:
    """Show what can be done with the questions that were just selected."""
    if not form.id:
        raise invalid("id", "required")
    return await _show(tx, view, form.id, None)


def _read_ids(sent: object) -> list[UUID]:
    """Reads the selection of a refused form, without what is no id."""
    found = []
    for each in [sent] if isinstance(sent, str) else sent if isinstance(sent, list | tuple) else []:
        try:
            found.append(UUID(str(each)))
        except ValueError:
            continue
    return found[: forms.MAX_SELECTED]


async def _show(tx: Tx, view: PanelView, ids: list[UUID], refusal: Refusal | None) -> Html:
    selected = await queries.list_by_ids(tx, ids)
    editor = teacher_of(view)
    return view.form(
        "panel/question_bank/selected.html",
        refusal,
        {},
        _SENTENCES,
        selected=selected,
        own=[each for each in selected if editor in (None, each.author_id)],
        quizzes=[
            (each.module_id, f"{each.course_title} › {each.title}")
            for each in await queries.list_quizzes(tx, editor)
        ],
        tags=[each.tag for each in await queries.list_tags(tx)],
        path=PATH,
    )


@routes.post("/questions/selected/quiz", access=WRITE, max_body=_FORM, refused=show_selected)
async def add_to_quiz(tx: Tx, view: PanelView, form: QuizForm) -> Answer:
    """Add copies of the selected questions to a quiz."""
    if not form.id:
        raise invalid("id", "required")
    places = await queries.list_quizzes(tx, teacher_of(view))
    place = next((each for each in places if each.module_id == form.module), None)
    if place is None:
        raise NotFound("module_not_found")
    await get_changeable(tx, view, place.course_id)
    added = await actions.copy_to_quiz(tx, place.course_id, place.module_id, form.id)
    return view.lead(
        address(place.course_id, place.module_id),
        N_("Questions added to the quiz: %(added)s. Already there: %(present)s."),
        added=added,
        present=len(set(form.id)) - added,
    )


@routes.post("/questions/selected/tags", access=WRITE, max_body=_FORM, refused=show_selected)
async def add_tags(tx: Tx, view: PanelView, form: TagForm) -> Answer:
    """Add tags to the selected questions."""
    if not form.id:
        raise invalid("id", "required")
    names = forms.read_tags(form.tags)
    if not names:
        raise invalid("tags", "required")
    changed = await actions.tag_all(tx, form.id, names, teacher_of(view))
    return view.lead(
        PATH,
        N_("Questions with the new tags: %(changed)s. Left as they were: %(left)s."),
        changed=changed,
        left=len(set(form.id)) - changed,
    )


@routes.post("/questions/selected/archive", access=WRITE, max_body=_FORM, refused=show_selected)
async def archive_selected(tx: Tx, view: PanelView, form: Selection) -> Answer:
    """Archive the selected questions."""
    if not form.id:
        raise invalid("id", "required")
    changed = await actions.set_archived(tx, form.id, teacher_of(view), archived=True)
    return view.lead(
        PATH,
        N_("Questions archived: %(changed)s. Left as they were: %(left)s."),
        changed=changed,
        left=len(set(form.id)) - changed,
    )
