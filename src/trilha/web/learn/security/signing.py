"""Signing papers with a passkey: where a form's script gets its challenge, and what a form's handler calls.

A page writes its form with `ui.passkey_form(action, OPTIONS)` and a hidden field `digest`. Its handler
computes the digest anew from what it stores, and calls `sign`.
"""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.identity import LOGIN
from trilha.access.sessions.passkeys import signing
from trilha.core.database import Tx
from trilha.core.web.answers import Json
from trilha.core.web.routes import Routes
from trilha.training.signatures import actions as signatures
from trilha.training.signatures.schema import Signature
from trilha.web.learn.view import LearnView

routes = Routes("Signing with a passkey", "The challenge of a signature.")
OPTIONS = "/learn/security/passkeys/signature-options"


class DigestForm(Struct, frozen=True):
    """The SHA-256 of what is signed, in hexadecimal."""

    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]


@routes.post(
    "/security/passkeys/signature-options",
    access=may_oneself(Permission.LEARN),
    rate_limit=LOGIN,
    max_body=64 * 1024,
)
async def begin_signature(tx: Tx, view: LearnView, form: DigestForm, address: PublicAddress) -> Json:
    """Return the options with which the browser asks a passkey for a signature."""
    return Json(await signing.begin(tx, view.viewer, bytes.fromhex(form.digest), address))


async def sign(
    tx: Tx, viewer: Viewer, purpose: str, subject_id: UUID, digest: str, credential: str, address: str
) -> Signature:
    """Stores a signature of the viewer by a passkey's answer, with the evidence to verify it.

    `digest` is of `signatures.compute_digest`. Raises BusinessRule (passkey_refused).
    """
    answer = await signing.finish(tx, viewer, bytes.fromhex(digest), credential, address)
    evidence = {name: str(value) for name, value in structs.asdict(answer).items()}
    return await signatures.sign_by_passkey(tx, viewer.user_id, purpose, subject_id, digest, evidence)
