"""/admin/certificates: the list, and one of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.audit import queries as audit
from trilha.audit.schema import AuditQuery, AuditRecord
from trilha.certificates import details, queries
from trilha.certificates.links import Links
from trilha.certificates.lists import LISTED, ORDERED
from trilha.certificates.schema import CertificateSearch
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import page_in_time
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.routes import Routes
from trilha.pages import N_, State, formats
from trilha.panel import choices, lists
from trilha.panel.certificates import words
from trilha.panel.choices import Choices
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import selection

routes = Routes("Certificates", "What was issued, and what it is worth.")
ADDRESS = f"{HOME}/certificates"
READ = may(Permission.CERTIFICATES_READ)


class Happened(Struct, frozen=True):
    """An audit record in words. `by` is who, and from where."""

    state: State
    icon: str
    title: str
    at: Timestamp
    by: str


@routes.get("/certificates", access=READ)
async def list_certificates(tx: Tx, view: PanelView, query: CertificateSearch) -> Html:
    """The certificates of the people within reach."""
    page = await page_in_time(tx, LISTED, query, reach_of(view))
    courses = await choices.courses(tx, view, query.course)
    by_issue = {each: lists.address(ADDRESS, query, sort=each) for each in ("issued", "-issued")}
    return view.show(
        lists.part(view, "panel/certificates", query.cursor),
        certificates=page.data,
        now=Timestamp.of(tx.now),
        query=query,
        filters=words.FILTERS,
        courses=courses,
        sorts={} if query.status in ORDERED else by_issue,
        active=lists.chips(ADDRESS, query, await _chosen(tx, view, query, courses)),
        following=lists.following(ADDRESS, query, page.next_cursor),
        archive=lists.address(f"{ADDRESS}.zip", query),
    )


async def _chosen(tx: Tx, view: PanelView, query: CertificateSearch, courses: Choices) -> dict[str, str]:
    """The filters in use, in words."""
    other = view.say(N_("Another one"))
    chosen = {"q": query.q or "", "course": courses.words(query.course) or other}
    chosen["status"] = view.say(words.FILTERS[query.status]) if query.status else ""
    chosen["enrollment"] = view.say(N_("One enrollment"))
    if query.user:
        found = await selection.find_by_ids(tx, [query.user], reach_of(view))
        chosen["user"] = found[0].name if found else other
    for name, message in (("since", N_("Issued from %(day)s")), ("until", N_("Issued until %(day)s"))):
        if (day := getattr(query, name)) is not None:
            chosen[name] = view.say(message, day=formats.day_text(view.page, day.as_date()))
    return chosen


@routes.get("/certificates/{certificate_id}", access=READ)
async def show_certificate(tx: Tx, view: PanelView, links: Links, certificate_id: UUID) -> Html:
    """What it says, what it is worth, its file and what was done to it."""
    listed = await queries.get_listed(tx, certificate_id, reach_of(view))
    certificate = await queries.get(tx, certificate_id)
    return view.show(
        "panel/certificates/certificate.html",
        listed=listed,
        certificate=certificate,
        details=await details.get(tx, certificate_id),
        kinds=words.KINDS,
        now=Timestamp.of(tx.now),
        public=links.verification(certificate.code),
        history=[_told(view, each) for each in await _records(tx, view, certificate_id)],
    )


async def _records(tx: Tx, view: PanelView, certificate_id: UUID) -> Sequence[AuditRecord]:
    if not view.may(Permission.AUDIT_READ):
        return ()
    return (await audit.list_page(tx, AuditQuery(target_id=certificate_id, limit=50))).data


def _told(view: PanelView, record: AuditRecord) -> Happened:
    state, icon, title = words.RECORDS.get(record.action, ("info", "circle-dot", record.action))
    by = record.actor_name or view.say(words.ACTORS.get(record.actor_kind, N_("Trilha")))
    by = f"{by} · {record.source}" if record.source else by
    return Happened(state, icon, view.say(title), record.created_at, by)


@routes.get("/certificates/{certificate_id}/pdf", access=READ)
async def download_pdf(tx: Tx, view: PanelView, links: Links, certificate_id: UUID) -> Answer:
    """On to the file, by a link that is good for a while."""
    await queries.get_listed(tx, certificate_id, reach_of(view))
    link: Any = links.pdf(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)
