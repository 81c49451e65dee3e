from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.core.outbound.downloading import Downloader
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.courses import errors, media, module_api, thumbnails
from trilha.training.courses.api import routes
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.imports import api as imports
from trilha.training.courses.imports import jobs
from trilha.training.courses.imports.actions import SEALED_URLS
from trilha.training.courses.imports.files import ModuleFiles
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.lessons.personal_data_export import LESSONS
from trilha.training.courses.translations import api as translations


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    return [
        thumbnails.Thumbnails(settings.address),
        ArticlePages(database, settings.scratch),
        ModuleFiles(settings.open_files(), database),
    ]


def _build_jobs(settings: Settings) -> Sequence[Job]:
    downloader = Downloader(settings.guard, most_bytes=media.MAX_BYTES)
    fetching = jobs.FetchModules(settings.open_files(), settings.scratch, downloader)
    return [fetching, jobs.AddPackages(), jobs.PRUNE]


FEATURE = Feature(
    name="courses",
    errors=[errors],
    v1=[routes, module_api.routes, imports.routes, translations.routes],
    build_surfaces=lambda _: [thumbnails.SURFACE],
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    sealed_columns=[SEALED_URLS],
    erasures=[lessons.erase],
    export=LESSONS,
    list_file_prefixes=lambda tenant_id: [media.of_tenant(tenant_id)],
)
