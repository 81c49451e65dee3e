"""The erasure of a person from import reports."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Clears all values on lines that contain the person's name, e-mail address or employee number."""
    await tx.execute(
        """
        UPDATE import_problems AS problem SET value = ''
        FROM import_problems AS found
        JOIN users AS person ON person.tenant_id = :tenant AND person.id = :user_id
         AND search_text(found.value) IN (
             search_text(person.name), search_text(person.email), search_text(person.employee_number))
        WHERE found.tenant_id = :tenant AND problem.tenant_id = :tenant
          AND problem.import_id = found.import_id AND problem.line = found.line
        """,
        user_id=user_id,
    )
