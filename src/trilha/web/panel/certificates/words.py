"""Labels for the status and history of certificates. All are msgids."""

from collections.abc import Mapping

from trilha.kit import N_, NC_, State
from trilha.training.certificates.schema import SearchedStatus

FILTERS: Mapping[SearchedStatus, str] = {
    "valid": NC_("certificate", "Valid"),
    "expiring": N_("Expires within 30 days"),
    "expired": NC_("certificate", "Expired"),
    "renewal": N_("Expired and not renewed"),
    "revoked": NC_("certificate", "Revoked"),
    "failed": N_("Without PDF, after a failure"),
}
RECORDS: Mapping[str, tuple[State, str, str]] = {
    "certificate.issued": ("ok", "award", N_("Certificate issued")),
    "certificate.revoked": ("bad", "ban", N_("Certificate revoked")),
    "certificate.reissued": ("warn", "replace", N_("Certificate reissued")),
    "certificate.expiring": ("warn", "calendar-clock", N_("Holder notified of the upcoming expiration")),
    "certificate.expired": ("warn", "calendar-x", N_("Certificate expired")),
    "certificate.rendering_retried": ("info", "rotate-cw", N_("PDF requested again")),
}
