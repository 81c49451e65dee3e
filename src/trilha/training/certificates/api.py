"""/v1/certificates, and the verification of certificates."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Database, Tx
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.callers import PUBLIC
from trilha.core.web.pagination import ItemQuery, Page, SyncQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.people.users import queries as users
from trilha.training.certificates import queries, rules, unscoped, verifying
from trilha.training.certificates.links import Links
from trilha.training.certificates.lists import CERTIFICATES, OF_USER, of_user
from trilha.training.certificates.schema import (
    Certificate,
    CertificatesQuery,
    StoredCertificate,
    Verification,
)

routes = Routes("Certificates", "Proof of what was completed.")
_OPEN = {"access-control-allow-origin": "*", "cache-control": "no-store"}


@routes.get("/certificates", scope=Scope.CERTIFICATES_READ)
async def list_certificates(tx: Tx, links: Links, query: CertificatesQuery) -> Page[Certificate]:
    """List certificates, newest first."""
    return _build_page(tx, links, await fetch_page(tx, CERTIFICATES, query))


@routes.get("/certificates/{certificate_id}", scope=Scope.CERTIFICATES_READ, errors=["certificate_not_found"])
async def get_certificate(
    tx: Tx, links: Links, certificate_id: UUID, query: ItemQuery
) -> Envelope[Certificate]:
    """Get one certificate."""
    return Envelope(links.build_certificate(tx.tenant_id, await queries.get(tx, certificate_id), tx.now))


@routes.get("/users/{user_id}/certificates", scope=Scope.CERTIFICATES_READ, errors=["user_not_found"])
async def list_user_certificates(tx: Tx, links: Links, user_id: UUID, query: SyncQuery) -> Page[Certificate]:
    """List one user's certificates, newest first."""
    await users.get(tx, user_id)
    return _build_page(tx, links, await fetch_page(tx, OF_USER, of_user(user_id, query)))


@routes.get("/certificates/verify/{code}", access=PUBLIC, headers=_OPEN)
async def verify_certificate(database: Database, code: str, query: ItemQuery) -> Envelope[Verification]:
    """Verify a certificate by its verification code. No authentication is required.

    The code is not case-sensitive, and spaces and hyphens are ignored. The response is 200 for every code.
    """
    found = await unscoped.find_by_code(database, rules.parse_code(code))
    return Envelope(verifying.verification_of(found, Timestamp.of(database.clock())))


def _build_page(tx: Tx, links: Links, page: Page[StoredCertificate]) -> Page[Certificate]:
    shown = [links.build_certificate(tx.tenant_id, each, tx.now) for each in page.data]
    return Page(shown, page.next_cursor, page.has_more, page.limit)
