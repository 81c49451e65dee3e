"""Revokes and reissues certificates, each after a confirmation, and retries their PDFs."""

from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.kit import N_, say
from trilha.people.users import queries as users
from trilha.training.certificates import actions, queries
from trilha.training.certificates.schema import Reason, StoredCertificate
from trilha.web.panel.certificates.pages import ADDRESS
from trilha.web.panel.confirm import Button, Confirmation, Subject
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("Certificates: changes", "Revoking and reissuing certificates.")
WRITE = may(Permission.CERTIFICATES_WRITE)
say(
    certificate_expired=N_(
        "This certificate has expired and cannot be reissued. Enroll the person in the course again."
    ),
    holder_erased=N_("The holder's personal data was erased, so the certificate cannot be reissued."),
)


class Revocation(Confirmation, frozen=True, kw_only=True):
    """The reason, and the text typed to confirm."""

    reason: Reason


async def _get(tx: Tx, view: PanelView, certificate_id: UUID) -> StoredCertificate:
    await queries.get_listed(tx, certificate_id, reach_of(view))
    return await queries.get(tx, certificate_id)


async def _revoke(tx: Tx, certificate_id: UUID, form: Revocation) -> None:
    await actions.revoke(tx, certificate_id, form.reason)


async def _name_holder(tx: Tx, view: PanelView, certificate: StoredCertificate) -> dict[str, object]:
    """The holder's current name; `same` repeats it if the certificate already has that name."""
    name = (await users.get(tx, certificate.user_id)).name
    return {"holder": name, "same": name if name == certificate.holder_name else None}


CERTIFICATES = Subject(
    routes=routes,
    path="/certificates/{certificate_id}",
    access=WRITE,
    get=_get,
    name=lambda certificate: certificate.holder_name or certificate.display_code,
)
CERTIFICATES.ask(
    "revoke",
    _revoke,
    N_("Revoke the certificate of %(name)s"),
    [
        "%(course_title)s",
        N_("Anyone who verifies it will see that it was revoked and when, but not why."),
        N_("This cannot be undone."),
    ],
    N_("Revoke certificate"),
    N_("The certificate was revoked."),
    typed=True,
    form=Revocation,
    template="panel/certificates/revoke.html",
    sentences={"too_short": N_("Enter the reason.")},
)
CERTIFICATES.ask(
    "reissue",
    actions.reissue,
    N_("Reissue this certificate"),
    [
        N_("A new certificate for the same completion will be issued to %(holder)s, with a new code."),
        N_(
            "The current certificate already has the name %(same)s. To correct the name, edit"
            " the profile first."
        ),
        N_("The current certificate will be revoked. Anyone who verifies it will see that it was replaced."),
    ],
    N_("Reissue"),
    kind="primary",
    values=_name_holder,
    then=lambda tx, view, old, new: view.lead(
        f"{ADDRESS}/{new.id}", N_("A new certificate was issued. Its PDF will be ready in a few seconds.")
    ),
)


@routes.post("/certificates/{certificate_id}/retry", access=WRITE)
async def retry_rendering(tx: Tx, view: PanelView, certificate_id: UUID, form: Button) -> Answer:
    """Tries again to create a PDF that failed."""
    await _get(tx, view, certificate_id)
    await actions.render_again(tx, certificate_id)
    return view.lead(f"{ADDRESS}/{certificate_id}", N_("The PDF is being created again."))
