"""/admin/settings/signature: the certificate that signs certificates, and the issuer of digital badges."""

import asyncio
from datetime import timedelta
from typing import Annotated

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.outbound.guard import Guard
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.training.certificates.badges.credentials import Place
from trilha.training.certificates.links import Links
from trilha.training.certificates.signatures import actions, identities, queries
from trilha.training.certificates.signatures.reading import IdentityReader
from trilha.web.panel.confirm import Subject
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: signature", "With what certificates are signed.")
_ACCESS = may(Permission.SETTINGS_WRITE)
SOON = timedelta(days=30)
say(
    identity_too_large=N_("Choose a file of at most 64 kB."),
    identity_not_pkcs12=N_("Choose a PKCS #12 file: its name ends in .p12 or .pfx."),
    identity_wrong_password=N_("This password does not open the file."),
    identity_too_costly=N_(
        "This file is too costly to open. Export it again with standard encryption settings."
    ),
    identity_without_key=N_("This file holds no private key. Export it again, with the key."),
    identity_weak_key=N_("The key of this file is too weak. Ask your certificate authority for a newer one."),
    identity_cannot_sign=N_("The certificate in this file cannot be used for signing."),
    identity_expired=N_("The certificate of this file has expired."),
    identity_not_yet_valid=N_("The certificate of this file is not valid yet."),
)


class Upload(Struct, frozen=True):
    identity: UploadedFile | None = None
    password: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] = ""


@routes.get("/settings/signature", access=_ACCESS)
async def show_signature(tx: Tx, view: PanelView, links: Links, refusal: Refusal | None = None) -> Html:
    """Show the signature's owner and expiry, and the issuer of badges."""
    identity = await queries.find(tx)
    values = {"timestamp_url": identity.timestamp_url or "" if identity else ""}
    if refusal is not None:  # a password is not shown again
        kept = {name: value for name, value in refusal.values.items() if name in values}
        refusal = Refusal(values | kept, refusal.failure)
    return view.form(
        "panel/settings/signature.html",
        refusal,
        values,
        identity=identity,
        expired=identity is not None and identity.not_after <= Timestamp.of(tx.now),
        soon=identity is not None and identity.not_after <= Timestamp.of(tx.now + SOON),
        issuer=Place(links.address, view.viewer.tenant_slug).issuer,
    )


async def _read(form: Upload, caller: Caller) -> bytes:
    """Reads the file before the transaction."""
    if form.identity is None or form.identity.size == 0:
        raise invalid("identity", "required")
    if form.identity.size > identities.MAX_BYTES:
        raise invalid("identity", "identity_too_large")
    return await asyncio.to_thread(form.identity.path.read_bytes)


@routes.post(
    "/settings/signature", access=_ACCESS, max_body=256 * 1024, prepare=_read, refused=show_signature
)
async def save_signature(view: PanelView, form: Upload, prepared: bytes, reader: IdentityReader) -> Answer:
    """Sign with this key from now on."""
    now = view.database.clock()
    identity = await reader.read(view.tenant_id, prepared, form.password, now)
    async with view.changing() as tx:
        saved = await actions.put(tx, identity)
    message = N_("Certificates are signed by %(subject)s from now on.")
    return view.lead(f"{PATH}/signature", message, subject=saved.subject)


class TimestampForm(Struct, frozen=True):
    """Without an address, timestamps come from the installation's server, if it has one."""

    timestamp_url: Annotated[str, Meta(max_length=2048, extra_json_schema=STORABLE)] = ""


@routes.post(
    "/settings/signature/timestamp",
    access=_ACCESS,
    max_body=16 * 1024,
    refused=show_signature,
    errors=["identity_not_found"],
)
async def save_timestamp(tx: Tx, view: PanelView, form: TimestampForm, guard: Guard) -> Answer:
    """Choose the server that timestamps signatures."""
    await actions.set_timestamp_url(tx, form.timestamp_url.strip() or None, guard)
    return view.lead(f"{PATH}/signature", N_("The timestamp server was saved."))


SIGNATURE = Subject(
    routes=routes,
    path="/settings/signature",
    access=_ACCESS,
    get=lambda tx, view: queries.find(tx),
    name=lambda identity: "",
    trail=lambda view, identity: [(view.say(N_("Digital signature")), f"{PATH}/signature")],
)
SIGNATURE.ask(
    "remove",
    actions.remove,
    N_("Remove the digital signature"),
    N_("New certificates will not be signed. Certificates that are already signed stay signed."),
    N_("Remove signature"),
    N_("The digital signature was removed."),
)
