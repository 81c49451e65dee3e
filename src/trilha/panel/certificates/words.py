"""What is said of certificates. All msgids."""

from collections.abc import Mapping

from trilha.certificates.schema import SearchedStatus
from trilha.pages import N_, State

FILTERS: Mapping[SearchedStatus, str] = {
    "valid": N_("Valid"),
    "expiring": N_("Expires within 30 days"),
    "expired": N_("Expired"),
    "renewal": N_("Expired, to be taken again"),
    "revoked": N_("Revoked"),
    "failed": N_("PDF could not be made"),
}
RECORDS: Mapping[str, tuple[State, str, str]] = {
    "certificate.issued": ("ok", "award", N_("Issued")),
    "certificate.revoked": ("bad", "ban", N_("Revoked")),
    "certificate.reissued": ("warn", "replace", N_("Issued anew")),
    "certificate.expiring": ("warn", "calendar-clock", N_("Holder told that it expires soon")),
    "certificate.expired": ("warn", "calendar-x", N_("Expired")),
    "certificate.rendering_retried": ("info", "rotate-cw", N_("PDF asked for again")),
}
