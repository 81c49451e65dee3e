"""trilha certificate …"""

from typing import Any
from uuid import UUID

import click
from msgspec import Struct

from trilha.cli import certificate_papers
from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import list_rows
from trilha.core.types import InvalidValue, Timestamp
from trilha.settings import Settings
from trilha.training.certificates import actions
from trilha.training.certificates.lists import CERTIFICATES
from trilha.training.certificates.rules import CertificateStatus
from trilha.training.certificates.schema import CertificatesQuery, Reason, StoredCertificate

_which = click.option("--id", "certificate_id", required=True, type=click.UUID, metavar="ID")


class CertificateRow(Struct, frozen=True):
    """`replaced_by` is the certificate that was issued instead."""

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


def _build_row(tx: Tx, certificate: StoredCertificate) -> CertificateRow:
    return CertificateRow(
        id=certificate.id,
        code=certificate.display_code,
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
    """Certificates: proof of completed courses."""


for each in (certificate_papers.template, certificate_papers.identity, certificate_papers.check):
    certificate.add_command(each)


@certificate.command("list")
@in_tenant
@as_json
def list_certificates(tenant: str, as_json: bool) -> None:
    """List a tenant's certificates, newest first."""

    async def work(_: Settings, tx: Tx) -> Any:
        return [_build_row(tx, each) for each in await list_rows(tx, CERTIFICATES, CertificatesQuery())]

    show(in_transaction(tenant, work), as_json)


@certificate.command()
@in_tenant
@_which
@click.option("--reason", required=True, help="Why; at most 500 characters.")
@as_json
def revoke(tenant: str, certificate_id: UUID, reason: str, as_json: bool) -> None:
    """Revoke a certificate, so that it no longer verifies. A revoked certificate stays as it is."""

    async def work(_: Settings, tx: Tx) -> Any:
        return _build_row(tx, await actions.revoke(tx, certificate_id, _reason(reason)))

    show(in_transaction(tenant, work), as_json)


def _reason(text: str) -> Reason:
    try:
        return Reason.parse(text)
    except InvalidValue as refused:
        raise invalid("reason", str(refused)) from None


@certificate.command()
@in_tenant
@_which
@as_json
def reissue(tenant: str, certificate_id: UUID, as_json: bool) -> None:
    """Issue a certificate again with its holder's current name; the old one is revoked.

    The new certificate is shown. If the certificate was replaced before, its replacement is shown.
    """

    async def work(_: Settings, tx: Tx) -> Any:
        return _build_row(tx, await actions.reissue(tx, certificate_id))

    show(in_transaction(tenant, work), as_json)
