"""How a certificate is found by whoever verifies it, who belongs to no tenant."""

from trilha.certificates.schema import FoundCertificate
from trilha.core.database import Database, columns_of

_SELECT = f"SELECT {columns_of(FoundCertificate)} FROM certificates WHERE"  # noqa: S608
# What no code is: looked up for a text that cannot be one, so that it takes as long as any other.
_NONE = ""


async def find_by_code(database: Database, code: str | None) -> FoundCertificate | None:
    """One statement, whether the code exists or not. `code` is as `rules.read_code` makes it."""
    async with database.unscoped() as unscoped:
        return await unscoped.find(FoundCertificate, f"{_SELECT} code = :code", code=code or _NONE)


async def find_by_file(database: Database, sha256: bytes) -> FoundCertificate | None:
    """By the bytes of the PDF."""
    async with database.unscoped() as unscoped:
        return await unscoped.find(FoundCertificate, f"{_SELECT} file_sha256 = :sha256", sha256=sha256)
