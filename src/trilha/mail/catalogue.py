"""Every e-mail there is, one Struct a kind. Its text is in `templates/<locale>/<kind>.txt` and `.html`.

Members are values that the templates show, and may be secrets: they are stored sealed. A subject shows none.
"""

from typing import get_args

from msgspec import Struct

from trilha.core.types import Timestamp


class Message(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What one e-mail says."""

    @classmethod
    def kind(cls) -> str:
        tag = cls.__struct_config__.tag
        assert isinstance(tag, str)
        return tag


class PasswordReset(Message, frozen=True, kw_only=True, tag="password_reset"):
    """Somebody asked for a new password. `link` works once, for so many minutes."""

    link: str
    minutes: int


class PasswordChanged(Message, frozen=True, kw_only=True, tag="password_changed"):
    """`address` is that of the browser. `link` leads to asking for another password."""

    at: Timestamp
    address: str
    link: str


class EmailChanged(Message, frozen=True, kw_only=True, tag="email_changed"):
    """Goes to the address that the account had. The new one is not told: it may be somebody else's."""

    at: Timestamp


class EmailChangeRequested(Message, frozen=True, kw_only=True, tag="email_change_requested"):
    """Goes to the address that the account has. `link` works once, for so many hours, and lets the person
    confirm or refuse the new address."""

    new_email: str
    link: str
    hours: int


class NewAddress(Message, frozen=True, kw_only=True, tag="new_address"):
    """Goes to the address that an account has been given."""

    at: Timestamp


class NewSignIn(Message, frozen=True, kw_only=True, tag="new_sign_in"):
    """A sign-in from a browser that the person had not used. `link` leads to their sessions."""

    at: Timestamp
    address: str
    device: str
    link: str


class SecondFactorOn(Message, frozen=True, kw_only=True, tag="second_factor_on"):
    """`link` leads to the person's security page."""

    at: Timestamp
    link: str


class SecondFactorOff(Message, frozen=True, kw_only=True, tag="second_factor_off"):
    """`by_administrator`: not the person themselves. `link` leads to their security page."""

    at: Timestamp
    by_administrator: bool
    link: str


class SecondFactorLocked(Message, frozen=True, kw_only=True, tag="second_factor_locked"):
    """Too many wrong codes were entered after the right password. `address` is that of the browser; `link`
    leads to asking for another password."""

    at: Timestamp
    address: str
    link: str


class Invitation(Message, frozen=True, kw_only=True, tag="invitation"):
    """An account was made. `link` works once, for so many days, and lets the person choose a password."""

    link: str
    days: int


class TemporaryPassword(Message, frozen=True, kw_only=True, tag="temporary_password"):
    """An administrator set a password, to be changed at the first sign-in. `link` leads to signing in."""

    password: str
    link: str


class ImportFinished(Message, frozen=True, kw_only=True, tag="import_finished"):
    """An import of people came to its end; the numbers are rows. `link` leads to its report."""

    file: str
    created: int
    updated: int
    unchanged: int
    failed: int
    link: str


class CertificateIssued(Message, frozen=True, kw_only=True, tag="certificate_issued"):
    """A course was completed. `link` leads to the person's certificate."""

    course: str
    expires_at: Timestamp | None
    link: str


class CertificateExpires(Message, frozen=True, kw_only=True, tag="certificate_expires"):
    """A certificate expires in 30 days. `link` leads to it."""

    course: str
    expires_at: Timestamp
    link: str


class CertificateExpired(Message, frozen=True, kw_only=True, tag="certificate_expired"):
    """A certificate has expired, and the course can be taken anew. `link` leads to it."""

    course: str
    expires_at: Timestamp
    link: str


class ReportSummary(Message, frozen=True, kw_only=True, tag="report_summary"):
    """How training goes, as whoever asked for it may see it: every week, or month. There are no counts of
    people who are too many to be counted. `course`, `unit` and `group` name what alone it is of;
    `completed_lately` were in the last `months`. `link` leads to the report, behind the sign-in."""

    monthly: bool
    course: str | None = None
    unit: str | None = None
    group: str | None = None
    completed_lately: int | None = None
    months: int = 12
    enrollments: int | None
    completed: int | None
    open: int | None
    overdue: int | None
    link: str


class DomainRecordMissing(Message, frozen=True, kw_only=True, tag="domain_record_missing"):
    """The record that shows whose a domain is has gone; the verification ends with `expires_at`."""

    domain: str
    record_name: str
    record_value: str
    expires_at: Timestamp
    link: str


class DomainVerificationEnded(Message, frozen=True, kw_only=True, tag="domain_verification_ended"):
    """The record was gone for so long that the domain counts as the tenant's no more."""

    domain: str
    link: str


class SsoCertificatesChanged(Message, frozen=True, kw_only=True, tag="sso_certificates_changed"):
    """The provider of a connection signs with other certificates than before: SHA-256 fingerprints."""

    connection: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    link: str


class SsoCertificateExpires(Message, frozen=True, kw_only=True, tag="sso_certificate_expires"):
    """The last certificate of a connection's provider ends soon, or has."""

    connection: str
    expires_at: Timestamp
    link: str


class TestMessage(Message, frozen=True, kw_only=True, tag="test"):
    """What `trilha mail test` sends."""


AnyMessage = (
    PasswordReset
    | PasswordChanged
    | EmailChanged
    | EmailChangeRequested
    | NewAddress
    | NewSignIn
    | SecondFactorOn
    | SecondFactorOff
    | SecondFactorLocked
    | Invitation
    | TemporaryPassword
    | ImportFinished
    | CertificateIssued
    | CertificateExpires
    | CertificateExpired
    | ReportSummary
    | DomainRecordMissing
    | DomainVerificationEnded
    | SsoCertificatesChanged
    | SsoCertificateExpires
    | TestMessage
)
CATALOGUE: dict[str, type[Message]] = {each.kind(): each for each in get_args(AnyMessage)}
