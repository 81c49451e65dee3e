"""/v1/catalog: the courses in which people may enroll themselves."""

from msgspec import structs

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import Page
from trilha.core.web.routes import Routes
from trilha.training.catalog.lists import CATALOG
from trilha.training.catalog.schema import CatalogQuery
from trilha.training.courses.schema import Course
from trilha.training.courses.thumbnails import Thumbnails

routes = Routes("Catalog", "The courses in which people may enroll themselves.")


@routes.get("/catalog", scope=Scope.COURSES_READ)
async def list_catalog(tx: Tx, query: CatalogQuery, thumbnails: Thumbnails) -> Page[Course]:
    """List the published courses in which people may enroll themselves, by title."""
    page = await fetch_page(tx, CATALOG, query)
    return structs.replace(page, data=[thumbnails.complete_url(each) for each in page.data])
