"""/admin/certificates: the list, one certificate and its PDF."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.training.certificates import details, queries
from trilha.training.certificates.links import Links
from trilha.training.certificates.lists import CERTIFICATE_ROWS, STATES_WITH_OWN_ORDER
from trilha.training.certificates.schema import CertificateSearch
from trilha.web.panel import choices, lists
from trilha.web.panel.certificates import words
from trilha.web.panel.courses.forms import KINDS
from trilha.web.panel.lists import Bulk, BulkButton, Choice, Column, Day, Download, Empty, Table
from trilha.web.panel.people.history import HistoryEntry, describe
from trilha.web.panel.people.page_person import name_person
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Certificates", "Certificates that were issued, and their status.")
ADDRESS = f"{HOME}/certificates"
READ = may(Permission.CERTIFICATES_READ)


CERTIFICATES_TABLE = Table(
    listing=CERTIFICATE_ROWS,
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
        buttons=[
            BulkButton(
                path=f"{ADDRESS}/zip",
                label=N_("Download as ZIP"),
                icon="file-archive",
                attributes={"data-download": ""},
            )
        ],
        every=False,
    ),
    empty=Empty(
        N_("No certificates yet"), N_("People receive a certificate when they complete a course."), "award"
    ),
)


@routes.get("/certificates", access=READ)
async def list_certificates(tx: Tx, view: PanelView, query: CertificateSearch) -> Html:
    """Lists the certificates of the people within reach."""
    return await lists.show(
        tx,
        view,
        CERTIFICATES_TABLE,
        query,
        reach_of(view),
        named={"enrollment": view.say(N_("One enrollment")), **await name_person(tx, view, query.user)},
        sortable=query.status not in STATES_WITH_OWN_ORDER,
        now=Timestamp.of(tx.now),
    )


@routes.get("/certificates/{certificate_id}", access=READ)
async def show_certificate(tx: Tx, view: PanelView, links: Links, certificate_id: UUID) -> Html:
    """Shows one certificate: its contents, status, file and history."""
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
        history=await _list_history(tx, view, certificate_id),
    )


async def _list_history(tx: Tx, view: PanelView, certificate_id: UUID) -> Sequence[HistoryEntry]:
    if not view.may(Permission.AUDIT_READ):
        return ()
    records = await audit.list_page(tx, AuditQuery(target_id=certificate_id, limit=50))
    return [describe(view, record, words.RECORDS) for record in records.data]


@routes.get("/certificates/{certificate_id}/pdf", access=READ)
async def download_pdf(tx: Tx, view: PanelView, links: Links, certificate_id: UUID) -> Answer:
    """Redirects to the PDF, through a link that expires."""
    await queries.get_listed(tx, certificate_id, reach_of(view))
    link: Any = links.pdf(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)
