"""Structs of sign-in, sessions and second factors."""

from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.access.permissions.viewer import UnfinishedStep
from trilha.core.types import STORABLE, Email, Timestamp
from trilha.people.users.schema import Password, Role, Status, User
from trilha.platform.mail.schema import Locale
from trilha.platform.tenants.schema import Slug

_TYPED_TEXT = Meta(min_length=1, max_length=128, extra_json_schema=STORABLE)
# A password as typed, only for comparison: it may be older than today's rules.
TypedPassword = Annotated[str, _TYPED_TEXT, Meta(examples=["correct horse battery"])]
TypedCode = Annotated[str, Meta(min_length=1, max_length=40, examples=["492039"], extra_json_schema=STORABLE)]


class Login(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tenant_slug: Slug
    email: Email
    password: TypedPassword


class SignInResult(Struct, frozen=True):
    """A new session. `session_token` is also set as a cookie and is not shown again. `unfinished` is the step
    that must come next, as the error code of other calls until then.
    """

    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])]
    expires_at: Timestamp
    user: User
    unfinished: UnfinishedStep | None


class RenewedToken(Struct, frozen=True):
    """The session's new token. It is also set as the cookie."""

    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])]


class CurrentPassword(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    password: TypedPassword


class SessionState(Struct, frozen=True):
    """The current session and its person."""

    id: UUID
    expires_at: Timestamp
    user: User
    tenant_slug: str
    tenant_name: str
    locale: Locale
    unfinished: UnfinishedStep | None


class PasswordChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    current_password: TypedPassword
    new_password: Password


class ResetRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tenant_slug: Slug
    email: Email


class PasswordReset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`token` is the last part of the mailed link."""

    token: Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema=STORABLE)]
    new_password: Password


class SecondFactorCode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A six-digit code of the authenticator app, or a recovery code."""

    code: TypedCode


class AuthenticatorSecret(Struct, frozen=True):
    """A new authenticator app. Type `secret` into the app, or show it `uri` as a QR code. It takes effect
    once a code is confirmed.
    """

    secret: Annotated[str, Meta(examples=["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"])]
    uri: Annotated[str, Meta(examples=["otpauth://totp/Trilha:ana%40example.com?secret=…"])]


class RecoveryCodes(Struct, frozen=True, omit_defaults=True):
    """Recovery codes. Each works once instead of a code of the app, and is not shown again. `session_token`
    is present if the session continues under a new token.
    """

    recovery_codes: Annotated[list[str], Meta(examples=[["7KMPQ-2WXYZ"]])]
    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])] | UnsetType = UNSET


class Session(Struct, frozen=True):
    """A browser in which the person is signed in."""

    id: UUID
    device: Annotated[str, Meta(examples=["Firefox, Windows"])]
    source: Annotated[str, Meta(examples=["203.0.113.7"])]
    current: bool
    last_seen_at: Timestamp
    expires_at: Timestamp
    created_at: Timestamp


class Sessions(Struct, frozen=True):
    sessions: list[Session]


class SessionRow(Struct, frozen=True):
    id: UUID
    agent: str
    source: str
    last_seen_at: Timestamp
    expires_at: Timestamp
    created_at: Timestamp


class Account(Struct, frozen=True):
    """A person, as signing in needs them. `session_epoch` is the number of valid sessions' epoch.
    `password_opens` is False if the company requires single sign-on and the person has no emergency access.
    """

    id: UUID
    email: str
    name: str
    role: Role
    status: Status
    password_hash: str | None
    must_change_password: bool
    session_epoch: int
    locale: Locale
    time_zone: str
    has_authenticator: bool
    second_factor_required: bool
    password_opens: bool

    def find_unfinished_step(self, *, by_password: bool = True) -> UnfinishedStep | None:
        """Returns the step that must come after signing in. People who came by a provider have no password to
        change.
        """
        if self.has_authenticator:
            return "second_factor_required"
        if by_password and self.must_change_password:
            return "password_change_required"
        if self.second_factor_required and self.role == "admin":
            return "second_factor_setup_required"
        return None


class EmailChange(Struct, frozen=True):
    """A new e-mail address that waits for confirmation, by the old address or by an administrator."""

    user_id: UUID
    old_email: str
    new_email: str
    expires_at: Timestamp
    created_at: Timestamp


class SignInState(Struct, frozen=True):
    """How a person can sign in, for administrators. `link_sent_at` is the time of a link that still works."""

    has_password: bool
    must_change_password: bool
    invitation_due: bool
    invitation_limited: bool
    has_second_factor: bool
    second_factor_locked_until: Timestamp | None
    passkeys: int
    sessions: int
    link_sent_at: Timestamp | None
    erased_at: Timestamp | None


class NewSession(Struct, frozen=True):
    """A new session with its token, which is never shown again."""

    token: str
    id: UUID
    expires_at: Timestamp
    user_id: UUID


class SignedInPerson(Struct, frozen=True):
    """A successful sign-in."""

    session: NewSession
    user: User
    unfinished: UnfinishedStep | None


class ConfirmedAuthenticator(Struct, frozen=True):
    recovery_codes: list[str]
    token: str


class Authenticator(Struct, frozen=True):
    """An authenticator app. `failed_at` are the times of wrong codes; no code is accepted before
    `locked_until`.
    """

    secret: bytes
    created_at: Timestamp
    confirmed_at: Timestamp | None
    last_step: int
    failed_at: list[Timestamp]
    locked_until: Timestamp | None
