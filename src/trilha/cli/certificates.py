"""trilha certificate …"""

from typing import Any
from uuid import UUID

import click
from msgspec import Struct

from trilha.certificates import actions
from trilha.certificates.lists import CERTIFICATES
from trilha.certificates.rules import CertificateStatus
from trilha.certificates.schema import CertificatesQuery, Reason, StoredCertificate
from trilha.cli import certificate_papers
from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import list_rows
from trilha.core.types import Refused, Timestamp
from trilha.settings import Settings

_which = click.option("--id", "certificate_id", required=True, type=click.UUID, metavar="ID")


class ShownCertificate(Struct, frozen=True):
    """`replaced_by` is the certificate that was issued in its place."""

    id: UUID
    code: str
    status: CertificateStatus
    holder_name: str | None
    course_title: str
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    revocation_reason: str | None
    replaced_by: UUID | None
    pdf: bool


def _shown(tx: Tx, certificate: StoredCertificate) -> ShownCertificate:
    return ShownCertificate(
        id=certificate.id,
        code=certificate.shown_code,
        status=certificate.status(Timestamp.of(tx.now)),
        holder_name=certificate.holder_name,
        course_title=certificate.course_title,
        issued_at=certificate.issued_at,
        expires_at=certificate.expires_at,
        revoked_at=certificate.revoked_at,
        revocation_reason=certificate.revocation_reason,
        replaced_by=certificate.replaced_by,
        pdf=certificate.has_file,
    )


@click.group()
def certificate() -> None:
    """Certificates: proof of what was completed."""


for each in (certificate_papers.template, certificate_papers.identity, certificate_papers.check):
    certificate.add_command(each)


@certificate.command("list")
@in_tenant
@as_json
def list_certificates(tenant: str, as_json: bool) -> None:
    """List a tenant's certificates, newest first."""

    async def work(_: Settings, tx: Tx) -> Any:
        return [_shown(tx, each) for each in await list_rows(tx, CERTIFICATES, CertificatesQuery())]

    show(in_transaction(tenant, work), as_json)


@certificate.command()
@in_tenant
@_which
@click.option("--reason", required=True, help="Why; at most 500 characters.")
@as_json
def revoke(tenant: str, certificate_id: UUID, reason: str, as_json: bool) -> None:
    """Revoke a certificate: it verifies no more. One that is revoked already stays as it is."""

    async def work(_: Settings, tx: Tx) -> Any:
        return _shown(tx, await actions.revoke(tx, certificate_id, _reason(reason)))

    show(in_transaction(tenant, work), as_json)


def _reason(text: str) -> Reason:
    try:
        return Reason.parse(text)
    except Refused as refused:
        raise invalid("reason", str(refused)) from None


@certificate.command()
@in_tenant
@_which
@as_json
def reissue(tenant: str, certificate_id: UUID, as_json: bool) -> None:
    """Issue a certificate anew, in the name that its holder has now; the old one is revoked.

    The new one is shown. Of one that was replaced already, that is the one in its place.
    """

    async def work(_: Settings, tx: Tx) -> Any:
        return _shown(tx, await actions.reissue(tx, certificate_id))

    show(in_transaction(tenant, work), as_json)
