"""Begins, rates, signs and annuls assessments."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from msgspec import Struct, structs

import trilha.training.practice.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, Forbidden, NotFound, invalid
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import PracticeAssessed
from trilha.platform.events.outbox import emit
from trilha.training.classes import attendance_queries as checks
from trilha.training.courses import module_queries as modules
from trilha.training.courses.schema import PracticeContent, read_checklist
from trilha.training.enrollments import queries as enrollments
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.practice import queries, rules
from trilha.training.practice.queries import Person
from trilha.training.practice.rules import Rating
from trilha.training.practice.schema import (
    HeldQualification,
    LockedAssessment,
    NewAssessment,
    NewRating,
    PracticeAssessment,
    StoredPhoto,
)
from trilha.training.qualifications import queries as qualifications
from trilha.training.qualifications.schema import HeldQualification as ValidQualification
from trilha.training.signatures import actions as signatures
from trilha.training.signatures.actions import PasskeySigner

_OPEN = (EnrollmentStatus.NOT_STARTED, EnrollmentStatus.IN_PROGRESS)
ASSESSOR, LEARNER = "practice_assessor", "practice_learner"  # the purposes of signatures


async def record(tx: Tx, new: NewAssessment) -> PracticeAssessment:
    """Records an assessment that was made elsewhere. It counts once both people have signed it.

    Raises what `begin` and `rate` raise.
    """
    id = await begin(tx, new.enrollment_id, new.module_id, new.assessor_id, new.assessed_on)
    assessment = await queries.find(tx, id)
    for number, each in enumerate(new.ratings):
        await _store_rating(tx, assessment, each, f"ratings.{number}.item_id")
    return await queries.get(tx, id)


async def begin(
    tx: Tx, enrollment_id: UUID, module_id: UUID, assessor_id: UUID, assessed_on: str | None = None
) -> UUID:
    """Begins another attempt, with the checklist as it is now.

    Raises NotFound (enrollment_not_found, module_not_found, user_not_found), Invalid (in_future),
    BusinessRule (module_not_practice, enrollment_not_open, assessor_is_learner, assessor_may_not_teach,
    assessor_not_qualified) and Conflict (assessment_open, practice_completed).
    """
    enrollment = await enrollments.get(tx, enrollment_id)
    module = await modules.get(tx, enrollment.course_id, module_id)
    if module.type != "PRACTICE":
        raise BusinessRule("module_not_practice")
    if enrollment.status not in _OPEN:
        raise BusinessRule("enrollment_not_open")
    today = await queries.find_day(tx)
    if assessed_on is not None and assessed_on > today:
        raise invalid("assessed_on", "in_future")
    people = await queries.lock_people(tx, enrollment.course_id, [enrollment.user_id, assessor_id])
    checklist = read_checklist(module.content)
    await _check_assessor(tx, people, enrollment.user_id, assessor_id, checklist, assessed_on or today)
    await evidence_queries.lock_head(tx, enrollment_id)
    if await queries.has_satisfactory(tx, enrollment_id, module_id):
        raise Conflict("practice_completed")
    id = await queries.insert(
        tx,
        enrollment_id=enrollment_id,
        user_id=enrollment.user_id,
        course_id=enrollment.course_id,
        module_id=module_id,
        assessor_id=assessor_id,
        items=checklist.items,
        qualification=checklist.qualification,
        assessed_on=assessed_on,
    )
    if id is None:
        raise Conflict("assessment_open")
    await audit.record(
        tx, "practice.begun", id, module.title, user_id=enrollment.user_id, assessor_id=assessor_id
    )
    return id


async def _check_assessor(
    tx: Tx,
    people: dict[UUID, Person],
    learner_id: UUID,
    assessor_id: UUID,
    checklist: PracticeContent,
    day: str,
) -> ValidQualification:
    """Returns the qualification with which a person may assess on a day. Raises NotFound (user_not_found),
    BusinessRule (assessor_is_learner, assessor_may_not_teach, assessor_not_qualified).
    """
    assessor = people.get(assessor_id)
    if assessor is None or learner_id not in people:
        raise NotFound("user_not_found")
    if assessor_id == learner_id:
        raise BusinessRule("assessor_is_learner")
    if not rules.may_teach(assessor.role, assessor.status, teaches=assessor.teaches):
        raise BusinessRule("assessor_may_not_teach")
    held = await qualifications.list_valid(tx, [assessor_id], day, checklist.qualification)
    if not held:
        raise BusinessRule("assessor_not_qualified")
    return held[0]


async def rate(tx: Tx, id: UUID, assessor_id: UUID, new: NewRating) -> None:
    """Rates an item. Raises NotFound, Forbidden (not_your_signature), Conflict (assessment_signed),
    BusinessRule (assessment_annulled), Invalid (unknown_item).
    """
    await _store_rating(tx, await _lock_own(tx, id, assessor_id), new, "item_id")


async def _store_rating(tx: Tx, assessment: LockedAssessment, new: NewRating, field: str) -> None:
    _check_item(assessment, new.item_id, field)
    satisfactory = new.rating == "SATISFACTORY"
    await queries.rate(tx, assessment.id, new.item_id, satisfactory=satisfactory, note=new.note)


def _check_item(assessment: LockedAssessment, item_id: UUID, field: str) -> None:
    """Raises Invalid (unknown_item)."""
    if item_id not in {each.id for each in assessment.items}:
        raise invalid(field, "unknown_item")


async def _lock_own(tx: Tx, id: UUID, assessor_id: UUID) -> LockedAssessment:
    """Locks an assessment that its assessor may change."""
    assessment = await queries.lock(tx, id)
    if assessment.assessor_id != assessor_id:
        raise Forbidden("not_your_signature")
    _check_status(assessment)
    return assessment


def _check_status(assessment: LockedAssessment) -> None:
    """Raises BusinessRule (assessment_annulled), Conflict (assessment_signed)."""
    if assessment.status == "ANNULLED":
        raise BusinessRule("assessment_annulled")
    if assessment.status != "OPEN":
        raise Conflict("assessment_signed")


async def add_photo(tx: Tx, id: UUID, assessor_id: UUID, item_id: UUID, sha256: str, size: int) -> UUID:
    """Adds the photo of an item, whose file the caller stores under the returned id. Raises what `rate`
    raises.
    """
    assessment = await _lock_own(tx, id, assessor_id)
    _check_item(assessment, item_id, "photo")
    photo = StoredPhoto(id, item_id, uuid4(), sha256)
    await queries.insert_photo(tx, photo, size)
    return photo.id


class PreparedSignature(Struct, frozen=True):
    """What an assessor is about to sign."""

    head: LogHead
    assessment: LockedAssessment
    qualification: ValidQualification
    held: HeldQualification
    day: str
    result: Rating
    digest: str


async def prepare_signature(tx: Tx, id: UUID, user_id: UUID) -> PreparedSignature:
    """Locks an assessment for its assessor's signature.

    Raises NotFound, Forbidden (not_your_signature), Conflict (assessment_signed), and BusinessRule
    (assessment_annulled, assessment_incomplete, enrollment_not_open, and why the assessor may not assess).
    """
    before = await queries.find(tx, id)
    people = await queries.lock_people(tx, before.course_id, [before.user_id, before.assessor_id])
    head = await evidence_queries.lock_head(tx, before.enrollment_id)
    assessment = await _lock_own(tx, id, user_id)
    if (await enrollments.get(tx, assessment.enrollment_id)).status not in _OPEN:
        raise BusinessRule("enrollment_not_open")
    day = assessment.assessed_on or await queries.find_day(tx)
    checklist = PracticeContent(items=assessment.items, qualification=assessment.qualification)
    valid = await _check_assessor(tx, people, assessment.user_id, user_id, checklist, day)
    held = HeldQualification(valid.title, valid.issuing_body, valid.register_number, valid.valid_until)
    result, digest = await _summarize(tx, assessment, held, day)
    return PreparedSignature(head, assessment, valid, held, day, result, digest)


async def sign_as_assessor(tx: Tx, id: UUID, user_id: UUID, signing: str | PasskeySigner) -> None:
    """Signs what was rated, which then stays, by a drawing or a passkey. An unsatisfactory assessment is
    final. Raises what `prepare_signature` raises, and Invalid for the drawing.
    """
    prepared = await prepare_signature(tx, id, user_id)
    head, assessment, day = prepared.head, prepared.assessment, prepared.day
    result, digest, valid = prepared.result, prepared.digest, prepared.qualification
    signature = await signatures.sign(tx, user_id, ASSESSOR, id, digest, signing)
    await queries.note_assessor_signature(
        tx,
        id,
        signature_id=signature.id,
        result=result,
        digest=digest,
        assessed_on=day,
        held=prepared.held,
    )
    await _note(
        tx,
        head,
        assessment,
        step="assessor_signed",
        result=result,
        assessed_on=day,
        digest=digest,
        assessor=user_id,
        qualification=valid.id,
        register_number=valid.register_number,
        signature=signature.id,
    )
    if result == "UNSATISFACTORY":
        await _tell(tx, assessment, result)
    await checks.request_checks(tx, [assessment.enrollment_id])


async def _summarize(
    tx: Tx, assessment: LockedAssessment, held: HeldQualification, day: str
) -> tuple[Rating, str]:
    """Returns the result, and the digest of what is signed. Raises BusinessRule (assessment_incomplete)."""
    ratings = {each.item_id: each for each in await queries.list_ratings(tx, [assessment.id])}
    photos = {each.item_id: each.sha256 for each in await queries.list_photos(tx, [assessment.id])}
    items = [each.id for each in assessment.items]
    result = rules.decide_result(items, {id: each.satisfactory for id, each in ratings.items()})
    if result is None:
        missing = [str(each) for each in rules.list_unrated(items, ratings)]
        raise BusinessRule("assessment_incomplete", item_ids=missing)
    signed = {
        "assessment": str(assessment.id),
        "enrollment": str(assessment.enrollment_id),
        "learner": str(assessment.user_id),
        "course": str(assessment.course_id),
        "module": str(assessment.module_id),
        "number": assessment.number,
        "assessed_on": day,
        "assessor": str(assessment.assessor_id),
        "qualification": structs.asdict(held),
        "items": [
            rules.describe_item(each, ratings[each.id], photos.get(each.id)) for each in assessment.items
        ],
    }
    return result, signatures.compute_digest(signed)


async def find_digest(tx: Tx, id: UUID, user_id: UUID) -> str:
    """Returns the digest of an assessment that waits for its learner's signature. Raises what
    `sign_as_learner` raises.
    """
    return _find_digest(await queries.find(tx, id), user_id)


def _find_digest(assessment: LockedAssessment, user_id: UUID) -> str:
    if assessment.user_id != user_id:
        raise NotFound("practice_assessment_not_found")
    if assessment.status == "ANNULLED":
        raise BusinessRule("assessment_annulled")
    if assessment.status == "SIGNED":
        raise Conflict("assessment_signed")
    if assessment.digest is None or assessment.result is None:
        raise BusinessRule("assessment_not_assessed")
    return assessment.digest


async def sign_as_learner(tx: Tx, id: UUID, user_id: UUID, signing: str | PasskeySigner) -> None:
    """Signs an assessment that its assessor has signed, by a drawing or a passkey. A satisfactory one then
    counts.

    Raises NotFound, also for another person's assessment, BusinessRule (assessment_annulled,
    assessment_not_assessed), Conflict (assessment_signed), and Invalid for the drawing.
    """
    before = await queries.find(tx, id)
    _find_digest(before, user_id)
    await queries.lock_people(tx, before.course_id, [user_id])
    head = await evidence_queries.lock_head(tx, before.enrollment_id)
    assessment = await queries.lock(tx, id)
    digest = _find_digest(assessment, user_id)
    signature = await signatures.sign(tx, user_id, LEARNER, id, digest, signing)
    await queries.note_learner_signature(tx, id, signature.id)
    await _note(
        tx,
        head,
        assessment,
        step="learner_signed",
        result=assessment.result,
        digest=digest,
        signature=signature.id,
    )
    if assessment.result == "SATISFACTORY":
        await _tell(tx, assessment, assessment.result)
    await checks.request_checks(tx, [assessment.enrollment_id])


async def annul(tx: Tx, id: UUID, reason: str) -> PracticeAssessment:
    """Annuls an assessment, which then no longer counts. An annulled one stays unchanged. Raises NotFound."""
    before = await queries.find(tx, id)
    head = await evidence_queries.lock_head(tx, before.enrollment_id)
    assessment = await queries.lock(tx, id)
    if assessment.status != "ANNULLED":
        await queries.annul(tx, id, reason)
        # The reason is not in the log: it may be personal, and the log cannot change.
        await _note(tx, head, assessment, step="annulled", result=assessment.result)
        await audit.record(tx, "practice.annulled", id, user_id=assessment.user_id)
        await checks.request_checks(tx, [assessment.enrollment_id])
    return await queries.get(tx, id)


async def _note(tx: Tx, head: LogHead, assessment: LockedAssessment, **detail: Any) -> None:
    """Adds an entry to the log of the enrollment."""
    members: dict[str, Any] = {
        "module": assessment.module_id,
        "assessment": assessment.id,
        "number": assessment.number,
        "by": tx.actor.name,
    }
    await log.append(tx, head, "assessed", None, **members | detail)


async def _tell(tx: Tx, assessment: LockedAssessment, result: Rating) -> None:
    await emit(
        tx,
        PracticeAssessed(
            assessment_id=assessment.id,
            enrollment_id=assessment.enrollment_id,
            user_id=assessment.user_id,
            course_id=assessment.course_id,
            module_id=assessment.module_id,
            result=result,
        ),
    )


async def list_qualified_titles(tx: Tx, user_ids: Sequence[UUID]) -> list[ValidQualification]:
    """Lists the qualifications of people that are valid today."""
    return await qualifications.list_valid(tx, user_ids, await queries.find_day(tx))
