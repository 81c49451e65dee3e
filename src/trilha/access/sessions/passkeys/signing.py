"""Signs a document with a passkey of the person who is signed in.

The challenge is the hash of the document's digest, so that the authenticator signs this document and
no other.
"""

import secrets

from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.passkeys import queries, rules, verification
from trilha.access.sessions.passkeys.actions import get_party
from trilha.access.sessions.passkeys.challenges import bind_session
from trilha.access.sessions.passkeys.schema import PasskeySignature
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule

_NONCE_BYTES = 32
_DIGEST_BYTES = 32


async def begin(tx: Tx, viewer: Viewer, digest: bytes, address: str) -> str:
    """Returns the options for a signature as JSON. `digest` is the SHA-256 of what is signed.

    Raises BusinessRule (passkeys_unavailable, no_passkey).
    """
    assert len(digest) == _DIGEST_BYTES
    party = await get_party(tx, viewer, address)
    own = await queries.list_of_user(tx, viewer.user_id)
    if not own:
        raise BusinessRule("no_passkey")
    nonce = secrets.token_bytes(_NONCE_BYTES)
    challenge = rules.build_signature_challenge(nonce, digest)
    await queries.put_challenge(
        tx, challenge, "SIGNATURE", bind_session(viewer), viewer.user_id, nonce + digest
    )
    return verification.build_request_options(party, challenge, own)


async def finish(tx: Tx, viewer: Viewer, digest: bytes, text: str, address: str) -> PasskeySignature:
    """Returns the evidence of a signature of `digest`, which the caller computes from what it stores.

    Raises BusinessRule (passkey_refused): the answer is for another document, session or person, was used
    already, or its counter went back.
    """
    party = await get_party(tx, viewer, address)
    answer = verification.read_answer(text)
    challenge = verification.read_challenge(answer)
    taken = await queries.take_challenge(tx, challenge, "SIGNATURE", bind_session(viewer))
    passkey = await queries.find_by_credential(tx, verification.read_credential_id(answer))
    if taken is None or taken.document is None or passkey is None or passkey.user_id != viewer.user_id:
        raise BusinessRule("passkey_refused")
    nonce, begun = taken.document[:_NONCE_BYTES], taken.document[_NONCE_BYTES:]
    if begun != digest or rules.build_signature_challenge(nonce, digest) != challenge:
        raise BusinessRule("passkey_refused")
    handle = rules.build_user_handle(tx.tenant_id, viewer.user_id)
    assertion = verification.verify_assertion(answer, party, challenge, passkey, handle)
    if rules.may_be_copied(passkey, assertion) or not await queries.note_use(tx, passkey.id, assertion):
        raise BusinessRule("passkey_refused")
    return PasskeySignature(
        passkey_id=passkey.id,
        passkey_name=passkey.name,
        public_key=verification.encode(passkey.public_key),
        nonce=verification.encode(nonce),
        challenge=verification.encode(challenge),
        client_data=verification.encode(verification.read_bytes(answer, "clientDataJSON")),
        authenticator_data=verification.encode(verification.read_bytes(answer, "authenticatorData")),
        signature=verification.encode(verification.read_bytes(answer, "signature")),
    )
