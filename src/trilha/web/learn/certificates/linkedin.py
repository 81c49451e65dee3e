"""The address that adds a certificate to a LinkedIn profile.

https://addtoprofile.linkedin.com documents its parameters.
"""

from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from trilha.core.clock import in_zone
from trilha.training.certificates.learner import MyCertificate

_ADDRESS = "https://www.linkedin.com/profile/add"


def address(certificate: MyCertificate, public: str, time_zone: str) -> str:
    """Returns the address. `public` is the certificate's public page."""
    fields = {
        "startTask": "CERTIFICATION_NAME",
        "name": certificate.course_title,
        "organizationName": certificate.issued_by,
        **_month("issue", certificate.issued_at, time_zone),
        **(_month("expiration", certificate.expires_at, time_zone) if certificate.expires_at else {}),
        "certUrl": public,
        "certId": certificate.display_code,
    }
    return f"{_ADDRESS}?{urlencode(fields)}"


def _month(name: str, moment: str, time_zone: str) -> dict[str, int]:
    when = in_zone(datetime.fromisoformat(moment), ZoneInfo(time_zone))
    return {f"{name}Year": when.year, f"{name}Month": when.month}
