"""The error codes of signing identities."""

from trilha.core.errors import codes, field_codes, register

register(
    "certificate signatures",
    field_codes(
        identity_too_large="The file is larger than 64 KiB.",
        identity_not_pkcs12="The file is not a PKCS #12 (.p12, .pfx) file.",
        identity_wrong_password="The password does not open the file.",  # noqa: S106
        identity_too_costly="The file requires too many hashing rounds to open.",
        identity_without_key="The file contains no private key with its certificate.",
        identity_weak_key="The key must be RSA of 2048 to 8192 bits, or on the curve P-256, P-384 or P-521.",
        identity_cannot_sign="The certificate's key may not be used for signatures.",
        identity_expired="The certificate has expired.",
        identity_not_yet_valid="The certificate is not valid yet.",
    ),
    codes("not_found", 404, identity_not_found="The company has no digital signature."),
)
