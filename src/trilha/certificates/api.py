"""A user's certificates."""

from uuid import UUID

from trilha.certificates.schema import Certificate
from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import Page, SyncQuery, empty_page
from trilha.core.web.routes import Routes
from trilha.users import queries as users

routes = Routes("Certificates", "Proof of what was completed.")


@routes.get("/users/{user_id}/certificates", scope=Scope.CERTIFICATES_READ, errors=["user_not_found"])
async def list_user_certificates(tx: Tx, user_id: UUID, query: SyncQuery) -> Page[Certificate]:
    """List one user's certificates, newest first."""
    await users.get(tx, user_id)
    return empty_page(query)
