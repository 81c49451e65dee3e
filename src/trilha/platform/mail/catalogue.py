"""The catalog of e-mails: one Struct for each kind. Texts are in `templates/<locale>/<kind>.txt` and `.html`.

Members are values for the templates. They may be secrets, so they are stored sealed, and a subject must
not contain them.
"""

from typing import get_args
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


class Message(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The values of one e-mail."""

    @classmethod
    def kind(cls) -> str:
        tag = cls.__struct_config__.tag
        assert isinstance(tag, str)
        return tag


class PasswordReset(Message, frozen=True, kw_only=True, tag="password_reset"):
    """Sent when somebody requests a new password. `link` works once, for `minutes`."""

    link: str
    minutes: int


class PasswordChanged(Message, frozen=True, kw_only=True, tag="password_changed"):
    """Sent after a password change. `address` is the browser's IP address. `link` leads to the password
    reset.
    """

    at: Timestamp
    address: str
    link: str


class EmailChanged(Message, frozen=True, kw_only=True, tag="email_changed"):
    """Sent to the previous address. It does not reveal the new address, which may belong to somebody else."""

    at: Timestamp


class EmailChangeRequested(Message, frozen=True, kw_only=True, tag="email_change_requested"):
    """Sent to the current address. `link` works once, for `hours`, and lets the person confirm or refuse
    the new address.
    """

    new_email: str
    link: str
    hours: int


class NewAddress(Message, frozen=True, kw_only=True, tag="new_address"):
    """Sent to the new address of an account."""

    at: Timestamp


class NewSignIn(Message, frozen=True, kw_only=True, tag="new_sign_in"):
    """Sent after a sign-in from a new browser. `link` leads to the person's sessions."""

    at: Timestamp
    address: str
    device: str
    link: str


class SecondFactorOn(Message, frozen=True, kw_only=True, tag="second_factor_on"):
    """Sent when two-step verification is turned on. `link` leads to the person's security page."""

    at: Timestamp
    link: str


class SecondFactorOff(Message, frozen=True, kw_only=True, tag="second_factor_off"):
    """Sent when two-step verification is turned off, by the person or `by_administrator`. `link` leads to
    the security page.
    """

    at: Timestamp
    by_administrator: bool
    link: str


class SecondFactorLocked(Message, frozen=True, kw_only=True, tag="second_factor_locked"):
    """Sent when too many wrong codes follow a correct password. `address` is the browser's IP address;
    `link` leads to the password reset.
    """

    at: Timestamp
    address: str
    link: str


class PasskeyAdded(Message, frozen=True, kw_only=True, tag="passkey_added"):
    """Sent when a person adds a passkey. `passkey` is its name; `link` leads to the security page."""

    at: Timestamp
    passkey: str
    link: str


class PasskeyRemoved(Message, frozen=True, kw_only=True, tag="passkey_removed"):
    """Sent when passkeys are removed, by the person or `by_administrator`. `passkey` has their names; `link`
    leads to the security page.
    """

    at: Timestamp
    passkey: str
    by_administrator: bool
    link: str


class Invitation(Message, frozen=True, kw_only=True, tag="invitation"):
    """Sent for a new account. `link` works once, for `days`, and lets the person choose a password."""

    link: str
    days: int


class TemporaryPassword(Message, frozen=True, kw_only=True, tag="temporary_password"):
    """Sent when an administrator sets a password, which must be changed at the first sign-in. `link` leads
    to the sign-in page.
    """

    password: str
    link: str


class ImportFinished(Message, frozen=True, kw_only=True, tag="import_finished"):
    """Sent when an import of people ends. The numbers are rows. `link` leads to the report."""

    file: str
    created: int
    updated: int
    unchanged: int
    failed: int
    link: str


class CertificateIssued(Message, frozen=True, kw_only=True, tag="certificate_issued"):
    """Sent when a course is completed. `link` leads to the certificate."""

    course: str
    expires_at: Timestamp | None
    link: str


class CertificateExpires(Message, frozen=True, kw_only=True, tag="certificate_expires"):
    """Sent 30 days before a certificate expires. `link` leads to it."""

    course: str
    expires_at: Timestamp
    link: str


class CertificateExpired(Message, frozen=True, kw_only=True, tag="certificate_expired"):
    """Sent when a certificate has expired, so the course can be taken again. `link` leads to it."""

    course: str
    expires_at: Timestamp
    link: str


class QualificationExpires(Message, frozen=True, kw_only=True, tag="qualification_expires"):
    """Sent 30 days and a week before a person's qualification expires. `expires_at` is on its last
    day.
    """

    title: str
    expires_at: Timestamp


class RecordsErased(Message, frozen=True, kw_only=True, tag="records_erased"):
    """Sent to administrators when evidence of training is kept no longer, at least 30 days before its
    erasure. `records` is of how many enrollments, and `at` when the first is erased.
    """

    records: int
    at: Timestamp
    link: str


class ReportSummary(Message, frozen=True, kw_only=True, tag="report_summary"):
    """A weekly or monthly summary of training, within the recipient's reach. The counts are None if there are
    too many people to count.

    `course`, `unit` and `group` are the names of the report's filters. `completed_lately` counts the last
    `months`. `link` leads to the report and requires a sign-in.
    """

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


class ReminderItem(Struct, frozen=True, kw_only=True):
    """One thing that a person is reminded of, as a sentence in their language."""

    kind: str
    enrollment_id: UUID | None
    request_id: UUID | None = None
    sentence: str
    due_at: Timestamp | None
    text: str | None
    link: str


class Reminders(Message, frozen=True, kw_only=True, tag="reminders"):
    """Sent for everything of which a person is reminded at one time. `own_subject` is the company's own."""

    items: tuple[ReminderItem, ...]
    own_subject: str | None = None


class DigestPerson(Struct, frozen=True, kw_only=True):
    """A person who is overdue, and the titles of what they lack."""

    name: str
    titles: tuple[str, ...]


class ManagerDigest(Message, frozen=True, kw_only=True, tag="manager_digest"):
    """Sent to managers once a week: how much of their people's mandatory training is overdue or due soon, and
    the first people who are overdue.
    """

    overdue: int
    due_soon: int
    people: tuple[DigestPerson, ...]
    link: str


class DomainRecordMissing(Message, frozen=True, kw_only=True, tag="domain_record_missing"):
    """Sent when a domain's DNS record is missing. The verification ends at `expires_at`."""

    domain: str
    record_name: str
    record_value: str
    expires_at: Timestamp
    link: str


class DomainVerificationEnded(Message, frozen=True, kw_only=True, tag="domain_verification_ended"):
    """Sent when the record was missing for so long that the domain is no longer verified."""

    domain: str
    link: str


class SsoCertificatesChanged(Message, frozen=True, kw_only=True, tag="sso_certificates_changed"):
    """Sent when the identity provider of a connection changes its signing certificates. The values are
    SHA-256 fingerprints.
    """

    connection: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    link: str


class SsoCertificateExpires(Message, frozen=True, kw_only=True, tag="sso_certificate_expires"):
    """Sent when the last certificate of a connection's provider expires soon or has expired."""

    connection: str
    expires_at: Timestamp
    link: str


class MeetingEvent(Struct, frozen=True, kw_only=True):
    """The calendar event of an iCalendar mail (RFC 5546): a session of a class, for one person.

    `sequence` rises with each message about the same `uid`. `time_zone` is the IANA time zone of the place.
    """

    uid: str
    sequence: int
    title: str
    course: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    meeting_url: str | None


class SessionInvitation(Message, frozen=True, kw_only=True, tag="session_invitation"):
    """Sent to who has a place in a class, for each session that is not over. `link` leads to their
    calendar.
    """

    event: MeetingEvent
    link: str


class SessionChange(Message, frozen=True, kw_only=True, tag="session_change"):
    """Sent when the time, the place or the link of a session changes."""

    event: MeetingEvent
    link: str


class SessionCancellation(Message, frozen=True, kw_only=True, tag="session_cancellation"):
    """Sent when a session or a person's place in the class is cancelled. `reason` is that of the session."""

    event: MeetingEvent
    reason: str | None
    link: str


class TestMessage(Message, frozen=True, kw_only=True, tag="test"):
    """Sent by `trilha mail test`."""


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
    | PasskeyAdded
    | PasskeyRemoved
    | Invitation
    | TemporaryPassword
    | ImportFinished
    | CertificateIssued
    | CertificateExpires
    | CertificateExpired
    | QualificationExpires
    | RecordsErased
    | ReportSummary
    | Reminders
    | ManagerDigest
    | DomainRecordMissing
    | DomainVerificationEnded
    | SsoCertificatesChanged
    | SsoCertificateExpires
    | SessionInvitation
    | SessionChange
    | SessionCancellation
    | TestMessage
)
CATALOGUE: dict[str, type[Message]] = {each.kind(): each for each in get_args(AnyMessage)}
