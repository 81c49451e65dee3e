"""/v1/practice-assessments"""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.practice import actions, queries
from trilha.training.practice.lists import ASSESSMENTS
from trilha.training.practice.schema import Annulment, AssessmentQuery, NewAssessment, PracticeAssessment

routes = Routes("Practice", "Practical assessments: checklists that a qualified assessor rates.")


@routes.get("/practice-assessments", scope=Scope.PRACTICE_READ)
async def list_practice_assessments(tx: Tx, query: AssessmentQuery) -> Page[PracticeAssessment]:
    """List assessments with their ratings, newest first. With `updated_since`, they are ordered by last
    change, oldest first.
    """
    page = await fetch_page(tx, ASSESSMENTS, query)
    assessments = await queries.add_ratings(tx, page.data)
    return Page(assessments, page.next_cursor, page.has_more, page.limit)


@routes.post(
    "/practice-assessments",
    scope=Scope.PRACTICE_WRITE,
    status=201,
    errors=[
        "enrollment_not_found",
        "module_not_found",
        "user_not_found",
        "in_future",
        "duplicate_rating",
        "unknown_item",
        "module_not_practice",
        "enrollment_not_open",
        "assessor_is_learner",
        "assessor_may_not_teach",
        "assessor_not_qualified",
        "practice_completed",
        "assessment_open",
    ],
)
async def create_practice_assessment(tx: Tx, data: NewAssessment) -> Envelope[PracticeAssessment]:
    """Record an assessment. It counts once the assessor and the learner have signed it, each on a page of
    their own: nobody signs for another.
    """
    return Envelope(await actions.record(tx, data))


@routes.get(
    "/practice-assessments/{practice_assessment_id}",
    scope=Scope.PRACTICE_READ,
    errors=["practice_assessment_not_found"],
)
async def get_practice_assessment(
    tx: Tx, practice_assessment_id: UUID, query: ItemQuery
) -> Envelope[PracticeAssessment]:
    """Get one assessment with its ratings."""
    return Envelope(await queries.get(tx, practice_assessment_id))


@routes.post(
    "/practice-assessments/{practice_assessment_id}/annul",
    scope=Scope.PRACTICE_WRITE,
    errors=["practice_assessment_not_found"],
)
async def annul_practice_assessment(
    tx: Tx, practice_assessment_id: UUID, data: Annulment
) -> Envelope[PracticeAssessment]:
    """Annul an assessment, which then no longer counts. A completed enrollment stays completed. An annulled
    assessment stays unchanged.
    """
    return Envelope(await actions.annul(tx, practice_assessment_id, data.reason))
