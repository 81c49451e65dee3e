"""/admin/external-certificates: accepts or refuses certificates of training elsewhere."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_, say
from trilha.training.external_certificates import actions, queries
from trilha.training.external_certificates.queries import WAITING
from trilha.web.panel import lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.confirm import Button
from trilha.web.panel.enrollments.pages import WRITE
from trilha.web.panel.external_certificates import bulk
from trilha.web.panel.lists import Bulk, Empty, Table
from trilha.web.panel.reach import check_not_own, reach_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("External certificates", "Certificates of training elsewhere that wait for an answer.")
_PATH = f"{HOME}/external-certificates"
say(external_certificate_not_found=N_("This certificate was answered already."))
BULK = BulkList(
    routes=routes,
    path="/external-certificates",
    title=N_("Certificates from elsewhere"),
    query=ListQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
_TABLE = Table(
    listing=WAITING,
    path=_PATH,
    title=N_("Certificates from elsewhere"),
    lead=N_(
        "Learners upload these for training that they have done before. Accepted ones count as completed."
    ),
    row="panel/external_certificates/_row.html",
    columns=[N_("Person"), N_("Course"), N_("Completed on"), N_("Issued by"), N_("Uploaded")],
    counted=NN_("%(num)s certificate", "%(num)s certificates"),
    bulk=Bulk(buttons=BULK.buttons()),
    empty=Empty(
        N_("No certificates to check"),
        N_("Learners can upload a certificate on the page of a mandatory course."),
        "award",
    ),
)


class RefusalForm(Struct, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]


@routes.get("/external-certificates", access=WRITE)
async def list_certificates(tx: Tx, view: PanelView, query: ListQuery) -> Html:
    """Lists certificates of people within reach, the oldest first."""
    return await lists.show(tx, view, _TABLE, query, reach_of(view))


@routes.get("/external-certificates/{external_certificate_id}", access=WRITE)
async def show_certificate(
    tx: Tx, view: PanelView, external_certificate_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows a certificate, with the forms to accept or refuse it."""
    certificate = await actions.find_waiting(tx, external_certificate_id, reach_of(view))
    return view.form(
        "panel/external_certificates/certificate.html",
        refusal,
        {},
        certificate=certificate,
        path=f"{_PATH}/{external_certificate_id}",
        back=_PATH,
    )


@routes.get("/external-certificates/{external_certificate_id}/file", access=WRITE)
async def download_file(tx: Tx, view: PanelView, external_certificate_id: UUID) -> Answer:
    """Downloads the file of a certificate."""
    await actions.find_waiting(tx, external_certificate_id, reach_of(view))
    file = await queries.read_file(tx, external_certificate_id)
    ending = file.media_type.partition("/")[2]
    disposition = f'attachment; filename="certificate.{ending}"'.encode()
    headers = [(b"content-type", file.media_type.encode()), (b"content-disposition", disposition)]
    return Answer(200, file.content, headers)


@routes.post("/external-certificates/{external_certificate_id}/accept", access=WRITE)
async def accept(tx: Tx, view: PanelView, external_certificate_id: UUID, form: Button) -> Answer:
    """Accepts a certificate as a completion."""
    certificate = await actions.find_waiting(tx, external_certificate_id, reach_of(view))
    check_not_own(view, certificate.user_id)
    await actions.accept(tx, certificate)
    return view.lead(_PATH, N_("The certificate was accepted and counts as completed."))


@routes.post(
    "/external-certificates/{external_certificate_id}/refuse", access=WRITE, refused=show_certificate
)
async def refuse(tx: Tx, view: PanelView, external_certificate_id: UUID, form: RefusalForm) -> Answer:
    """Refuses a certificate with a reason that its learner reads."""
    if not form.reason.strip():
        raise invalid("reason", "too_short")
    certificate = await actions.find_waiting(tx, external_certificate_id, reach_of(view))
    await actions.refuse(tx, certificate, form.reason.strip())
    return view.lead(_PATH, N_("The certificate was refused."))
