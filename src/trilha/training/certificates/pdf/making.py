"""Makes one certificate's PDF with its pictures, badge and signature."""

import asyncio
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.secrets import Keyring, UnreadableSecret
from trilha.core.types import dec_hook
from trilha.training.certificates.badges import keys
from trilha.training.certificates.badges.credentials import Achievement, Place, credential
from trilha.training.certificates.badges.keys import SigningKey
from trilha.training.certificates.pdf import queries
from trilha.training.certificates.pdf.contents import HOLDER_PICTURE, paper_of
from trilha.training.certificates.pdf.jobs import Make, RenderedFiles
from trilha.training.certificates.pdf.paper import Paper
from trilha.training.certificates.pdf.press import NotRendered, Press
from trilha.training.certificates.pdf.schema import ClaimedCertificate, Company, Facts, SyllabusLine, Training
from trilha.training.certificates.pdf.sheets import Form, Sheet
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.signatures import actions as identities
from trilha.training.certificates.signatures.schema import OpenedIdentity
from trilha.training.certificates.signatures.signer import NotSigned, Signer
from trilha.training.certificates.signatures.timestamps import NotTimestamped, Timestamps
from trilha.training.certificates.templates import pictures
from trilha.training.certificates.templates.schema import Look
from trilha.training.signatures import drawings

_FLAT = "flat-"


class Maker:
    """Makes certificates with this press and signer. `address` is the server's public address."""

    def __init__(
        self,
        files: FileStore,
        press: Press,
        signer: Signer,
        address: str,
        timestamps: Timestamps | None = None,
    ) -> None:
        self._files = files
        self._press = press
        self._signer = signer
        self._address = address
        self._timestamps = timestamps

    async def prepare(self, tx: Tx, form: Form = "pdf") -> Make:
        """Reads, in a transaction of the tenant, the company's current settings for its certificates."""
        company = await queries.get_company(tx)
        place = _Place(tx.tenant_id, tx.now, tx.keyring, company, Place(self._address, company.slug), form)
        try:
            place = place._replace(key=await keys.signing(tx), identity=await identities.open_archive(tx))
        except UnreadableSecret:
            place = place._replace(problem="the company's keys cannot be unsealed with the master key")
        pictures_by_key: dict[str, bytes] = {}

        async def make(certificate: ClaimedCertificate) -> RenderedFiles:
            return await self._make(place, certificate, pictures_by_key)

        return make

    async def _make(
        self, place: "_Place", certificate: ClaimedCertificate, pictures_by_key: dict[str, bytes]
    ) -> RenderedFiles:
        if place.problem or place.key is None:
            raise NotRendered(place.problem or "there is no key for badges")
        look = msgspec.convert(certificate.paper, Look, dec_hook=dec_hook)
        logo = logo_of(look, place.company)
        facts = _facts(place, certificate, self._address)
        paper = paper_of(facts, look, place.company, logo and f"/{logo}")
        await self._read_pictures(place, look, pictures_by_key)
        shown = pictures_of(look, logo, place.company, pictures_by_key)
        if (signature := facts.training.signature) and signature.strokes:
            shown[HOLDER_PICTURE] = await asyncio.to_thread(draw_signature, signature.strokes)
        badge = None
        if place.form == "pdf":
            badge = credential(place.badges, place.key, _build_achievement(certificate, facts, paper))
        else:
            shown = await asyncio.to_thread(flatten_all, shown)
            paper = with_flat_pictures(paper)
        made = await self._press.render(Sheet(paper, badge or "", place.form), shown, place.tenant_id)
        signer = place.identity.subject if place.identity else None
        return RenderedFiles(await self._sign(place, made[0]), badge, signer)

    async def _sign(self, place: "_Place", pdf: bytes) -> bytes:
        """Signs with the company's key if it has one. Raises NotRendered."""
        if place.identity is None:
            return pdf
        if datetime.fromisoformat(place.identity.not_after) <= place.now:
            raise NotRendered("the certificate that the company signs with has expired")
        try:
            url = self._timestamps and (place.identity.timestamp_url or self._timestamps.url)
            has_room = bool(url)
            signed = await self._signer.sign(pdf, place.identity.archive, place.tenant_id, has_room=has_room)
            if self._timestamps and url:
                return await self._timestamps.add(place.tenant_id, signed, url)
            return signed
        except (NotSigned, NotTimestamped) as error:
            raise NotRendered(str(error)) from None

    async def _read_pictures(self, place: "_Place", look: Look, pictures_by_key: dict[str, bytes]) -> None:
        for name in pictures.names(look):
            if name not in pictures_by_key:
                try:
                    pictures_by_key[name] = await pictures.load(self._files, place.tenant_id, name)
                except FileNotFoundError:
                    raise NotRendered("a picture of the template is not in the file store") from None

    async def close(self) -> None:
        await self._press.close()
        await self._signer.close()


class _Place(NamedTuple):
    tenant_id: UUID
    now: datetime
    keyring: Keyring
    company: Company
    badges: Place
    form: Form = "pdf"
    key: SigningKey | None = None
    identity: OpenedIdentity | None = None
    problem: str | None = None


def flatten_all(pictures_by_name: Mapping[str, bytes]) -> dict[str, bytes]:
    """Puts pictures on white, under other names, because PDF/A-1 allows no transparency. Blocks."""
    from PIL import Image

    flat = {}
    for name, content in pictures_by_name.items():
        written = io.BytesIO()
        with Image.open(io.BytesIO(content), formats=("PNG",)) as image:
            opaque = Image.new("RGB", image.size, "white")
            rgba = image.convert("RGBA")
            opaque.paste(rgba, mask=rgba)
            opaque.save(written, "PNG")
        flat[_FLAT + name] = written.getvalue()
    return flat


def with_flat_pictures(paper: Paper) -> Paper:
    """Returns the paper with the names of its pictures on white."""

    def rename(path: str | None) -> str | None:
        return f"/{_FLAT}{path[1:]}" if path else None

    signatories, signing = (
        [structs.replace(each, picture=rename(each.picture)) for each in signing]
        for signing in (paper.signatories, paper.signing)
    )
    return structs.replace(paper, logo=rename(paper.logo), signatories=signatories, signing=signing)


def draw_signature(strokes: Sequence[Sequence[int]]) -> bytes:
    """Returns a drawing of a signature as PNG on white, in twice its own resolution. Blocks."""
    from PIL import Image, ImageDraw

    scale = 2
    written = io.BytesIO()
    with Image.new("RGB", (drawings.WIDTH * scale, drawings.HEIGHT * scale), "white") as image:
        pen = ImageDraw.Draw(image)
        for stroke in strokes:
            points = [(x * scale, y * scale) for x, y in zip(stroke[::2], stroke[1::2], strict=True)]
            # A stroke of one point is a dot.
            pen.line(points if len(points) > 1 else points * 2, fill="#1d2327", width=6, joint="curve")
        image.save(written, "PNG")
    return written.getvalue()


def _build_achievement(certificate: ClaimedCertificate, facts: Facts, paper: Paper) -> Achievement:
    return Achievement(
        id=certificate.id,
        code=paper.code,
        name=paper.name,
        course_id=certificate.course_id,
        course=paper.course,
        company=paper.company,
        language=facts.locale,
        issued_at=facts.issued_at,
        expires_at=facts.expires_at,
        criteria=_criteria(paper),
        evidence_hash=facts.evidence_hash,
        url=facts.url,
        badge_index=certificate.badge_index,
    )


def _criteria(paper: Paper) -> str:
    """Describes the completion by the figures on the certificate."""
    pictures_by_key = [f"{name}: {value}" for name, value in paper.facts]
    return "; ".join(each for each in (*pictures_by_key, paper.regulation) if each)


def logo_of(look: Look, company: Company) -> str | None:
    """Returns the name of the logo's picture."""
    if look.logo_from == "own":
        return look.logo
    return company.logo_name if look.logo_from == "company" else None


def pictures_of(
    look: Look, logo: str | None, company: Company, pictures_by_key: Mapping[str, bytes]
) -> dict[str, bytes]:
    found = {name: pictures_by_key[name] for name in pictures.names(look)}
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
        url=f"{address}/verify/{format_code(certificate.code)}",
        training=msgspec.convert(certificate.training, Training),
        project_version=certificate.project_version,
    )


def _cpf(place: _Place, certificate: ClaimedCertificate) -> str | None:
    """Returns the CPF unmasked; this is the only place that prints it so. Raises NotRendered."""
    if certificate.holder_cpf is None:
        return None
    try:
        digits = place.keyring.open(
            certificate.holder_cpf, place.tenant_id, "users", certificate.user_id, "cpf"
        )
    except UnreadableSecret:
        raise NotRendered("the holder's CPF cannot be unsealed with the master key") from None
    return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"
