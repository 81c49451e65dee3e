"""The names of documents, and which required ones a person lacks."""

from collections.abc import Iterable
from uuid import UUID

from trilha.core.database import Tx
from trilha.kit import N_
from trilha.people.users import queries as users
from trilha.people.users.rules import missing_documents

NAMES = {
    "cpf": N_("CPF"),
    "birth_date": N_("Date of birth"),
    "phone": N_("Phone"),
    "cnh": N_("Driver's license (CNH)"),
}


async def missing_of(tx: Tx, user_id: UUID, required: Iterable[str]) -> list[str]:
    """Returns the names (msgids) of the required documents that are missing or have expired."""
    (profile,) = await users.list_profiles(tx, [user_id])
    missing = missing_documents(profile, required, tx.today)
    return [name for document, name in NAMES.items() if document in missing]
