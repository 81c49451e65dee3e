"""/v1/certificates, and who verifies one."""

from uuid import UUID

from trilha.certificates import queries, rules, unscoped, verifying
from trilha.certificates.links import Links
from trilha.certificates.lists import CERTIFICATES, OF_USER, of_user
from trilha.certificates.schema import (
    Certificate,
    CertificatesQuery,
    StoredCertificate,
    Verification,
)
from trilha.core.credentials import Scope
from trilha.core.database import Database, Tx
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.callers import PUBLIC
from trilha.core.web.pagination import ItemQuery, Page, SyncQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.users import queries as users

routes = Routes("Certificates", "Proof of what was completed.")
_OPEN = {"access-control-allow-origin": "*", "cache-control": "no-store"}


@routes.get("/certificates", scope=Scope.CERTIFICATES_READ)
async def list_certificates(tx: Tx, links: Links, query: CertificatesQuery) -> Page[Certificate]:
    """List certificates, newest first."""
    return _shown(tx, links, await fetch_page(tx, CERTIFICATES, query))


@routes.get("/certificates/{certificate_id}", scope=Scope.CERTIFICATES_READ, errors=["certificate_not_found"])
async def get_certificate(
    tx: Tx, links: Links, certificate_id: UUID, query: ItemQuery
) -> Envelope[Certificate]:
    """Get one certificate."""
    return Envelope(links.shown(tx.tenant_id, await queries.get(tx, certificate_id), tx.now))


@routes.get("/users/{user_id}/certificates", scope=Scope.CERTIFICATES_READ, errors=["user_not_found"])
async def list_user_certificates(tx: Tx, links: Links, user_id: UUID, query: SyncQuery) -> Page[Certificate]:
    """List one user's certificates, newest first."""
    await users.get(tx, user_id)
    return _shown(tx, links, await fetch_page(tx, OF_USER, of_user(user_id, query)))


@routes.get("/certificates/verify/{code}", access=PUBLIC, headers=_OPEN)
async def verify_certificate(database: Database, code: str, query: ItemQuery) -> Envelope[Verification]:
    """Tell whether a certificate is good, by the code that it shows.

    Anybody may ask. Case, blanks and hyphens do not matter. Every code is answered with 200.
    """
    found = await unscoped.find_by_code(database, rules.read_code(code))
    return Envelope(verifying.verification_of(found, Timestamp.of(database.clock())))


def _shown(tx: Tx, links: Links, page: Page[StoredCertificate]) -> Page[Certificate]:
    shown = [links.shown(tx.tenant_id, each, tx.now) for each in page.data]
    return Page(shown, page.next_cursor, page.has_more, page.limit)
