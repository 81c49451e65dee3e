"""The SQL of the HTML that is kept of articles."""

from uuid import UUID

from trilha.core.database import Tx


async def find_html(tx: Tx, module_id: UUID, digest: bytes) -> str | None:
    """None unless it was made of this text, by this version of the renderer."""
    html: str | None = await tx.value(
        """
        SELECT html FROM rendered_articles
        WHERE tenant_id = :tenant AND module_id = :module_id AND digest = :digest
        """,
        module_id=module_id,
        digest=digest,
    )
    return html


async def put_html(tx: Tx, module_id: UUID, digest: bytes, html: str) -> None:
    """In the place of what was kept before. Nothing where the module is gone."""
    await tx.execute(
        """
        INSERT INTO rendered_articles (tenant_id, module_id, digest, html)
        SELECT :tenant, id, :digest, :html FROM all_modules WHERE tenant_id = :tenant AND id = :module_id
        ON CONFLICT (tenant_id, module_id) DO UPDATE SET digest = excluded.digest, html = excluded.html
        RETURNING module_id
        """,
        module_id=module_id,
        digest=digest,
        html=str(html),
    )
