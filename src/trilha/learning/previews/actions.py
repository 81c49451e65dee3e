"""A module is opened as learners do, by whoever makes its course.

It leaves nothing: no enrollment, no attempt, no progress, no entry in a log, no event.
"""

import secrets
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.learning.attempts.schema import Attempt
from trilha.learning.launches import rules as launch_rules
from trilha.learning.launches.actions import TOKEN_BYTES, get_scorm_content
from trilha.learning.launches.schema import Launch, LoadedLaunch, LoadedScorm, Module
from trilha.learning.previews import queries
from trilha.learning.previews.queries import Preview
from trilha.scorm.runtime import resume
from trilha.scorm.runtime.mapping import ItemSettings
from trilha.users import queries as users

# Quizzes have a preview of each question where they are made.
PREVIEWED_TYPES = ("SCORM", "VIDEO", "DOCUMENT", "ARTICLE")


class NewPreview(Struct, frozen=True):
    """`token` is shown once. `sha256` is the package's, None of what is none."""

    id: UUID
    token: str
    sha256: str | None


async def open_preview(tx: Tx, user_id: UUID, module_id: UUID, session_id: UUID | None = None) -> NewPreview:
    """Of a module that the person may change; it ends with the session.

    Raises NotFound, and Conflict (module_without_content).
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    fingerprint = tx.keyring.fingerprint(token)
    preview_id = await queries.insert_preview(tx, user_id, module_id, fingerprint, session_id)
    found = await queries.find_preview(tx, preview_id)
    if found is None or found.type not in PREVIEWED_TYPES:
        raise NotFound("module_not_found")
    await load_preview(tx, preview_id)
    return NewPreview(preview_id, token, found.sha256)


async def load_preview(tx: Tx, preview_id: UUID) -> LoadedLaunch:
    """As a learner's first launch. Raises NotFound, and Conflict (module_without_content)."""
    found = await queries.find_preview(tx, preview_id)
    if found is None:
        raise NotFound("module_not_found")
    names = ("title", "type", "duration_minutes", "required", "content")
    module = Module(id=found.module_id, **{name: getattr(found, name) for name in names})
    if module.type in ("VIDEO", "DOCUMENT") and not (module.content or {}).get("file_id"):
        raise Conflict("module_without_content")
    scorm = await _load_scorm(tx, found, module) if module.type == "SCORM" else None
    return LoadedLaunch(
        _build_launch(found),
        _build_attempt(found, scorm),
        preview_id,
        found.course_id,
        found.user_id,
        module,
        module.type,
        scorm,
    )


async def _load_scorm(tx: Tx, found: Preview, module: Module) -> LoadedScorm:
    manifest, item, package_id = await get_scorm_content(tx, module, None)
    learner = launch_rules.build_learner(await users.get(tx, found.user_id))
    opening = resume.opening(manifest.version, None, "resume", terminated=False)
    given = resume.launch_cmi(manifest.version, item, learner, opening, None, 0.0)
    return LoadedScorm(package_id, manifest, item, given, "")


def _build_launch(found: Preview) -> Launch:
    at = found.started_at
    return Launch(
        id=found.id,
        number=1,
        attempt_id=found.id,
        review=False,
        last_sequence=0,
        last_hash=b"",
        credited_seconds=0.0,
        started_at=at,
        beat_at=at,
        seen_at=at,
        superseded_by=None,
    )


def _build_attempt(found: Preview, scorm: LoadedScorm | None) -> Attempt:
    settings = {"file_id": found.content["file_id"]} if (found.content or {}).get("file_id") else {}
    return Attempt(
        id=found.id,
        enrollment_id=found.id,
        module_id=found.module_id,
        number=1,
        package_id=scorm.package_id if scorm else None,
        item=scorm.item.identifier if scorm else None,
        version=scorm.manifest.version if scorm else None,
        settings=msgspec.to_builtins(ItemSettings.of(scorm.item)) if scorm else settings,
        completion="unknown",
        success="unknown",
        score=None,
        progress=0.0,
        exit="",
        terminated=False,
        told="",
        newest_launch=0,
    )
