"""Changes to certificate templates, inside the caller's transaction. Issued certificates never change."""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

import trilha.training.certificates.templates.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.core.file_store import FileStore
from trilha.platform.audit import queries as audit
from trilha.training.certificates.templates import pictures, queries
from trilha.training.certificates.templates.schema import Look, NewTemplate, Picture, Template, TemplatePatch


async def create(tx: Tx, new: NewTemplate) -> Template:
    """Raises Invalid (template_name_exists)."""
    _check_logo(new.logo_from, new.logo)
    if (template_id := await queries.insert(tx, new)) is None:
        raise invalid("name", "template_name_exists")
    await audit.record(tx, "certificate_template.created", template_id, name=new.name)
    return await queries.get(tx, template_id)


async def update(tx: Tx, template_id: UUID, patch: TemplatePatch) -> Template:
    """Raises NotFound, Conflict (template_archived), Invalid (template_name_exists)."""
    template = await _get_used(tx, template_id)
    values: dict[str, Any] = {
        name: value
        for name, value in _plain(patch).items()
        if getattr(patch, name) is not UNSET and value != _plain(getattr(template, name))
    }
    _check_logo(values.get("logo_from", template.logo_from), values.get("logo", template.logo))
    if "name" in values and await queries.has_name(tx, values["name"], template_id):
        raise invalid("name", "template_name_exists")
    if values:
        await queries.update(tx, template_id, values)
        await audit.record(tx, "certificate_template.updated", template_id, members=sorted(values))
    return await queries.get(tx, template_id)


async def make_default(tx: Tx, template_id: UUID) -> Template:
    """Makes this the template of every course without one. Raises NotFound, Conflict (template_archived)."""
    if not (await _get_used(tx, template_id)).is_default:
        await queries.clear_default(tx)
        await queries.update(tx, template_id, {"is_default": True})
        await audit.record(tx, "certificate_template.made_default", template_id)
    return await queries.get(tx, template_id)


async def use_builtin(tx: Tx) -> None:
    """Removes the default template: courses without a template use the built-in one."""
    await queries.clear_default(tx)


async def archive(tx: Tx, template_id: UUID) -> Template:
    """Archives a template; its courses use the default one. Raises NotFound."""
    if (await queries.get(tx, template_id)).archived_at is None:
        await queries.update(tx, template_id, {"archived_at": tx.now, "is_default": False})
        await audit.record(tx, "certificate_template.archived", template_id)
    return await queries.get(tx, template_id)


async def assign(tx: Tx, course_id: UUID, template_id: UUID | None) -> None:
    """Sets a course's template; None for the default one. Raises NotFound, Conflict (template_archived)."""
    if template_id is not None:
        await _get_used(tx, template_id)
    if not await queries.assign(tx, course_id, template_id):
        raise NotFound("course_not_found")
    await audit.record(tx, "course.certificate_template_set", course_id, template_id=template_id)


async def keep_picture(files: FileStore, tx: Tx, picture: Picture) -> str:
    """Stores a picture for templates; returns the name by which they refer to it."""
    await pictures.store(files, tx.tenant_id, picture)
    return picture.name


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value, enc_hook=str)


async def _get_used(tx: Tx, template_id: UUID) -> Template:
    template = await queries.get(tx, template_id)
    if template.archived_at is not None:
        raise Conflict("template_archived")
    return template


def _check_logo(logo_from: str, logo: str | None) -> None:
    if logo_from == "own" and logo is None:
        raise invalid("logo", "picture_missing")


def look_of(template: Template | NewTemplate) -> Look:
    """Returns the template settings that a certificate issued now would keep."""
    return msgspec.convert(
        {name: getattr(template, name) for name in Look.__struct_fields__}, Look, from_attributes=True
    )
