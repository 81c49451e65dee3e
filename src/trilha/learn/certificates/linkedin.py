"""The address by which LinkedIn adds a certificate to somebody's profile.

https://addtoprofile.linkedin.com documents its parameters.
"""

from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from trilha.certificates.learner import MyCertificate
from trilha.core.clock import in_zone

_ADDRESS = "https://www.linkedin.com/profile/add"


def address(certificate: MyCertificate, public: str, time_zone: str) -> str:
    """`public` is the certificate's page for everybody."""
    fields = {
        "startTask": "CERTIFICATION_NAME",
        "name": certificate.course_title,
        "organizationName": certificate.issued_by,
        **_month("issue", certificate.issued_at, time_zone),
        **(_month("expiration", certificate.expires_at, time_zone) if certificate.expires_at else {}),
        "certUrl": public,
        "certId": certificate.shown_code,
    }
    return f"{_ADDRESS}?{urlencode(fields)}"


def _month(name: str, moment: str, time_zone: str) -> dict[str, int]:
    when = in_zone(datetime.fromisoformat(moment), ZoneInfo(time_zone))
    return {f"{name}Year": when.year, f"{name}Month": when.month}
