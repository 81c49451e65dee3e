"""Opens a module as a learner's first launch would, for somebody who may change it.

A preview leaves no enrollment, no attempt, no progress, no log entry and no event.
"""

import secrets
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.learning.attempts.schema import Attempt
from trilha.training.learning.launches import pages
from trilha.training.learning.launches.actions import TOKEN_BYTES, get_file_settings
from trilha.training.learning.launches.schema import Launch, LoadedLaunch, LoadedScorm, Module
from trilha.training.learning.previews import queries
from trilha.training.learning.previews.queries import Preview
from trilha.training.scorm.runtime import resume
from trilha.training.scorm.runtime.mapping import ItemSettings

# A quiz has no preview here: its author previews each question where it is written.
PREVIEWED_TYPES = ("SCORM", "CMI5", "VIDEO", "DOCUMENT", "ARTICLE")


class NewPreview(Struct, frozen=True):
    """A preview that was just made. Only its browser ever learns `token`. `sha256` is the package's."""

    id: UUID
    token: str
    sha256: str | None


async def open_preview(tx: Tx, user_id: UUID, module_id: UUID, session_id: UUID | None = None) -> NewPreview:
    """Makes a preview that ends with the session.

    Raises NotFound (module_not_found) and Conflict (module_without_content).
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    fingerprint = tx.keyring.fingerprint(token)
    preview_id = await queries.insert_preview(tx, user_id, module_id, fingerprint, session_id)
    preview = await queries.find_preview(tx, preview_id)
    if preview is None or preview.type not in PREVIEWED_TYPES:
        raise NotFound("module_not_found")
    await load_preview(tx, preview_id)
    return NewPreview(preview_id, token, preview.sha256)


async def load_preview(tx: Tx, preview_id: UUID) -> LoadedLaunch:
    """Loads what the page shows. Raises NotFound (module_not_found) and Conflict (module_without_content)."""
    preview = await queries.find_preview(tx, preview_id)
    if preview is None:
        raise NotFound("module_not_found")
    names = ("title", "type", "duration_minutes", "required", "content")
    module = Module(id=preview.module_id, **{name: getattr(preview, name) for name in names})
    loaded = await _load_scorm(tx, preview, module) if module.type == "SCORM" else None
    at = preview.started_at
    launch = Launch(preview_id, 1, preview_id, started_at=at, beat_at=at, seen_at=at)
    attempt = _build_attempt(preview, module, loaded)
    return LoadedLaunch(launch, attempt, preview.course_id, preview.user_id, module, loaded)


async def _load_scorm(tx: Tx, preview: Preview, module: Module) -> LoadedScorm:
    content = await pages.get_scorm_content(tx, module)
    opening = resume.opening(content.manifest.version, None, "resume", terminated=False)
    return await pages.load_scorm(tx, content, preview.user_id, opening)


def _build_attempt(preview: Preview, module: Module, loaded: LoadedScorm | None) -> Attempt:
    settings = msgspec.to_builtins(ItemSettings.of(loaded.item)) if loaded else get_file_settings(module)
    return Attempt(
        id=preview.id,
        enrollment_id=preview.id,
        module_id=preview.module_id,
        number=1,
        package_id=loaded.package_id if loaded else None,
        item=loaded.item.identifier if loaded else None,
        version=loaded.manifest.version if loaded else None,
        settings=settings,
    )
