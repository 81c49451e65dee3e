"""/v1/custom-fields"""

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.web.pagination import ListQuery, Page, page_of
from trilha.core.web.routes import Routes
from trilha.people.custom_fields import queries
from trilha.people.custom_fields.schema import CustomField

routes = Routes("Custom fields", "What a company keeps of its people beside the usual members.")


@routes.get("/custom-fields", scope=Scope.USERS_READ)
async def list_custom_fields(tx: Tx, query: ListQuery) -> Page[CustomField]:
    """List the company's custom fields. The operator creates them with `trilha custom-field create`."""
    return page_of(tx, await queries.list_fields(tx), query, route="custom-fields")
