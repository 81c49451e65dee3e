"""What is done to a certificate after a question."""

from uuid import UUID

from trilha.certificates import actions, queries
from trilha.certificates.schema import Reason, StoredCertificate
from trilha.core.database import Tx
from trilha.core.web.answers import Answer
from trilha.core.web.routes import Routes
from trilha.pages import N_, say
from trilha.panel.certificates.pages import ADDRESS
from trilha.panel.confirm import Button, Confirmation, Subject
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import queries as users

routes = Routes("Certificates: changes", "What is done to a certificate after a question.")
WRITE = may(Permission.CERTIFICATES_WRITE)
say(
    certificate_expired=N_("This certificate has expired: nothing can be issued in its place."),
    holder_erased=N_("The personal data of the holder were erased: nothing can be issued to them."),
)


class Revocation(Confirmation, frozen=True, kw_only=True):
    """Its reason, beside what was typed to confirm."""

    reason: Reason


async def _get(tx: Tx, view: PanelView, certificate_id: UUID) -> StoredCertificate:
    await queries.get_listed(tx, certificate_id, reach_of(view))
    return await queries.get(tx, certificate_id)


async def _revoke(tx: Tx, certificate_id: UUID, form: Revocation) -> None:
    await actions.revoke(tx, certificate_id, form.reason)


async def _name_holder(tx: Tx, view: PanelView, certificate: StoredCertificate) -> dict[str, object]:
    """The name that the holder has now, and the same where it is that on the certificate."""
    name = (await users.get(tx, certificate.user_id)).name
    return {"holder": name, "same": name if name == certificate.holder_name else None}


CERTIFICATES = Subject(
    routes=routes,
    path="/certificates/{certificate_id}",
    access=WRITE,
    get=_get,
    name=lambda certificate: certificate.holder_name or certificate.shown_code,
)
CERTIFICATES.ask(
    "revoke",
    _revoke,
    N_("Revoke the certificate of %(name)s"),
    [
        "%(course_title)s",
        N_("Whoever scans it or enters its code sees that it was revoked and since when, but not why."),
        N_("This cannot be undone."),
    ],
    N_("Revoke certificate"),
    N_("The certificate was revoked."),
    typed=True,
    form=Revocation,
    template="panel/certificates/revoke.html",
    sentences={"too_short": N_("Say why.")},
)
CERTIFICATES.ask(
    "reissue",
    actions.reissue,
    N_("Issue this certificate anew"),
    [
        N_("A new certificate of the same completion is issued to %(holder)s, with a new code."),
        N_("%(same)s is also the name on the current one. To correct it, edit the profile first."),
        N_("The current one is revoked, and whoever verifies it sees that there is a newer one."),
    ],
    N_("Issue anew"),
    kind="primary",
    values=_name_holder,
    then=lambda tx, view, old, new: view.lead(
        f"{ADDRESS}/{new.id}", N_("A new certificate was issued. Its PDF is there in a few seconds.")
    ),
)


@routes.post("/certificates/{certificate_id}/retry", access=WRITE)
async def retry_rendering(tx: Tx, view: PanelView, certificate_id: UUID, form: Button) -> Answer:
    """Have the PDF made that could not be made."""
    await _get(tx, view, certificate_id)
    await actions.render_again(tx, certificate_id)
    return view.lead(f"{ADDRESS}/{certificate_id}", N_("The PDF is being made again."))
