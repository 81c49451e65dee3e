"""Links to exports, valid for 15 minutes for anybody who has them."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core import signed_links
from trilha.core.secrets import Keyring
from trilha.core.signed_links import LinkQuery
from trilha.training.reports.exports.schema import Export, StoredExport

PATH = "/exports"
_PURPOSE = b"export-link"


class ExportLinks(Struct, frozen=True):
    """Builds and checks links. `address` is the server's public address, without a trailing slash."""

    address: str
    keyring: Keyring

    def file(self, tenant_id: UUID, export: StoredExport, now: datetime) -> str | None:
        """Returns None until the file exists."""
        if export.file_key is None:
            return None
        query = signed_links.build_signed_query(self.keyring, _PURPOSE, (tenant_id, export.id), now)
        return f"{self.address}{PATH}/{tenant_id}/{export.id}/{export.name}.{export.type}?{query}"

    def build_export(self, tenant_id: UUID, export: StoredExport, now: datetime) -> Export:
        """Builds an export as the API returns it."""
        return Export(
            id=export.id,
            status=export.status,
            rows=export.rows,
            url=self.file(tenant_id, export, now),
            expires_at=export.expires_at,
        )

    def check(self, tenant_id: UUID, export_id: UUID, query: LinkQuery, now: datetime) -> None:
        """Raises Forbidden (link_invalid, link_expired)."""
        signed_links.check(self.keyring, _PURPOSE, (tenant_id, export_id), query, now)
