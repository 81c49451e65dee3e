"""The error codes of signatures."""

from trilha.core.errors import field_codes, register

register(
    "signatures",
    field_codes(
        signature_missing="Draw a signature. A dot is not enough.",
        signature_not_readable="The drawing of the signature is damaged or too large.",
    ),
)
