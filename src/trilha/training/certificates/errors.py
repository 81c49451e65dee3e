"""The error codes of certificates."""

from trilha.core.errors import codes, register

register(
    "certificates",
    codes("not_found", 404, certificate_not_found="There is no such certificate."),
    codes(
        "authorization_error",
        403,
        link_expired="The link has expired: ask for another one.",
        link_invalid="The link is not one of ours, or was changed.",
    ),
    codes(
        "conflict",
        409,
        certificate_expired="The certificate has expired: nothing is issued in its place.",
        holder_erased="The holder's personal data were erased: nothing can be issued to them.",
    ),
)
