"""/v1/qualifications"""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.qualifications import actions, queries
from trilha.training.qualifications.lists import QUALIFICATIONS
from trilha.training.qualifications.schema import (
    NewQualification,
    Qualification,
    QualificationQuery,
    QualificationUpdate,
)

routes = Routes("Qualifications", "What people are qualified for, such as assessing a practical part.")


@routes.get("/qualifications", scope=Scope.PRACTICE_READ)
async def list_qualifications(tx: Tx, query: QualificationQuery) -> Page[Qualification]:
    """List qualifications, newest first. With `updated_since`, they are ordered by last change, oldest
    first.
    """
    return await fetch_page(tx, QUALIFICATIONS, query)


@routes.post(
    "/qualifications",
    scope=Scope.PRACTICE_WRITE,
    status=201,
    errors=["user_not_found", "ends_before_it_begins"],
)
async def create_qualification(tx: Tx, data: NewQualification) -> Envelope[Qualification]:
    """Add a qualification to a user. Its document is uploaded in the panel."""
    return Envelope(await actions.create(tx, data))


@routes.get(
    "/qualifications/{qualification_id}", scope=Scope.PRACTICE_READ, errors=["qualification_not_found"]
)
async def get_qualification(tx: Tx, qualification_id: UUID, query: ItemQuery) -> Envelope[Qualification]:
    """Get one qualification."""
    return Envelope(await queries.get(tx, qualification_id))


@routes.patch(
    "/qualifications/{qualification_id}",
    scope=Scope.PRACTICE_WRITE,
    errors=["qualification_not_found", "ends_before_it_begins"],
)
async def update_qualification(
    tx: Tx, qualification_id: UUID, data: QualificationUpdate
) -> Envelope[Qualification]:
    """Change a qualification, for example after its renewal. Signed assessments keep what it was."""
    return Envelope(await actions.change(tx, qualification_id, data))


@routes.delete(
    "/qualifications/{qualification_id}",
    scope=Scope.PRACTICE_WRITE,
    status=204,
    errors=["qualification_not_found"],
)
async def delete_qualification(tx: Tx, qualification_id: UUID) -> None:
    """Remove a qualification with its document. Signed assessments keep what it was."""
    await actions.remove(tx, qualification_id)
