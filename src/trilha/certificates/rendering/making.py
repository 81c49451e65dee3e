"""One certificate's PDF: what it says, its pictures, its badge, its signature."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from trilha.certificates.rendering import queries
from trilha.certificates.rendering.contents import paper_of
from trilha.certificates.rendering.job import Made, Make
from trilha.certificates.rendering.press import NotRendered, Press
from trilha.certificates.rendering.schema import ClaimedCertificate, Company, Facts, SyllabusLine
from trilha.certificates.rendering.sheets import Sheet
from trilha.certificates.rules import shown_code
from trilha.certificates.templates import pictures
from trilha.certificates.templates.schema import Look
from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.secrets import Keyring, UnreadableSecret
from trilha.core.types import dec_hook


class Maker:
    """Makes certificates with this press. `address` is what the server is reached at."""

    def __init__(self, files: FileStore, press: Press, address: str) -> None:
        self._files = files
        self._press = press
        self._address = address

    async def prepare(self, tx: Tx) -> Make:
        """In a transaction of the tenant: what makes its certificates, as things are now."""
        company = await queries.get_company(tx)
        place = _Place(tx.tenant_id, tx.keyring, company)
        shown: dict[str, bytes] = {}

        async def make(certificate: ClaimedCertificate) -> Made:
            return await self._make(place, certificate, shown)

        return make

    async def _make(self, place: "_Place", certificate: ClaimedCertificate, shown: dict[str, bytes]) -> Made:
        look = msgspec.convert(certificate.paper, Look, dec_hook=dec_hook)
        logo = _logo(look, place.company)
        paper = paper_of(_facts(place, certificate, self._address), look, place.company, logo and f"/{logo}")
        await self._read_pictures(place, look, shown)
        made = await self._press.render(Sheet(paper), _of(look, logo, place.company, shown))
        return Made(made[0])

    async def _read_pictures(self, place: "_Place", look: Look, shown: dict[str, bytes]) -> None:
        for name in pictures.names(look):
            if name not in shown:
                shown[name] = await pictures.load(self._files, place.tenant_id, name)


class _Place(NamedTuple):
    tenant_id: UUID
    keyring: Keyring
    company: Company


def _logo(look: Look, company: Company) -> str | None:
    """The name of the picture."""
    if look.logo_from == "own":
        return look.logo
    return company.logo_name if look.logo_from == "company" else None


def _of(look: Look, logo: str | None, company: Company, shown: Mapping[str, bytes]) -> dict[str, bytes]:
    found = {name: shown[name] for name in pictures.names(look)}
    if logo is not None and logo == company.logo_name and company.logo is not None:
        found[logo] = company.logo
    return found


def _facts(place: _Place, certificate: ClaimedCertificate, address: str) -> Facts:
    return Facts(
        code=certificate.code,
        name=certificate.holder_name,
        cpf=_cpf(place, certificate),
        course=certificate.course_title,
        company=certificate.issued_by,
        locale=certificate.locale,
        workload_minutes=certificate.workload_minutes,
        score=certificate.score,
        started_at=datetime.fromisoformat(certificate.started_at),
        completed_at=datetime.fromisoformat(certificate.completed_at),
        issued_at=datetime.fromisoformat(certificate.issued_at),
        expires_at=datetime.fromisoformat(certificate.expires_at) if certificate.expires_at else None,
        regulation_kind=certificate.regulation_kind,
        syllabus=tuple(msgspec.convert(each, SyllabusLine) for each in certificate.syllabus),
        evidence_number=certificate.evidence_number,
        evidence_hash=certificate.evidence_hash,
        url=f"{address}/verify/{shown_code(certificate.code)}",
    )


def _cpf(place: _Place, certificate: ClaimedCertificate) -> str | None:
    """Clear, as it is only here. Raises NotRendered."""
    if certificate.holder_cpf is None:
        return None
    try:
        digits = place.keyring.open(
            certificate.holder_cpf, place.tenant_id, "users", certificate.user_id, "cpf"
        )
    except UnreadableSecret:
        raise NotRendered("the holder's CPF cannot be unsealed with the master key") from None
    return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"
