"""/v1/module-imports: the status of imports of modules."""

from uuid import UUID

from msgspec import structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.training.courses.imports import queries
from trilha.training.courses.imports.lists import IMPORTS
from trilha.training.courses.imports.schema import ModuleImport, ModuleImportQuery

routes = Routes("Module imports", "Packages, documents and videos on their way into a course.")


@routes.get("/module-imports", scope=Scope.COURSES_READ)
async def list_module_imports(tx: Tx, query: ModuleImportQuery) -> Page[ModuleImport]:
    """List imports of modules, newest first. An import can be read for 30 days after its end."""
    page = await fetch_page(tx, IMPORTS, query)
    return structs.replace(page, data=[each.read() for each in page.data])


@routes.get(
    "/module-imports/{module_import_id}", scope=Scope.COURSES_READ, errors=["module_import_not_found"]
)
async def get_module_import(tx: Tx, module_import_id: UUID, query: ItemQuery) -> Envelope[ModuleImport]:
    """Get the status of an import, and the report on its package."""
    return Envelope(await queries.get(tx, module_import_id))
