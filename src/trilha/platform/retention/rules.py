"""How long logs have to be kept at least. No I/O, no clock. The database holds the same minimums."""

from collections.abc import Mapping
from types import MappingProxyType

# Records of access to an application are kept for six months (Brazil, Lei 12.965/2014, article 15), which are
# at most 184 days.
ACCESS_DAYS = 184
# Claims of employment lapse after five years (Brazil, Constitution, article 7, XXIX), which have at most
# 1,827 days. A log of learning counts from the end of the certificate's validity.
EVIDENCE_DAYS = 1_827
OPERATION_DAYS = 1
MAX_DAYS = 36_500

MIN_DAYS: Mapping[str, int] = MappingProxyType(
    {
        "audit_log_days": EVIDENCE_DAYS,
        "learning_log_days": EVIDENCE_DAYS,
        "sign_in_days": ACCESS_DAYS,
        "request_log_days": ACCESS_DAYS,
        "event_days": OPERATION_DAYS,
        "delivery_days": OPERATION_DAYS,
    }
)
_REASONS = MappingProxyType(
    {
        EVIDENCE_DAYS: "the time in which claims of employment lapse",
        ACCESS_DAYS: "as article 15 of Lei 12.965/2014 requires",
        OPERATION_DAYS: "the shortest period",
    }
)


def explain_minimum(name: str) -> str:
    """Says in a phrase how long this log has to be kept, and why."""
    days = MIN_DAYS[name]
    return f"at least {days:,} {'day' if days == 1 else 'days'}, {_REASONS[days]}"
