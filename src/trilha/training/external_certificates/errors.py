"""The error codes of uploaded certificates."""

from trilha.core.errors import codes, field_codes, register

MAX_BYTES = 2 * 1024 * 1024

register(
    "external certificates",
    field_codes(
        certificate_not_readable="Upload a PDF, JPEG or PNG of up to 2 MB.",
    ),
    codes("not_found", 404, external_certificate_not_found="No certificate waits for an answer."),
    codes("conflict", 409, external_certificate_waits="A certificate for this course waits for an answer."),
)
