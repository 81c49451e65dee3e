"""/verify, by code or by the bytes of a file, and /verify/{code}."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import replace

from trilha.certificates import rules, unscoped
from trilha.certificates.links import BADGE, Links
from trilha.certificates.schema import FoundCertificate
from trilha.core.database import Database
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, Routes
from trilha.login.welcome import Welcome
from trilha.pages import N_, Form, lead, render
from trilha.verify.words import VERDICTS, Kind

routes = Routes("Verification", "Whether a certificate is good.")
_NO_TENANT = UUID(int=0)
_UNREADABLE = N_("A code has 16 letters and digits, as XXXX-XXXX-XXXX-XXXX.")


class Asked(Struct, frozen=True, kw_only=True):
    """A code as somebody typed it, or the SHA-256 of a file in hexadecimal digits.

    `tenant` is the slug of the company in whose colours the form is shown.
    """

    tenant: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""
    code: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""
    file: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None


@routes.get("", access=PUBLIC)
async def show_verification(
    request: Request, database: Database, welcome: Welcome, links: Links, query: Asked
) -> Answer:
    """Ask for a code, or for a file: which is read in the browser and never sent."""
    if query.file:
        found = await unscoped.find_by_file(database, bytes.fromhex(query.file))
        return await _told(request, welcome, links, found, database.clock(), by_file=True)
    if code := rules.read_code(query.code):
        return lead(request, f"/verify/{rules.shown_code(code)}")
    form = Form({"code": query.code}, {"code": _UNREADABLE} if query.code.strip() else {})
    page = replace(await welcome.page(request, query.tenant), home="/")
    return render("verify/form.html", page, status=422 if form.failed else 200, form=form)


@routes.get("/{code}", access=PUBLIC)
async def show_certificate(
    request: Request, database: Database, welcome: Welcome, links: Links, code: str, query: AnyQuery
) -> Html:
    """Tell what a certificate is worth, to whoever has its code. What others add to a link is passed over."""
    found = await unscoped.find_by_code(database, rules.read_code(code))
    return await _told(request, welcome, links, found, database.clock(), by_file=False)


async def _told(
    request: Request,
    welcome: Welcome,
    links: Links,
    found: FoundCertificate | None,
    now: datetime,
    *,
    by_file: bool,
) -> Html:
    """The same statements are run whether there is one or not."""
    page, _ = await welcome.page_of_tenant(request, found.tenant_id if found else _NO_TENANT)
    page = replace(page, home="/verify", tenant_name=found.issued_by if found else page.tenant_name)
    kind = _kind(found, Timestamp.of(now), by_file)
    return render(
        "verify/certificate.html",
        page,
        certificate=found,
        verdict=VERDICTS[kind],
        day_of_it=_day(found, kind),
        by_file=by_file,
        badge=_badge(links, found, now) if kind == "valid" else "",
        now=now,
        shown_code=rules.shown_code,
    )


def _badge(links: Links, found: FoundCertificate | None, now: datetime) -> str:
    """A link that is good for a while; empty where there is none."""
    if found is None or found.file_key is None or found.erased_at is not None:
        return ""
    return links.file(found.tenant_id, found.id, BADGE, now)


def _kind(found: FoundCertificate | None, now: Timestamp, by_file: bool) -> Kind:
    if found is None:
        return "unknown_file" if by_file else "unknown"
    if found.replaced_by is not None:
        return "replaced"
    kinds: dict[str, Kind] = {"VALID": "valid", "EXPIRED": "expired", "REVOKED": "revoked"}
    return kinds[found.status(now)]


def _day(found: FoundCertificate | None, kind: Kind) -> Timestamp | None:
    """When that came about."""
    if found is None or kind == "valid":
        return None
    return found.expires_at if kind == "expired" else found.revoked_at
