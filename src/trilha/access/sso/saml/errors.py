"""The reasons for refusing a SAML message."""

from collections.abc import Iterable

from trilha.access.sso.errors import SignInRefused, register_reasons
from trilha.core.errors import codes, register
from trilha.kit import N_


def build_refusal(code: str, expected: object = None, received: object = None) -> SignInRefused:
    """Builds the refusal; several values are joined with commas."""
    return SignInRefused(code, _text(expected), _text(received))


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, Iterable) else str(value)


# The form of a message.
register_reasons(
    saml_message_too_large=N_("The message is too large."),
    saml_message_not_base64=N_("The message is not base64."),
    saml_message_not_deflated=N_("The message is not compressed as the Redirect binding requires."),
    saml_message_kind=N_("This address does not accept this type of message."),
    saml_message_missing=N_("The request must contain exactly one SAML message."),
    saml_xml_encoding=N_("The message is not in UTF-8."),
    saml_xml_declaration=N_("The message is not XML 1.0 in UTF-8."),
    saml_xml_forbidden=N_("The message has a comment, a document type, a CDATA section or an instruction."),
    saml_xml_malformed=N_("The message is not well-formed XML."),
    saml_xml_namespace=N_("The message has a namespace that is not an absolute URI."),
    saml_version_unknown=N_("The message is not SAML 2.0."),
    saml_message_expired=N_("The message is too old. Check the clocks."),
    saml_message_replayed=N_("The message was already used."),
    saml_message_unsigned=N_("The message must be signed."),
    saml_id_malformed=N_("An id is missing or invalid."),
    saml_id_repeated=N_("An id is repeated in the message."),
    saml_time_malformed=N_("A time is invalid or not in UTC."),
    saml_element_missing=N_("An element is missing."),
    saml_element_repeated=N_("An element is repeated."),
    saml_element_unexpected=N_("An element is in a place where the standard does not allow it."),
    saml_element_not_text=N_("A text element contains other elements."),
    saml_assertion_count=N_("The message must contain exactly one assertion."),
    saml_assertion_misplaced=N_("The assertion is in the wrong place in the message."),
)
# Signatures and encryption.
register_reasons(
    saml_signature_missing=N_("Neither the response nor the assertion is signed."),
    saml_signature_misplaced=N_("A signature is in a place where it is not allowed."),
    saml_signature_shape=N_("A signature has an unsupported structure."),
    saml_signature_algorithm=N_("The signature uses an insecure algorithm, such as SHA-1."),
    saml_signature_invalid=N_("The signature does not match any stored certificate of the provider."),
    saml_signature_digest=N_("The message was changed after it was signed."),
    saml_digest_algorithm=N_("The signature's digest uses an insecure algorithm, such as SHA-1."),
    saml_canonicalization_unknown=N_("The signature does not use exclusive XML canonicalization."),
    saml_transforms_unknown=N_("The signature uses transforms that the standard does not allow."),
    saml_reference_mismatch=N_("The signature covers a different element from the one that contains it."),
    saml_certificate_missing=N_("The connection has no provider certificate."),
    saml_certificate_malformed=N_("A certificate cannot be read."),
    saml_certificates_too_many=N_("There are too many certificates."),
    saml_key_too_weak=N_("The key of a certificate is too short."),
    saml_key_unknown=N_("A certificate has a key of an unsupported type."),
    saml_encryption_unexpected=N_("The assertion is encrypted, but the connection has no key to decrypt it."),
    saml_encryption_missing=N_("The connection requires an encrypted assertion."),
    saml_encryption_unsigned=N_("An assertion encrypted with CBC is accepted only in a signed response."),
    saml_encryption_algorithm=N_("The assertion is encrypted with an unsupported algorithm."),
    saml_encryption_key_count=N_("The assertion must be encrypted for exactly one recipient."),
    saml_key_transport_algorithm=N_("The assertion's key is encrypted with an insecure algorithm."),
    saml_decryption_failed=N_(
        "The assertion cannot be decrypted. It may be encrypted for another certificate."
    ),
)
# The content of a message.
register_reasons(
    saml_status_not_success=N_("The provider reports that the sign-in failed."),
    saml_issuer_mismatch=N_("The message is from a different provider."),
    saml_destination_mismatch=N_("The message is intended for a different address."),
    saml_recipient_mismatch=N_("The assertion is intended for a different address."),
    saml_audience_mismatch=N_("The assertion is intended for a different service."),
    saml_confirmation_missing=N_("The assertion has no bearer confirmation."),
    saml_confirmation_not_before=N_("The confirmation must not have a NotBefore time."),
    saml_confirmation_expired=N_("The confirmation is too old. Check the clocks."),
    saml_assertion_not_yet=N_("The assertion is not valid yet. Check the clocks."),
    saml_assertion_expired=N_("The assertion is too old. Check the clocks."),
    saml_session_expired=N_("The session at the provider has ended."),
    saml_condition_unknown=N_("The assertion has an unknown condition."),
    saml_authentication_missing=N_("The assertion has no authentication statement."),
    saml_in_response_to_mismatch=N_("Response and assertion answer different requests."),
    saml_unsolicited=N_("The provider started the sign-in, which the connection does not allow."),
    saml_name_id_missing=N_("The assertion does not identify a person."),
    saml_name_id_malformed=N_("The NameID cannot be stored."),
    saml_name_id_transient=N_("The NameID is transient, and the assertion has no persistent identifier."),
    saml_attributes_too_many=N_("The assertion has too many attributes."),
)
# A provider's metadata, and a person who signs out.
register_reasons(
    saml_metadata_kind=N_("The document is not the metadata of one identity provider."),
    saml_metadata_binding=N_("The provider does not accept requests by redirect."),
    saml_metadata_address=N_("An address in the metadata cannot be used."),
    saml_metadata_unreachable=N_("The provider's metadata cannot be fetched."),
    saml_metadata_other_entity=N_("The metadata is from a different provider than before."),
    saml_session_index=N_("The provider does not identify the ended session."),
)

register(
    "sso_saml",
    codes(
        "business_rule",
        422,
        metadata_not_usable="The provider's metadata cannot be used; `detail` says why.",
        metadata_missing="Send either the provider's metadata or its URL, not both.",
    ),
)
