from collections.abc import Sequence

from trilha.core.database import Database
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.courses import errors, media, module_api, thumbnails
from trilha.training.courses.api import routes
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.lessons.personal_data_export import LESSONS
from trilha.training.courses.translations import api as translations


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [thumbnails.Thumbnails(settings.address), ArticlePages(database, settings.scratch)]


FEATURE = Feature(
    name="courses",
    errors=[errors],
    v1=[routes, module_api.routes, translations.routes],
    build_surfaces=lambda _: [thumbnails.SURFACE],
    build_dependencies=_build_dependencies,
    erasures=[lessons.erase],
    export=LESSONS,
    list_file_prefixes=lambda tenant_id: [media.of_tenant(tenant_id)],
)
