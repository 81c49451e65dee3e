"""Finds certificates for anybody who verifies one, before the tenant is known."""

from trilha.core.database import Database, columns_of
from trilha.training.certificates.schema import CertificateMatch

_SELECT = f"SELECT {columns_of(CertificateMatch)} FROM certificates WHERE"  # noqa: S608
# An impossible code: it is looked up for a text that cannot be a code, so that this takes as long as any
# other.
_NONE = ""


async def find_by_code(database: Database, code: str | None) -> CertificateMatch | None:
    """Runs one statement, whether or not the code exists. `code` comes from `rules.parse_code`."""
    async with database.unscoped() as unscoped:
        return await unscoped.find(CertificateMatch, f"{_SELECT} code = :code", code=code or _NONE)


async def find_by_file(database: Database, sha256: bytes) -> CertificateMatch | None:
    """Finds a certificate by the bytes of its PDF, in either form."""
    async with database.unscoped() as unscoped:
        found = await unscoped.find(CertificateMatch, f"{_SELECT} file_sha256 = :sha256", sha256=sha256)
        if found is not None:
            return found
        return await unscoped.find(
            CertificateMatch,
            f"""
            {_SELECT} (tenant_id, id) IN (
                SELECT tenant_id, certificate_id FROM certificate_papers WHERE file_sha256 = :sha256)
            """,  # noqa: S608
            sha256=sha256,
        )
