"""What is done to a certificate after a question."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.certificates import actions, queries
from trilha.certificates.schema import Reason, StoredCertificate
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.pages import N_, say
from trilha.panel.certificates.pages import ADDRESS
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users import queries as users
from trilha.users.words import search_text

routes = Routes("Certificates: changes", "What is done to a certificate after a question.")
WRITE = may(Permission.CERTIFICATES_WRITE)
_OTHERWISE = {"invalid_value": N_("Type it as it stands above."), "too_short": N_("Say why.")}
say(
    certificate_expired=N_("This certificate has expired: nothing can be issued in its place."),
    holder_erased=N_("The personal data of the holder were erased: nothing can be issued to them."),
)


class Revocation(Struct, frozen=True):
    """`typed` confirms it: the holder's name, or the code where there is no name any more."""

    reason: Reason
    typed: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


class Button(Struct, frozen=True):
    """A form of a button alone."""


async def _get(tx: Tx, view: PanelView, certificate_id: UUID) -> StoredCertificate:
    await queries.get_listed(tx, certificate_id, reach_of(view))
    return await queries.get(tx, certificate_id)


def typed_of(certificate: StoredCertificate) -> str:
    """What has to be typed before it is revoked."""
    return certificate.holder_name or certificate.shown_code


@routes.get("/certificates/{certificate_id}/revoke", access=WRITE)
async def ask_revocation(
    tx: Tx, view: PanelView, certificate_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Ask why, and once more."""
    certificate = await _get(tx, view, certificate_id)
    return view.form(
        "panel/certificates/revoke.html",
        refusal,
        sentences=_OTHERWISE,
        certificate=certificate,
        typed=typed_of(certificate),
    )


@routes.post("/certificates/{certificate_id}/revoke", access=WRITE, refused=ask_revocation)
async def revoke_certificate(tx: Tx, view: PanelView, certificate_id: UUID, form: Revocation) -> Answer:
    """From now on it verifies as revoked."""
    certificate = await _get(tx, view, certificate_id)
    if search_text(" ".join(form.typed.split())) != search_text(" ".join(typed_of(certificate).split())):
        raise invalid("typed", "invalid_value")
    await actions.revoke(tx, certificate_id, form.reason)
    return view.lead(f"{ADDRESS}/{certificate_id}", N_("The certificate was revoked."))


@routes.get("/certificates/{certificate_id}/reissue", access=WRITE)
async def ask_reissue(tx: Tx, view: PanelView, certificate_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show in which name another one would be issued."""
    certificate = await _get(tx, view, certificate_id)
    holder = await users.get(tx, certificate.user_id)
    return view.form("panel/certificates/reissue.html", refusal, certificate=certificate, holder=holder)


@routes.post("/certificates/{certificate_id}/reissue", access=WRITE, refused=ask_reissue)
async def reissue_certificate(tx: Tx, view: PanelView, certificate_id: UUID, form: Button) -> Answer:
    """Issue another one of the same completion, in the name that the holder has now."""
    await _get(tx, view, certificate_id)
    new = await actions.reissue(tx, certificate_id)
    return view.lead(
        f"{ADDRESS}/{new.id}", N_("A new certificate was issued. Its PDF is there in a few seconds.")
    )


@routes.post("/certificates/{certificate_id}/retry", access=WRITE)
async def retry_rendering(tx: Tx, view: PanelView, certificate_id: UUID, form: Button) -> Answer:
    """Have the PDF made that could not be made."""
    await _get(tx, view, certificate_id)
    await actions.render_again(tx, certificate_id)
    return view.lead(f"{ADDRESS}/{certificate_id}", N_("The PDF is being made again."))
