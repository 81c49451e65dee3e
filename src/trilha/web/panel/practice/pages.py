"""/admin/practice: the people to assess, the page of an assessment, signing it, and annulling it."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may, may_oneself
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import SIGNATURE
from trilha.access.sessions.passkeys.schema import AnswerText
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.lists import find_row, get_row
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html, Json
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, NN_
from trilha.training.practice import actions, photos, queries
from trilha.training.practice.lists import LEARNERS, MODULES, ROWS, Assessing
from trilha.training.practice.photos import Photo
from trilha.training.practice.schema import (
    AnnulReason,
    AssessmentRow,
    AssessmentSearch,
    LearnerSearch,
    NewRating,
    Note,
    PracticeModule,
    RatingChoice,
)
from trilha.training.signatures import drawings
from trilha.training.signatures import queries as signatures
from trilha.web import signing
from trilha.web.panel import lists
from trilha.web.panel.confirm import Button, Confirmation, Subject
from trilha.web.panel.lists import Choice, Column, Empty, Table
from trilha.web.panel.practice import words
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Practice", "Practical assessments.")
ADDRESS = f"{HOME}/practice"
ASSESSMENTS = f"{ADDRESS}/assessments"
ASSESS = may(Permission.COURSES_WRITE)
SIGN = may_oneself(Permission.COURSES_WRITE)
ANNUL = may(Permission.CERTIFICATES_WRITE)
_MODULES = Table(
    listing=MODULES,
    path=ADDRESS,
    title=N_("Practice"),
    lead=N_("Choose the practical part in which you assess people."),
    above="panel/practice/_tabs.html",
    row="panel/practice/_module_row.html",
    values={"tab": "modules"},
    columns=[N_("Module"), N_("Course"), Column(N_("People to assess"), numeric=True)],
    counted=NN_("%(num)s practical part", "%(num)s practical parts"),
    empty=Empty(
        N_("No practical parts yet"),
        N_("Add a module of the type Practice to a course, with a checklist, and publish the course."),
        "clipboard-list",
    ),
)
_ROWS = Table(
    listing=ROWS,
    path=ASSESSMENTS,
    title=N_("Practice"),
    search=N_("Search by name, e-mail, CPF or employee number"),
    above="panel/practice/_tabs.html",
    choices=[Choice(name="status", label=N_("Any status"), options=words.STATUSES)],
    row="panel/practice/_assessment_row.html",
    values={"badges": words.BADGES, "results": words.RESULTS, "tab": "assessments"},
    columns=[N_("Person"), N_("Module"), N_("Result"), N_("Status"), N_("Assessor"), N_("Begun")],
    counted=NN_("%(num)s assessment", "%(num)s assessments"),
    empty=Empty(
        N_("No assessments yet"),
        N_("Assessments appear here with their results and signatures."),
        "clipboard-list",
    ),
)


class AssessForm(Struct, frozen=True):
    enrollment_id: UUID


class ItemForm(Struct, frozen=True, kw_only=True):
    """The rating of one item. `number` is its place on the page."""

    item_id: UUID
    rating: RatingChoice
    note: Note | None = None
    photo: UploadedFile | None = None
    number: Annotated[int, Meta(ge=1, le=1000)] = 1


class SignForm(Struct, frozen=True):
    """A drawing, or the answer of a passkey."""

    signature: Annotated[str, Meta(max_length=drawings.MAX_TEXT, extra_json_schema=STORABLE)] = ""
    credential: AnswerText | None = None


class AnnulForm(Confirmation, frozen=True, kw_only=True):
    reason: AnnulReason


@routes.get("/practice", access=ASSESS)
async def list_modules(tx: Tx, view: PanelView, query: ListQuery) -> Html:
    """Lists the practical parts of published courses, those of an instructor's own."""
    return await lists.show(tx, view, _MODULES, query, reach_of(view))


@routes.get("/practice/assessments", access=ASSESS)
async def list_assessments(tx: Tx, view: PanelView, query: AssessmentSearch) -> Html:
    """Lists assessments, the newest first."""
    return await lists.show(tx, view, _ROWS, query, reach_of(view))


async def _get_module(tx: Tx, view: PanelView, module_id: UUID) -> PracticeModule:
    """Raises NotFound, also for a module of other instructors."""
    return await get_row(tx, MODULES, module_id, reach_of(view), missing="module_not_found")


def _build_learners(module: PracticeModule) -> Table[AssessmentRow]:
    return Table(
        listing=LEARNERS,  # type: ignore[arg-type]
        path=f"{ADDRESS}/modules/{module.id}",
        title=N_("People to assess"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        row="panel/practice/_learner_row.html",
        values={"badges": words.BADGES, "results": words.RESULTS, "module": module},
        columns=[N_("Person"), N_("Last assessment"), lists.ACTIONS],
        counted=NN_("%(num)s person", "%(num)s people"),
        empty=Empty(
            N_("Nobody to assess"),
            N_("Everybody with an open enrollment has completed this practical part."),
            "clipboard-check",
        ),
    )


@routes.get("/practice/modules/{practice_module_id}", access=ASSESS)
async def list_learners(
    tx: Tx,
    view: PanelView,
    practice_module_id: UUID,
    query: LearnerSearch,
    refusal: Refusal | None = None,
) -> Html:
    """Lists the people to assess in a practical part."""
    module = await _get_module(tx, view, practice_module_id)
    return await lists.show(
        tx,
        view,
        _build_learners(module),
        query,
        Assessing(module.course_id, module.id, reach_of(view)),
        template="panel/practice/learners.html",
        refusal=refusal,
        module=module,
        qualifications=await actions.list_qualified_titles(tx, [view.viewer.user_id]),
    )


@routes.post("/practice/modules/{practice_module_id}/assess", access=ASSESS)
async def begin_assessment(tx: Tx, view: PanelView, practice_module_id: UUID, form: AssessForm) -> Answer:
    """Begins an assessment, or continues the viewer's own one."""
    module = await _get_module(tx, view, practice_module_id)
    scope = Assessing(module.course_id, module.id, reach_of(view))
    if await find_row(tx, LEARNERS, form.enrollment_id, scope) is None:
        raise NotFound("enrollment_not_found")
    open_id = await queries.find_open(tx, form.enrollment_id, module.id)
    if open_id is None or (await queries.find(tx, open_id)).assessor_id != view.viewer.user_id:
        open_id = await actions.begin(tx, form.enrollment_id, module.id, view.viewer.user_id)
    return view.lead(f"{ASSESSMENTS}/{open_id}")


async def _get_assessment(tx: Tx, view: PanelView, id: UUID) -> AssessmentRow:
    """Raises NotFound, also for an assessment out of reach."""
    return await get_row(tx, ROWS, id, reach_of(view), missing="practice_assessment_not_found")


@routes.get("/practice/assessments/{practice_assessment_id}", access=ASSESS)
async def show_assessment(
    tx: Tx,
    view: PanelView,
    practice_assessment_id: UUID,
    address: PublicAddress,
    refusal: Refusal | None = None,
) -> Html:
    """Shows an assessment: for its assessor with the buttons to rate and the field to sign."""
    row = await _get_assessment(tx, view, practice_assessment_id)
    assessment = await queries.get(tx, practice_assessment_id)
    ids = await queries.list_signature_ids(tx, practice_assessment_id)
    signed = await signatures.list_by_id(tx, [each for each in ids if each])
    drawn = [
        drawings.draw(content.strokes)
        if each and (content := signed[each].content) and content.strokes
        else None
        for each in ids
    ]
    unrated = [each for each in assessment.items if each.rating is None]
    return view.form(
        "panel/practice/assessment.html",
        refusal,
        {},
        words.SENTENCES,
        row=row,
        assessment=assessment,
        badges=words.BADGES,
        results=words.RESULTS,
        unrated=unrated,
        result="UNSATISFACTORY"
        if any(each.rating == "UNSATISFACTORY" for each in assessment.items)
        else "SATISFACTORY",
        rates=assessment.status == "OPEN" and assessment.assessor_id == view.viewer.user_id,
        drawn=drawn,
        by_passkey=[each is not None and signed[each].kind == "PASSKEY" for each in ids],
        has_passkey=await signing.may_sign(tx, view.viewer, address),
        here=f"{ASSESSMENTS}/{practice_assessment_id}",
        back=f"{ADDRESS}/modules/{assessment.module_id}",
    )


async def _read_photo(form: ItemForm, caller: Caller) -> Photo | None:
    """Decodes the photo before the transaction begins. Raises Invalid."""
    if form.photo is None or not form.photo.filename:
        return None
    return await photos.read(form.photo.path, form.photo.size)


@routes.post(
    "/practice/assessments/{practice_assessment_id}/items",
    access=ASSESS,
    max_body=photos.MAX_BYTES + MIB,
    prepare=_read_photo,
    refused=show_assessment,
)
async def rate_item(
    tx: Tx,
    view: PanelView,
    practice_assessment_id: UUID,
    form: ItemForm,
    prepared: Photo | None,
    files: FileStore,
) -> Answer:
    """Rates one item, with a photo if there is one."""
    await _get_assessment(tx, view, practice_assessment_id)
    viewer_id = view.viewer.user_id
    new = NewRating(item_id=form.item_id, rating=form.rating, note=form.note)
    await actions.rate(tx, practice_assessment_id, viewer_id, new)
    if prepared is not None:
        size = len(prepared.content)
        photo_id = await actions.add_photo(
            tx, practice_assessment_id, viewer_id, form.item_id, prepared.sha256, size
        )
        key = photos.build_key(tx.tenant_id, photo_id)
        await SealedFiles(files, tx.keyring).put(key, prepared.content)
    return view.lead(f"{ASSESSMENTS}/{practice_assessment_id}#item-{form.number}")


@routes.get("/practice/assessments/{practice_assessment_id}/photos/{photo_id}", access=ASSESS)
async def show_photo(
    tx: Tx, view: PanelView, files: FileStore, practice_assessment_id: UUID, photo_id: UUID
) -> Answer:
    """Return the photo of an item."""
    await _get_assessment(tx, view, practice_assessment_id)
    return await answer_photo(tx, files, practice_assessment_id, photo_id)


async def answer_photo(tx: Tx, files: FileStore, assessment_id: UUID, photo_id: UUID) -> Answer:
    """Raises NotFound."""
    if not await queries.is_photo_of(tx, assessment_id, photo_id):
        raise NotFound("practice_assessment_not_found")
    try:
        content = await photos.load(SealedFiles(files, tx.keyring), tx.tenant_id, photo_id)
    except FileNotFoundError:
        raise NotFound("practice_assessment_not_found") from None
    headers = [
        (b"content-type", photos.MEDIA_TYPE.encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    return Answer(200, content, headers)


@routes.post(
    "/practice/assessments/{practice_assessment_id}/sign",
    access=SIGN,
    max_body=MIB,
    refused=show_assessment,
)
async def sign_assessment(
    tx: Tx, view: PanelView, practice_assessment_id: UUID, form: SignForm, address: PublicAddress
) -> Answer:
    """Signs an assessment as its assessor, by a drawing or a passkey."""
    row = await _get_assessment(tx, view, practice_assessment_id)
    passkey = form.credential and signing.build_signer(tx, view.viewer, form.credential, address)
    await actions.sign_as_assessor(tx, practice_assessment_id, view.viewer.user_id, passkey or form.signature)
    return view.lead(
        f"{ASSESSMENTS}/{practice_assessment_id}",
        N_("You signed the assessment. Now %(name)s signs on their own phone, on the page of the course."),
        name=row.user_name,
    )


@routes.post(
    "/practice/assessments/{practice_assessment_id}/passkey-options",
    access=SIGN,
    rate_limit=SIGNATURE,
    max_body=64 * 1024,
)
async def begin_passkey_signature(
    tx: Tx, view: PanelView, practice_assessment_id: UUID, form: Button, address: PublicAddress
) -> Json:
    """Returns the options with which the browser asks a passkey for the signature."""
    await _get_assessment(tx, view, practice_assessment_id)
    prepared = await actions.prepare_signature(tx, practice_assessment_id, view.viewer.user_id)
    return await signing.begin(tx, view.viewer, prepared.digest, address)


async def _annul(tx: Tx, id: UUID, form: AnnulForm) -> None:
    await actions.annul(tx, id, form.reason)


ONE = Subject(
    routes=routes,
    path="/practice/assessments/{practice_assessment_id}",
    access=ANNUL,
    get=_get_assessment,
    name=lambda row: row.user_name,
)
ONE.ask(
    "annul",
    _annul,
    N_("Annul the assessment of %(name)s"),
    [
        N_("It no longer counts, and stays in the records with your reason."),
        N_("A course that is completed stays completed."),
    ],
    N_("Annul assessment"),
    N_("The assessment of %(name)s was annulled."),
    form=AnnulForm,
    template="panel/practice/annul.html",
    sentences=words.SENTENCES,
)
