"""/verify, by code or by the bytes of a file, and /verify/{code}."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import replace

from trilha.core.database import Database
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, Routes
from trilha.kit import N_, Form, lead, render
from trilha.training.certificates import rules, unscoped
from trilha.training.certificates.links import BADGE, Links
from trilha.training.certificates.schema import CertificateMatch
from trilha.web.login.welcome import Welcome
from trilha.web.verify.verdicts import VERDICTS, Kind

routes = Routes("Verification", "Whether a certificate is valid.")
_NO_TENANT = UUID(int=0)
_UNREADABLE = N_("Enter the code's 16 letters and numbers, such as XXXX-XXXX-XXXX-XXXX.")


class VerificationRequest(Struct, frozen=True, kw_only=True):
    """A code as somebody typed it, or the SHA-256 of a file in hexadecimal digits.

    `tenant` is the slug of the company whose colors the form has.
    """

    tenant: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""
    code: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""
    file: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None


@routes.get("", access=PUBLIC)
async def show_verification(
    request: Request, database: Database, welcome: Welcome, links: Links, query: VerificationRequest
) -> Answer:
    """Ask for a code or a file. The browser reads the file and sends only its digest."""
    if query.file:
        match = await unscoped.find_by_file(database, bytes.fromhex(query.file))
        return await _render_result(request, welcome, links, match, database.clock(), by_file=True)
    if code := rules.parse_code(query.code):
        return lead(request, f"/verify/{rules.format_code(code)}")
    form = Form({"code": query.code}, {"code": _UNREADABLE} if query.code.strip() else {})
    page = replace(await welcome.page(request, query.tenant), home="/")
    return render("verify/form.html", page, status=422 if form.has_problems else 200, form=form)


@routes.get("/{code}", access=PUBLIC)
async def show_certificate(
    request: Request, database: Database, welcome: Welcome, links: Links, code: str, query: AnyQuery
) -> Html:
    """Show whether a certificate is valid.

    Unknown query parameters are ignored, because some sites add them to links.
    """
    match = await unscoped.find_by_code(database, rules.parse_code(code))
    return await _render_result(request, welcome, links, match, database.clock(), by_file=False)


async def _render_result(
    request: Request,
    welcome: Welcome,
    links: Links,
    match: CertificateMatch | None,
    now: datetime,
    *,
    by_file: bool,
) -> Html:
    """Runs the same statements whether the certificate exists or not, so that timing tells nothing."""
    page, _ = await welcome.page_of_tenant(request, match.tenant_id if match else _NO_TENANT)
    page = replace(page, home="/verify", tenant_name=match.issued_by if match else page.tenant_name)
    kind = _kind(match, Timestamp.of(now), by_file)
    return render(
        "verify/certificate.html",
        page,
        certificate=match,
        verdict=VERDICTS[kind],
        day_of_it=_day(match, kind),
        by_file=by_file,
        badge=_badge(links, match, now) if kind == "valid" else "",
        now=now,
        format_code=rules.format_code,
    )


def _badge(links: Links, match: CertificateMatch | None, now: datetime) -> str:
    """Returns a temporary link to the badge, or an empty string."""
    if match is None or match.file_key is None or match.erased_at is not None:
        return ""
    return links.file(match.tenant_id, match.id, BADGE, now)


def _kind(match: CertificateMatch | None, now: Timestamp, by_file: bool) -> Kind:
    if match is None:
        return "unknown_file" if by_file else "unknown"
    if match.replaced_by is not None:
        return "replaced"
    kinds: dict[str, Kind] = {"VALID": "valid", "EXPIRED": "expired", "REVOKED": "revoked"}
    return kinds[match.status(now)]


def _day(match: CertificateMatch | None, kind: Kind) -> Timestamp | None:
    """Returns the day on which the certificate expired, was revoked or was replaced."""
    if match is None or kind == "valid":
        return None
    return match.expires_at if kind == "expired" else match.revoked_at
