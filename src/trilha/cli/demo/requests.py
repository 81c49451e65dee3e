"""Requests for enrollment that wait for an answer in the demo."""

from collections.abc import Mapping
from uuid import UUID

from trilha.cli.demo.people import DRIVER
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.training.enrollment_requests import actions

_MESSAGES = (
    "Vou assumir a rota de Ribeirão Preto no mês que vem e quero gastar menos diesel.",
    "A gerente sugeriu que eu fizesse este curso.",
    None,
)


async def ask(tx: Tx, courses: Mapping[str, UUID]) -> None:
    """Lets three people, preferably drivers, ask for a course that they do not take. `courses` maps slugs to
    ids.
    """
    course_id = courses["direcao-economica"]
    rows = await tx.rows(
        """
        SELECT u.id FROM users u
        WHERE u.tenant_id = :tenant AND u.status = 'ACTIVE' AND u.role = 'learner' AND NOT EXISTS (
              SELECT FROM enrollments e
              WHERE e.tenant_id = :tenant AND e.user_id = u.id AND e.course_id = :course_id)
        ORDER BY u.job_title = :driver DESC NULLS LAST, u.email LIMIT 3
        """,
        course_id=course_id,
        driver=DRIVER,
    )
    for row, message in zip(rows, _MESSAGES, strict=False):
        tx.actor = Actor("session", str(row["id"]), "203.0.113.24")
        await actions.request(tx, row["id"], course_id, message)
