"""Signs documents with a passkey of the person who is signed in.

A page writes a second form with `ui.passkey_form`. Its options come from a route that calls `begin`, and the
route that signs takes the form's field `credential` and calls `build_signer`. Both compute the digest from
what is stored.
"""

from uuid import UUID

from msgspec import structs

from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.passkeys import actions as passkeys
from trilha.access.sessions.passkeys import queries, signing
from trilha.core.database import Tx
from trilha.core.web.answers import Json
from trilha.training.signatures import actions as signatures
from trilha.training.signatures.actions import PasskeySigner
from trilha.training.signatures.schema import Signature


async def may_sign(tx: Tx, viewer: Viewer, address: str) -> bool:
    """Returns whether the viewer has a passkey, and can use it at this address."""
    if await passkeys.find_party(tx, viewer, address) is None:
        return False
    return bool(await queries.list_of_user(tx, viewer.user_id))


async def begin(tx: Tx, viewer: Viewer, digest: str, address: str) -> Json:
    """Returns the options with which the browser asks a passkey for a signature.

    Raises BusinessRule (passkeys_unavailable, no_passkey).
    """
    return Json(await signing.begin(tx, viewer, bytes.fromhex(digest), address))


def build_signer(tx: Tx, viewer: Viewer, credential: str, address: str) -> PasskeySigner:
    """Returns the function that stores the signature which a passkey has answered."""

    async def sign_with_answer(purpose: str, subject_id: UUID, digest: str) -> Signature:
        return await sign(tx, viewer, purpose, subject_id, digest, credential, address)

    return sign_with_answer


async def sign(
    tx: Tx, viewer: Viewer, purpose: str, subject_id: UUID, digest: str, credential: str, address: str
) -> Signature:
    """Verifies the answer of the viewer's passkey, and stores it as a signature that anybody can verify.

    `digest` is of `signatures.compute_digest`. Raises BusinessRule (passkey_refused).
    """
    answer = await signing.finish(tx, viewer, bytes.fromhex(digest), credential, address)
    evidence = {name: str(value) for name, value in structs.asdict(answer).items()}
    return await signatures.sign_by_passkey(tx, viewer.user_id, purpose, subject_id, digest, evidence)
