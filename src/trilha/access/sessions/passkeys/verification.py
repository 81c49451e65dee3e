"""Builds what browsers need for a passkey, and verifies their answers, by the library `webauthn`."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, parse_client_data_json
from webauthn.helpers.structs import (
    AttestationConveyancePreference,
    AttestationFormat,
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    CredentialDeviceType,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from trilha.access.sessions.passkeys.schema import Assertion, NewPasskey, Passkey, RelyingParty
from trilha.core.errors import BusinessRule

_T = TypeVar("_T")
_TRANSPORTS = frozenset(each.value for each in AuthenticatorTransport)
_TIMEOUT_MS = 300_000
_MAX_CREDENTIAL_ID = 1023  # bytes, as WebAuthn says
_MAX_PUBLIC_KEY = 4000  # bytes


def build_creation_options(
    party: RelyingParty,
    challenge: bytes,
    handle: bytes,
    email: str,
    name: str,
    company: str,
    registered: Sequence[Passkey],
) -> str:
    """Returns the options for `navigator.credentials.create` as JSON.

    The passkey must be discoverable and verify its person. Those that are `registered` refuse to be
    registered again.
    """
    options = generate_registration_options(
        rp_id=party.id,
        rp_name=company,
        user_id=handle,
        user_name=email,
        user_display_name=name,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        attestation=AttestationConveyancePreference.NONE,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            require_resident_key=True,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_describe(registered),
    )
    return options_to_json(options)


def build_request_options(party: RelyingParty, challenge: bytes, allowed: Sequence[Passkey] = ()) -> str:
    """Returns the options for `navigator.credentials.get` as JSON. With nothing `allowed`, people choose one
    of the passkeys on their devices.
    """
    options = generate_authentication_options(
        rp_id=party.id,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        allow_credentials=_describe(allowed),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options)


def _describe(passkeys: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=each.credential_id,
            transports=[AuthenticatorTransport(name) for name in each.transports] or None,
        )
        for each in passkeys
    ]


def read_answer(text: str) -> dict[str, Any]:
    """Returns a browser's answer as an object. Raises BusinessRule (passkey_refused)."""
    answer = _or_refuse(lambda: json.loads(text))
    if not isinstance(answer, dict) or not isinstance(answer.get("response"), dict):
        raise BusinessRule("passkey_refused")
    return answer


def read_bytes(answer: dict[str, Any], name: str) -> bytes:
    """Returns a member of the answer's response. Raises BusinessRule (passkey_refused)."""
    return _or_refuse(lambda: base64url_to_bytes(answer["response"][name]))


def read_credential_id(answer: dict[str, Any]) -> bytes:
    """Raises BusinessRule (passkey_refused)."""
    return _or_refuse(lambda: base64url_to_bytes(answer["rawId"]))


def read_challenge(answer: dict[str, Any]) -> bytes:
    """Returns the challenge that the answer is for. Another site may not have embedded our page.

    Raises BusinessRule (passkey_refused).
    """
    client = _or_refuse(lambda: parse_client_data_json(read_bytes(answer, "clientDataJSON")))
    if client.cross_origin:
        raise BusinessRule("passkey_refused")
    return client.challenge


def verify_registration(answer: dict[str, Any], party: RelyingParty, challenge: bytes) -> NewPasskey:
    """Verifies a new passkey. Raises BusinessRule (passkey_refused)."""
    verified = _or_refuse(
        lambda: verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origins,
            require_user_verification=True,
        )
    )
    if verified.fmt not in (AttestationFormat.NONE, AttestationFormat.PACKED):
        raise BusinessRule("passkey_refused")
    if len(verified.credential_id) > _MAX_CREDENTIAL_ID:
        raise BusinessRule("passkey_refused")
    if len(verified.credential_public_key) > _MAX_PUBLIC_KEY:
        raise BusinessRule("passkey_refused")
    named = answer["response"].get("transports")
    listed = named[:10] if isinstance(named, list) else []
    transports = sorted(_TRANSPORTS & {each for each in listed if isinstance(each, str)})
    return NewPasskey(
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        may_sync=verified.credential_device_type == CredentialDeviceType.MULTI_DEVICE,
        is_synced=verified.credential_backed_up,
        transports=transports,
    )


def verify_assertion(
    answer: dict[str, Any], party: RelyingParty, challenge: bytes, passkey: Passkey, handle: bytes
) -> Assertion:
    """Verifies an answer with the passkey's public key. The caller compares the counters.

    Raises BusinessRule (passkey_refused).
    """
    if answer["response"].get("userHandle") and read_bytes(answer, "userHandle") != handle:
        raise BusinessRule("passkey_refused")
    verified = _or_refuse(
        lambda: verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origins,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    )
    return Assertion(
        sign_count=verified.new_sign_count,
        may_sync=verified.credential_device_type == CredentialDeviceType.MULTI_DEVICE,
        is_synced=verified.credential_backed_up,
    )


def encode(data: bytes) -> str:
    return bytes_to_base64url(data)


def _or_refuse(read: Callable[[], _T]) -> _T:
    """Raises BusinessRule (passkey_refused), whichever way the library finds the answer wrong."""
    try:
        return read()
    except BusinessRule:
        raise
    except Exception as error:
        raise BusinessRule("passkey_refused") from error
