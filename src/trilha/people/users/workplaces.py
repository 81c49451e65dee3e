"""What a file of people says besides their names: employee number, unit and who manages it."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx

# The names of the managers of a unit, whose id is the format's argument.
UNIT_MANAGERS = """
    SELECT string_agg(manager.name, ', ' ORDER BY manager.name_key, manager.id)
    FROM business_unit_managers AS managed
    JOIN users AS manager ON manager.tenant_id = :tenant AND manager.id = managed.user_id
    WHERE managed.tenant_id = :tenant AND managed.business_unit_id = {}
"""


class Workplace(Struct, frozen=True):
    """Texts are empty where nothing is known. `managers` are those of the unit itself, by name."""

    id: UUID
    employee_number: str
    unit: str
    managers: str


async def list_workplaces(tx: Tx, user_ids: Sequence[UUID]) -> dict[UUID, Workplace]:
    """Returns the workplaces of these people by their ids."""
    workplaces = await tx.list(
        Workplace,
        f"""
        SELECT person.id, COALESCE(person.employee_number, '') AS employee_number,
               COALESCE(unit.name, '') AS unit,
               COALESCE(({UNIT_MANAGERS.format("person.business_unit_id")}), '') AS managers
        FROM users AS person
        LEFT JOIN business_units AS unit ON unit.tenant_id = :tenant AND unit.id = person.business_unit_id
        WHERE person.tenant_id = :tenant AND person.id = ANY(:user_ids)
        """,  # noqa: S608
        user_ids=user_ids,
    )
    return {each.id: each for each in workplaces}
