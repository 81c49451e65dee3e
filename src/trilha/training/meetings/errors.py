"""The error codes of meetings."""

from trilha.core.errors import codes, field_codes, register

register(
    "meetings",
    field_codes(
        service_key_invalid="The file is not the JSON key of a service account with a private key.",
        credentials_incomplete="Fill in every field.",
    ),
    codes(
        "business_rule",
        422,
        meeting_service_missing="The service is not set up.",
        meeting_link_exists="The session has a link already.",
    ),
)
