"""The SQL of certificate templates."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import dec_hook
from trilha.training.certificates.templates.schema import Look, NewTemplate, Template

_WRITTEN_COLUMNS = tuple(NewTemplate.__struct_fields__)
_COLUMNS = ", ".join(_WRITTEN_COLUMNS)
_PAIRS = ", ".join(f"'{name}', {name}" for name in Look.__struct_fields__)

# The template of the course `c`: its own, else the tenant's default one, else none. The statement that issues
# certificates copies its content.
OF_COURSE = f"""
    LEFT JOIN LATERAL (
        SELECT id AS template_id, locale AS template_locale,
               jsonb_build_object({_PAIRS}) AS look
        FROM certificate_templates
        WHERE tenant_id = :tenant AND archived_at IS NULL AND (is_default OR id = c.certificate_template_id)
        ORDER BY is_default AND id IS DISTINCT FROM c.certificate_template_id LIMIT 1) AS template ON true
    """  # noqa: S608
_SELECT = f"""
    SELECT id, {_COLUMNS}, is_default, archived_at, created_at, updated_at,
           (SELECT count(*) FROM courses c
            WHERE c.tenant_id = :tenant AND c.certificate_template_id = t.id) AS courses
    FROM certificate_templates t WHERE tenant_id = :tenant"""  # noqa: S608


def _template(row: Any) -> Template:
    return msgspec.convert(dict(row), Template, dec_hook=dec_hook)


async def list_all(tx: Tx, *, archived: bool = False) -> list[Template]:
    """Lists the templates by name; a tenant has few."""
    kept = "" if archived else " AND archived_at IS NULL"
    return [_template(row) for row in await tx.rows(f"{_SELECT}{kept} ORDER BY name, id")]


async def find(tx: Tx, template_id: UUID) -> Template | None:
    rows = await tx.rows(f"{_SELECT} AND id = :id", id=template_id)
    return _template(rows[0]) if rows else None


async def get(tx: Tx, template_id: UUID) -> Template:
    """Raises NotFound."""
    if (template := await find(tx, template_id)) is None:
        raise NotFound("template_not_found")
    return template


async def insert(tx: Tx, new: NewTemplate) -> UUID | None:
    """Returns None if another template has the name."""
    id: UUID | None = await tx.value(
        f"""
        INSERT INTO certificate_templates (tenant_id, {_COLUMNS}, created_at, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in _WRITTEN_COLUMNS)}, :now, :now)
        ON CONFLICT (tenant_id, name) WHERE archived_at IS NULL DO NOTHING
        RETURNING id
        """,  # noqa: S608
        **msgspec.to_builtins(new, enc_hook=str),
    )
    return id


async def has_name(tx: Tx, name: str, other_than: UUID) -> bool:
    return bool(
        await tx.value(
            """
            SELECT true FROM certificate_templates
            WHERE tenant_id = :tenant AND name = :name AND id <> :id AND archived_at IS NULL
            """,
            name=name,
            id=other_than,
        )
    )


async def update(tx: Tx, template_id: UUID, values: Mapping[str, Any]) -> None:
    sets = "".join(f"{name} = :{name}, " for name in values)
    await tx.execute(
        f"""
        UPDATE certificate_templates SET {sets}updated_at = :now WHERE tenant_id = :tenant AND id = :id
        """,  # noqa: S608
        id=template_id,
        **values,
    )


async def clear_default(tx: Tx) -> None:
    await tx.execute(
        "UPDATE certificate_templates SET is_default = false WHERE tenant_id = :tenant AND is_default"
    )


async def find_of_course(tx: Tx, course_id: UUID) -> UUID | None:
    """Returns the course's template; None if it uses the default one."""
    id: UUID | None = await tx.value(
        """
        SELECT t.id FROM courses c
        JOIN certificate_templates t
          ON t.tenant_id = :tenant AND t.id = c.certificate_template_id AND t.archived_at IS NULL
        WHERE c.tenant_id = :tenant AND c.id = :course_id
        """,
        course_id=course_id,
    )
    return id


async def assign(tx: Tx, course_id: UUID, template_id: UUID | None) -> bool:
    """Returns False if the course does not exist."""
    return bool(
        await tx.execute(
            """
            UPDATE courses SET certificate_template_id = :template_id
            WHERE tenant_id = :tenant AND id = :course_id
            """,
            course_id=course_id,
            template_id=template_id,
        )
    )
