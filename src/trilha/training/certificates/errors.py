"""The error codes of certificates."""

from trilha.core.errors import codes, register

register(
    "certificates",
    codes("not_found", 404, certificate_not_found="There is no such certificate."),
    codes(
        "authorization_error",
        403,
        link_expired="The link has expired. Request a new one.",
        link_invalid="The link is invalid or was changed.",
    ),
    codes(
        "conflict",
        409,
        certificate_expired="The certificate has expired and cannot be reissued.",
        holder_erased="The holder's personal data was erased, so no certificate can be issued.",
        certificate_not_rendered="The PDF could not be made. Try again later.",
    ),
)
