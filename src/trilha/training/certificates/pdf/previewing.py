"""Previews of certificate templates, with invented people and courses."""

from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.sandbox.limits import Limits
from trilha.kit.page import Locale
from trilha.training.certificates.pdf import queries
from trilha.training.certificates.pdf.contents import paper_of
from trilha.training.certificates.pdf.making import logo_of, pictures_of
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.pdf.schema import Facts, SyllabusLine
from trilha.training.certificates.pdf.sheets import Form, Sheet
from trilha.training.certificates.templates import pictures
from trilha.training.certificates.templates.schema import Look

_SAMPLES: dict[Locale, tuple[str, str, tuple[str, ...]]] = {
    "pt-BR": (
        "Maria Eduarda dos Santos Oliveira",
        "Direção defensiva e legislação de trânsito",
        ("Legislação de trânsito", "Direção defensiva", "Primeiros socorros", "Convívio no trânsito"),
    ),
    "en": (
        "Maria Eduarda dos Santos Oliveira",
        "Defensive driving and traffic law",
        ("Traffic law", "Defensive driving", "First aid", "Sharing the road"),
    ),
}


PREVIEW_LIMITS = Limits(seconds=0.8)


class Previews:
    """Renders previews in processes of their own, shared fairly among tenants, so that no preview waits for
    certificates.
    """

    def __init__(self, files: FileStore, press: Press, address: str) -> None:
        self._files = files
        self._press = press
        self._address = address

    async def render(
        self, tx: Tx, look: Look, locale: Locale | None = None, *, form: Form = "webp"
    ) -> list[bytes]:
        """Returns a WebP image of each page, or one PDF. `locale` None means the company's.

        Raises NotRendered, Died.
        """
        company = await queries.get_company(tx)
        facts = _facts(tx, locale or company.locale, company.name, self._address)
        logo = logo_of(look, company)
        found = await self._load_pictures(tx.tenant_id, look)
        paper = paper_of(facts, look, company, logo and f"/{logo}")
        sheet = Sheet(paper, form=form, pixels=56)
        return await self._press.render(sheet, pictures_of(look, logo, company, found), tx.tenant_id)

    async def _load_pictures(self, tenant_id: UUID, look: Look) -> dict[str, bytes]:
        return {name: await pictures.load(self._files, tenant_id, name) for name in pictures.names(look)}


def _facts(tx: Tx, locale: Locale, company: str, address: str) -> Facts:
    name, course, lines = _SAMPLES[locale]
    return Facts(
        code="0000000000000000",
        name=name,
        cpf="000.000.000-00",
        course=course,
        company=company,
        locale=locale,
        workload_minutes=45 * 60,
        score=96.4,
        started_at=tx.now - timedelta(days=20),
        completed_at=tx.now,
        issued_at=tx.now,
        expires_at=tx.now + timedelta(days=730),
        regulation_kind="traffic",
        syllabus=tuple(SyllabusLine(line, 60 * (number + 8)) for number, line in enumerate(lines)),
        evidence_number=1,
        evidence_hash=bytes(32),
        url=f"{address}/verify/0000-0000-0000-0000",
    )
