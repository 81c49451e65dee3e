"""The SQL of articles' stored HTML."""

from uuid import UUID

from trilha.core.database import Tx


async def find_html(tx: Tx, module_id: UUID, digest: bytes) -> str | None:
    """Returns None unless the HTML was made from this text by this version of the renderer."""
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
    """Replaces the stored HTML. Does nothing if the module was removed."""
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
