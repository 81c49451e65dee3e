"""The error codes of reminders."""

from trilha.core.errors import codes, field_codes, register

register(
    "reminders",
    field_codes(
        invalid_push_key="The key is not a key of a push subscription.",
        unknown_reminder_placeholder="The text has a placeholder that does not exist.",
    ),
    codes("not_found", 404, reminder_address_not_found="There is no such address for reminders."),
    codes(
        "conflict",
        409,
        already_reminded="The user was reminded within the last 24 hours.",
        too_many_reminder_addresses="The user has 10 addresses for reminders. Remove one first.",
    ),
)
