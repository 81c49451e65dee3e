"""/v1/courses/{course_id}/ratings"""

from uuid import UUID

from msgspec import structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.training.courses import queries as courses
from trilha.training.evaluations import queries
from trilha.training.evaluations.rules import Scale
from trilha.training.evaluations.schema import CourseRatings, RatedNps, RatedScale

routes = Routes("Evaluations", "What learners think of courses.")


@routes.get("/courses/{course_id}/ratings", scope=Scope.ANALYTICS_READ, errors=["course_not_found"])
async def get_course_ratings(tx: Tx, course_id: UUID, query: ItemQuery) -> Envelope[CourseRatings]:
    """Get the average ratings of a course. Nobody's own answer can be derived from them."""
    await courses.get(tx, course_id)
    results = await queries.get_results(tx, course_id)
    nps = RatedNps(**structs.asdict(results.nps)) if results.nps else None
    scales = {name: _show(scale) for name, scale in results.scales.items()}
    return Envelope(
        CourseRatings(
            course_id=course_id,
            rating_count=results.rating_count,
            content=scales.get("content"),
            clarity=scales.get("clarity"),
            instructor=scales.get("instructor"),
            platform=scales.get("platform"),
            applicability=scales.get("applicability"),
            nps=nps,
            applied=_show(results.applied) if results.applied else None,
        )
    )


def _show(scale: Scale) -> RatedScale:
    return RatedScale(scale.answers, scale.average, scale.distribution)
