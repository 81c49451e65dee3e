"""/admin/certificates: the list, and one of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.audit import queries as audit
from trilha.audit.schema import AuditQuery
from trilha.certificates import details, queries
from trilha.certificates.links import Links
from trilha.certificates.lists import LISTED, ORDERED
from trilha.certificates.schema import CertificateSearch
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.routes import Routes
from trilha.pages import N_, NN_
from trilha.panel import choices, lists
from trilha.panel.certificates import words
from trilha.panel.courses.forms import KINDS
from trilha.panel.lists import Bulk, Choice, Column, Day, Download, Empty, Table
from trilha.panel.people.found import name_person
from trilha.panel.people.history import Happened, describe
from trilha.panel.reach import reach_of
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Certificates", "What was issued, and what it is worth.")
ADDRESS = f"{HOME}/certificates"
READ = may(Permission.CERTIFICATES_READ)


CERTIFICATES_TABLE = Table(
    listing=LISTED,
    path=ADDRESS,
    title=N_("Certificates"),
    search=N_("Search by person, course or code"),
    row="panel/certificates/_row.html",
    columns=[
        N_("Holder"),
        N_("Course"),
        N_("Status"),
        Column(N_("Issued on"), sort="-issued"),
        N_("Validity"),
        N_("Code"),
        Column(N_("PDF"), quiet=True),
    ],
    choices=[
        Choice(name="course", label=N_("Any course"), options=choices.courses),
        Choice(name="status", label=N_("Any status"), options=words.FILTERS),
    ],
    days=[
        Day(name="since", label=N_("Issued from"), chip=N_("Issued from %(day)s")),
        Day(name="until", label=N_("Issued until"), chip=N_("Issued until %(day)s")),
    ],
    counted=NN_("%(num)s certificate", "%(num)s certificates"),
    above="panel/certificates/_tabs.html",
    values={"tab": "certificates"},
    download=Download(f"{ADDRESS}.zip", N_("Download all as ZIP"), "file-archive"),
    bulk=Bulk(
        path=f"{ADDRESS}/zip",
        label=N_("Download as ZIP"),
        icon="file-archive",
        every=False,
        attributes={"data-download": ""},
    ),
    empty=Empty(N_("No certificate yet"), N_("People get one as soon as they complete a course."), "award"),
)


@routes.get("/certificates", access=READ)
async def list_certificates(tx: Tx, view: PanelView, query: CertificateSearch) -> Html:
    """The certificates of the people within reach."""
    return await lists.show(
        tx,
        view,
        CERTIFICATES_TABLE,
        query,
        reach_of(view),
        named={"enrollment": view.say(N_("One enrollment")), **await name_person(tx, view, query.user)},
        sortable=query.status not in ORDERED,
        now=Timestamp.of(tx.now),
    )


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
        kinds=KINDS,
        now=Timestamp.of(tx.now),
        public=links.verification(certificate.code),
        history=await _history(tx, view, certificate_id),
    )


async def _history(tx: Tx, view: PanelView, certificate_id: UUID) -> Sequence[Happened]:
    if not view.may(Permission.AUDIT_READ):
        return ()
    records = await audit.list_page(tx, AuditQuery(target_id=certificate_id, limit=50))
    return [describe(view, each, words.RECORDS) for each in records.data]


@routes.get("/certificates/{certificate_id}/pdf", access=READ)
async def download_pdf(tx: Tx, view: PanelView, links: Links, certificate_id: UUID) -> Answer:
    """On to the file, by a link that is good for a while."""
    await queries.get_listed(tx, certificate_id, reach_of(view))
    link: Any = links.pdf(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)
