"""The words of qualifications."""

from trilha.kit import N_

# The state of a badge and its word.
BADGES: dict[str, tuple[str, str]] = {
    "VALID": ("ok", N_("Valid")),
    "EXPIRING": ("warn", N_("Expires soon")),
    "EXPIRED": ("bad", N_("Expired")),
    "UPCOMING": ("info", N_("Not valid yet")),
}
STATES = {state: word for state, (_, word) in BADGES.items()}
SENTENCES = {
    "ends_before_it_begins": N_("Choose a last day that is not before the first one."),
    "document_not_readable": N_("Choose a PDF, JPEG or PNG of up to 2 MB."),
    "invalid_date": N_("Enter a date."),
    "user_not_found": N_("Choose a person."),
    "too_short": N_("Fill in this field."),
}
