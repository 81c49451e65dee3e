"""The import of questions: a file is sent, its questions are shown with their problems, then it starts."""

import asyncio
import codecs
from collections import Counter
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Problem, invalid
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer, Csv, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, formats
from trilha.training.question_bank import importing, queries
from trilha.training.question_bank.exporting import Words, write_table
from trilha.training.question_bank.importing import CheckedQuestion
from trilha.training.question_bank.parsing.reading import QuestionFiles
from trilha.training.question_bank.parsing.schema import MAX_BYTES
from trilha.training.question_bank.samples import SAMPLES
from trilha.training.question_bank.schema import ImportResult
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.question_bank import forms
from trilha.web.panel.question_bank.forms import ImportForm, ImportQuery, Upload
from trilha.web.panel.question_bank.pages import PATH
from trilha.web.panel.question_bank.words import FIELDS, FORMAT_NAMES, LOSSES, PROBLEMS, REFUSALS
from trilha.web.panel.quizzes.page_quiz import address
from trilha.web.panel.quizzes.words import KINDS, SIGNS
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

routes = Routes("Import of questions", "Questions from files of other systems.")
NO_ALT = N_("Picture without a description")
NO_ALT_TAG = N_("picture without description")
_MAX_ROWS = 500
_SENTENCES = {"required": N_("Choose a file.")}


@routes.get("/questions/import", access=WRITE)
async def show_upload(view: PanelView, query: ImportQuery, refusal: Refusal | None = None) -> Html:
    """Ask for the file."""
    begins = {"quiz": query.quiz or ""}
    return view.form("panel/question_bank/upload.html", refusal, begins, _SENTENCES, path=PATH)


@routes.get("/questions/import/template", access=WRITE)
async def download_template(view: PanelView) -> Csv:
    """Download a table with one example of each type of question."""
    english = view.page.locale == "en"
    table = write_table(
        SAMPLES["en" if english else "pt"], Words(english=english), formats.csv_separator(view.page)
    )
    disposition = 'attachment; filename="questions.csv"'
    return Csv(codecs.BOM_UTF8 + table.encode(), headers={"content-disposition": disposition})


@routes.post("/questions/import", access=WRITE, max_body=MAX_BYTES + MIB, refused=show_upload)
async def upload(view: PanelView, form: Upload, readers: QuestionFiles) -> Answer:
    """Read the file, and keep it until its questions are imported."""
    if form.file is None or not form.file.size:
        raise invalid("file", "required")
    if form.file.size > MAX_BYTES:
        raise invalid("file", "question_file_too_large")
    name = form.file.filename or "questions"
    content = await asyncio.to_thread(form.file.path.read_bytes)
    await readers.read(view.tenant_id, name, content)
    async with view.changing() as tx:
        import_id = await queries.insert_import(tx, view.viewer.user_id, name[-200:], content)
    return view.lead(f"{PATH}/import/{import_id}" + (f"?quiz={form.quiz}" if form.quiz else ""))


@routes.get("/questions/import/{question_import_id}", access=WRITE)
async def show_import(
    view: PanelView,
    question_import_id: UUID,
    query: ImportQuery,
    readers: QuestionFiles,
    refusal: Refusal | None = None,
) -> Html:
    """Show what will be imported, and each problem with its line."""
    async with view.reading() as tx:
        file = await queries.get_import(tx, question_import_id, view.viewer.user_id)
        today = tx.today
    parsed = await readers.read(view.tenant_id, file.file_name, file.content)
    checked = importing.check(parsed, today)
    async with view.reading() as tx:
        known = await queries.find_known(tx, [each.question for each in checked if each.question])
        tags = [each.tag for each in await queries.list_tags(tx)]
    ready = [each for each in checked if each.question and _key(each) not in known]
    return view.form(
        "panel/question_bank/import.html",
        refusal,
        {"quiz": query.quiz or ""},
        file=file,
        parsed=parsed,
        ready=len(ready),
        known=sum(each.question is not None for each in checked) - len(ready),
        refused=[each for each in checked if each.question is None],
        shown=checked[:_MAX_ROWS],
        left=max(len(checked) - _MAX_ROWS, 0),
        counts=Counter(each.question.kind for each in ready if each.question),
        found_tags=Counter(tag for each in ready for tag in each.parsed.tags).most_common(30),
        is_known=lambda each: _key(each) in known,
        explain=lambda each: _explain(view, each),
        losses=LOSSES,
        kinds=KINDS,
        signs=SIGNS,
        formats=FORMAT_NAMES,
        tags=tags,
        path=PATH,
    )


def _key(each: CheckedQuestion) -> tuple[str, str]:
    assert each.question is not None
    return each.question.kind, each.question.text.strip()


def _explain(view: PanelView, each: CheckedQuestion) -> list[str]:
    """Describes why a question cannot be imported."""
    if each.parsed.refusal:
        refusals: dict[str, str] = {str(name): text for name, text in REFUSALS.items()}
        return [view.say(refusals[each.parsed.refusal], detail=each.parsed.detail or "–")]
    return list(dict.fromkeys(_explain_problem(view, problem) for problem in each.problems))


def _explain_problem(view: PanelView, problem: Problem) -> str:
    field = view.say(FIELDS.get(problem.field.partition(".")[0], N_("Question")))
    return view.say(PROBLEMS.get(problem.code, N_("A value is not accepted: %(field)s.")), field=field)


@routes.post("/questions/import/{question_import_id}", access=WRITE, refused=show_import)
async def start_import(
    view: PanelView,
    question_import_id: UUID,
    form: ImportForm,
    readers: QuestionFiles,
    files: FileStore,
) -> Answer:
    """Import the questions of the file that have no problem."""
    async with view.reading() as tx:
        file = await queries.get_import(tx, question_import_id, view.viewer.user_id)
        today = tx.today
    parsed = await readers.read(view.tenant_id, file.file_name, file.content)
    checked = importing.check(parsed, today)
    async with (
        importing.store_pictures(files, view.database, view.tenant_id, checked) as stored,
        view.changing() as tx,
    ):
        result = await _import(tx, view, question_import_id, checked, stored, form)
        places = await queries.list_quizzes(tx, teacher_of(view)) if form.quiz else []
    place = next((each for each in places if each.module_id == form.quiz), None)
    return view.lead(
        address(place.course_id, place.module_id) if place else PATH,
        N_(
            "Questions imported: %(imported)s. In the bank already: %(skipped)s. With problems: %(left_out)s."
        ),
        imported=result.imported,
        skipped=result.skipped,
        left_out=result.left_out,
    )


async def _import(
    tx: Tx,
    view: PanelView,
    import_id: UUID,
    checked: list[CheckedQuestion],
    stored: dict[str, Any],
    form: ImportForm,
) -> ImportResult:
    if not await queries.delete_import(tx, import_id):
        raise invalid("file", "question_import_not_found")
    alt = importing.MissingAlt(view.say(NO_ALT), view.say(NO_ALT_TAG))
    return await importing.add(tx, checked, stored, view.viewer.user_id, forms.read_tags(form.tags), alt)
