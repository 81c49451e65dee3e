"""The error codes of qualifications."""

from trilha.core.errors import codes, field_codes, register

MAX_BYTES = 2 * 1024 * 1024

register(
    "qualifications",
    field_codes(
        ends_before_it_begins="The last day must not be before the first one.",
        document_not_readable="Upload a PDF, JPEG or PNG of up to 2 MB.",
    ),
    codes("not_found", 404, qualification_not_found="There is no such qualification."),
)
