from collections.abc import Sequence

from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.training.certificates import erasure, errors, files, surface
from trilha.training.certificates.api import routes
from trilha.training.certificates.badges import surface as badges
from trilha.training.certificates.badges.keys import SEALED_KEYS
from trilha.training.certificates.jobs import (
    SEALED_CERTIFICATES,
    SEALED_HOLDERS,
    SEALED_PAPERS,
    RemoveFiles,
    tell,
)
from trilha.training.certificates.links import Links
from trilha.training.certificates.pdf.copies import Copies
from trilha.training.certificates.pdf.jobs import RenderCertificates
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.pdf.previewing import PREVIEW_LIMITS, Previews
from trilha.training.certificates.personal_data_export import EXPORT
from trilha.training.certificates.signatures import errors as signature_errors
from trilha.training.certificates.signatures.actions import SEALED_IDENTITIES
from trilha.training.certificates.signatures.reading import IdentityReader
from trilha.training.certificates.signatures.signer import Signer
from trilha.training.certificates.signatures.timestamps import build_timestamps
from trilha.training.certificates.templates import errors as template_errors
from trilha.training.certificates.templates import pictures


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    press = Press(settings.scratch, size=2, limits=PREVIEW_LIMITS, per_tenant=1)
    return [
        Links(settings.address, database.keyring),
        Previews(settings.open_files(), press, settings.address),
        IdentityReader(settings.scratch),
        Copies(settings.open_files(), database, _build_copy_maker(settings)),
    ]


def _build_copy_maker(settings: Settings) -> Maker:
    """Builds the maker of forms that somebody waits for."""
    press = Press(settings.scratch, size=1, limits=PREVIEW_LIMITS, per_tenant=1)
    timestamps = build_timestamps(settings.guard, settings.timestamp_url)
    return Maker(settings.open_files(), press, Signer(settings.scratch, size=1), settings.address, timestamps)


def _build_jobs(settings: Settings) -> Sequence[Job]:
    store, scratch = settings.open_files(), settings.scratch
    timestamps = build_timestamps(settings.guard, settings.timestamp_url)
    maker = Maker(store, Press(scratch), Signer(scratch), settings.address, timestamps)
    return [tell(settings.address), RemoveFiles(store), RenderCertificates(store, maker.prepare)]


FEATURE = Feature(
    name="certificates",
    errors=[errors, template_errors, signature_errors],
    v1=[routes],
    build_surfaces=lambda _: [surface.SURFACE, badges.SURFACE],
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    sealed_files=[SEALED_CERTIFICATES, SEALED_PAPERS],
    sealed_columns=[SEALED_HOLDERS, SEALED_KEYS, SEALED_IDENTITIES],
    list_file_prefixes=lambda tenant_id: [files.of_tenant(tenant_id), pictures.of_tenant(tenant_id)],
    erasures=[erasure.erase_person],
    export=EXPORT,
)
