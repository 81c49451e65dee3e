"""Why a SAML message is refused."""

from collections.abc import Iterable

from trilha.core.errors import codes, register
from trilha.pages import N_
from trilha.sso.errors import SignInRefused, register_reasons


def refused(code: str, expected: object = None, received: object = None) -> SignInRefused:
    """Several values are told with commas between them."""
    return SignInRefused(code, _text(expected), _text(received))


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, Iterable) else str(value)


# The form of a message.
register_reasons(
    saml_message_too_large=N_("The message is larger than any that a provider sends."),
    saml_message_not_base64=N_("The message is not base64."),
    saml_message_not_deflated=N_("The message is not compressed as the Redirect binding asks for."),
    saml_message_kind=N_("The message is of another kind than this address takes."),
    saml_message_missing=N_("The request holds no SAML message, or several."),
    saml_xml_encoding=N_("The message is not in UTF-8."),
    saml_xml_declaration=N_("The message is not XML 1.0 in UTF-8."),
    saml_xml_forbidden=N_("The message has a comment, a document type, a CDATA section or an instruction."),
    saml_xml_malformed=N_("The message is no well-formed XML."),
    saml_xml_namespace=N_("The message has a namespace that is no absolute URI."),
    saml_version_unknown=N_("The message is not of SAML 2.0."),
    saml_message_expired=N_("The message is too old. Compare the clocks."),
    saml_message_replayed=N_("The message was taken before."),
    saml_message_unsigned=N_("The message is not signed, and it must be."),
    saml_id_malformed=N_("An id is missing, or is no XML id."),
    saml_id_repeated=N_("An id is in the message twice."),
    saml_time_malformed=N_("A time is not in UTC, or is no time."),
    saml_element_missing=N_("An element is missing."),
    saml_element_repeated=N_("An element is there more than once."),
    saml_element_unexpected=N_("An element is where the standard has none."),
    saml_element_not_text=N_("An element that holds text has other elements inside."),
    saml_assertion_count=N_("The message does not hold exactly one assertion."),
    saml_assertion_misplaced=N_("The assertion is not where it belongs."),
)
# Signatures and encryption.
register_reasons(
    saml_signature_missing=N_("Neither the response nor the assertion is signed."),
    saml_signature_misplaced=N_("A signature is where none may be."),
    saml_signature_shape=N_("A signature has a form that no provider sends."),
    saml_signature_algorithm=N_("The signature is made in a way that is not safe, such as with SHA-1."),
    saml_signature_invalid=N_(
        "The signature is by none of the provider's certificates that are stored here."
    ),
    saml_signature_digest=N_("The message was changed after it was signed."),
    saml_digest_algorithm=N_("The signature's digest is made in a way that is not safe, such as with SHA-1."),
    saml_canonicalization_unknown=N_("The signature is over another canonical form than exclusive XML."),
    saml_transforms_unknown=N_("The signature asks for other transforms than the standard has."),
    saml_reference_mismatch=N_("The signature is over another element than the one that holds it."),
    saml_certificate_missing=N_("The connection has no certificate of the provider."),
    saml_certificate_malformed=N_("A certificate cannot be read."),
    saml_certificates_too_many=N_("There are more certificates than can be tried."),
    saml_key_too_weak=N_("The key of a certificate is too short."),
    saml_key_unknown=N_("The key of a certificate is of an unknown kind."),
    saml_encryption_unexpected=N_("The assertion is encrypted, and the connection has no key for it."),
    saml_encryption_missing=N_("The assertion is not encrypted, and the connection asks for it."),
    saml_encryption_unsigned=N_("An assertion encrypted with CBC is taken in a signed response alone."),
    saml_encryption_algorithm=N_("The assertion is encrypted in a way that is not known."),
    saml_encryption_key_count=N_("The assertion is not encrypted for exactly one receiver."),
    saml_key_transport_algorithm=N_("The key of the assertion is encrypted in a way that is not safe."),
    saml_decryption_failed=N_(
        "The assertion cannot be decrypted: it may be for another certificate of ours."
    ),
)
# What a message says.
register_reasons(
    saml_status_not_success=N_("The provider says that the sign-in failed."),
    saml_issuer_mismatch=N_("The message is by another provider."),
    saml_destination_mismatch=N_("The message is for another address."),
    saml_recipient_mismatch=N_("The assertion is for another address."),
    saml_audience_mismatch=N_("The assertion is for another service."),
    saml_confirmation_missing=N_("The assertion has no bearer confirmation."),
    saml_confirmation_not_before=N_("The confirmation has a time before which it is not good."),
    saml_confirmation_expired=N_("The confirmation is too old. Compare the clocks."),
    saml_assertion_not_yet=N_("The assertion is not good yet. Compare the clocks."),
    saml_assertion_expired=N_("The assertion is too old. Compare the clocks."),
    saml_session_expired=N_("The session at the provider is over."),
    saml_condition_unknown=N_("The assertion has a condition that is not known."),
    saml_authentication_missing=N_("The assertion does not say that the person signed in."),
    saml_in_response_to_mismatch=N_("Response and assertion answer different requests."),
    saml_unsolicited=N_("The provider began by itself, which the connection does not allow."),
    saml_name_id_missing=N_("The assertion names nobody."),
    saml_name_id_malformed=N_("The NameID cannot be stored."),
    saml_name_id_transient=N_("The NameID is another each time, and nothing lasting was told."),
    saml_attributes_too_many=N_("The assertion has more attributes than are read."),
)
# What metadata of a provider says, and what it says of who signs out.
register_reasons(
    saml_metadata_kind=N_("The document is no metadata of one identity provider."),
    saml_metadata_binding=N_("The provider does not take requests by redirect."),
    saml_metadata_address=N_("An address in the metadata cannot be used."),
    saml_metadata_unreachable=N_("The provider's metadata cannot be fetched."),
    saml_metadata_other_entity=N_("The metadata is of another provider than before."),
    saml_session_index=N_("The provider does not say which session is over."),
)

register(
    "sso_saml",
    codes(
        "business_rule",
        422,
        metadata_not_usable="The provider's metadata cannot be used; `detail` says why.",
        metadata_missing="Give either the provider's metadata or the address of it.",
    ),
)
