"""/learn/enrollments/{id}/practice/{module}: the checklist, the results, what is missing, and signing."""

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
from trilha.core.sealed_files import SealedFiles
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html, Json
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_, say
from trilha.training.courses import module_queries as modules
from trilha.training.courses.schema import read_checklist
from trilha.training.enrollments import learner
from trilha.training.practice import actions, photos, queries
from trilha.training.practice.schema import PracticeAssessment
from trilha.training.signatures import drawings
from trilha.web import signing
from trilha.web.learn.view import LearnView

routes = Routes("My practice", "A person's practical assessments.")
_ACCESS, _SIGN = may(Permission.LEARN), may_oneself(Permission.LEARN)
_SENTENCES = {
    "signature_missing": N_("Sign in the field."),
    "signature_not_readable": N_("Clear the field and sign again."),
    "assessment_signed": N_("You have signed this assessment already."),
    "assessment_not_assessed": N_("Your assessor has not signed yet."),
    "assessment_annulled": N_("This assessment was annulled. You will be assessed again."),
}
say(practice_assessment_not_found=N_("There is no such assessment."))


class AssessmentForm(Struct, frozen=True, kw_only=True):
    assessment_id: UUID


class SignForm(AssessmentForm, frozen=True, kw_only=True):
    """A drawing, or the answer of a passkey."""

    signature: Annotated[str, Meta(max_length=drawings.MAX_TEXT, extra_json_schema=STORABLE)] = ""
    credential: AnswerText | None = None


async def _list_own(
    tx: Tx, view: LearnView, enrollment_id: UUID, module_id: UUID
) -> list[PracticeAssessment]:
    """Lists the viewer's own attempts. Raises NotFound."""
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    module = await modules.get(tx, course.course_id, module_id)
    if module.type != "PRACTICE":
        raise NotFound("module_not_found")
    return await queries.list_of_module(tx, enrollment_id, module_id)


@routes.get("/enrollments/{enrollment_id}/practice/{practice_module_id}", access=_ACCESS)
async def show_practice(
    tx: Tx,
    view: LearnView,
    enrollment_id: UUID,
    practice_module_id: UUID,
    address: PublicAddress,
    refusal: Refusal | None = None,
) -> Html:
    """Show the checklist with the results of the last attempt, and the field to sign it."""
    attempts = await _list_own(tx, view, enrollment_id, practice_module_id)
    course = await learner.get(tx, view.viewer.user_id, enrollment_id, view.locale)
    module = await modules.get(tx, course.course_id, practice_module_id)
    counted = [each for each in attempts if each.status != "ANNULLED"]
    last = next((each for each in counted if each.result), None)
    names = await queries.list_names(tx, list({each.assessor_id for each in attempts}))
    return view.form(
        "learn/practice/practice.html",
        refusal,
        {},
        _SENTENCES,
        course=course,
        module=module,
        checklist=read_checklist(module.content),
        attempts=attempts,
        last=last,
        to_sign=last if last and last.status == "ASSESSED" else None,
        done=next((x for x in counted if x.status == "SIGNED" and x.result == "SATISFACTORY"), None),
        has_passkey=await signing.may_sign(tx, view.viewer, address),
        running=any(each.status == "OPEN" for each in attempts),
        names=names,
        back=f"/learn/enrollments/{enrollment_id}",
        here=f"/learn/enrollments/{enrollment_id}/practice/{practice_module_id}",
    )


@routes.post(
    "/enrollments/{enrollment_id}/practice/{practice_module_id}/sign",
    access=_SIGN,
    max_body=MIB,
    refused=show_practice,
)
async def sign_practice(
    tx: Tx,
    view: LearnView,
    enrollment_id: UUID,
    practice_module_id: UUID,
    form: SignForm,
    address: PublicAddress,
) -> Answer:
    """Sign an assessment of one's own, by a drawing or a passkey."""
    attempts = await _list_own(tx, view, enrollment_id, practice_module_id)
    if form.assessment_id not in {each.id for each in attempts}:
        raise NotFound("practice_assessment_not_found")
    passkey = form.credential and signing.build_signer(tx, view.viewer, form.credential, address)
    await actions.sign_as_learner(tx, form.assessment_id, view.viewer.user_id, passkey or form.signature)
    here = f"/learn/enrollments/{enrollment_id}"
    return view.lead(here, N_("You signed the assessment. Your progress follows within seconds."))


@routes.post(
    "/enrollments/{enrollment_id}/practice/{practice_module_id}/passkey-options",
    access=_SIGN,
    rate_limit=SIGNATURE,
    max_body=64 * 1024,
    refused=show_practice,
)
async def begin_passkey_signature(
    tx: Tx,
    view: LearnView,
    enrollment_id: UUID,
    practice_module_id: UUID,
    form: AssessmentForm,
    address: PublicAddress,
) -> Json:
    """Return the options with which the browser asks a passkey for the signature."""
    attempts = await _list_own(tx, view, enrollment_id, practice_module_id)
    if form.assessment_id not in {each.id for each in attempts}:
        raise NotFound("practice_assessment_not_found")
    digest = await actions.find_digest(tx, form.assessment_id, view.viewer.user_id)
    return await signing.begin(tx, view.viewer, digest, address)


@routes.get("/enrollments/{enrollment_id}/practice/{practice_module_id}/photos/{photo_id}", access=_ACCESS)
async def show_photo(
    tx: Tx,
    view: LearnView,
    files: FileStore,
    enrollment_id: UUID,
    practice_module_id: UUID,
    photo_id: UUID,
) -> Answer:
    """Return the photo of an item that one was assessed in."""
    attempts = await _list_own(tx, view, enrollment_id, practice_module_id)
    if photo_id not in {item.photo_id for each in attempts for item in each.items if each.result}:
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
