"""Signing in, sessions and second factors, in and out."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import STORABLE, Email, Timestamp
from trilha.mail.schema import Locale
from trilha.tenants.schema import Slug
from trilha.users.schema import Password, Role, Status, User

_TYPED = Meta(min_length=1, max_length=128, extra_json_schema=STORABLE)
# What somebody types as their password: of old rules perhaps, so that it is only compared.
TypedPassword = Annotated[str, _TYPED, Meta(examples=["correct horse battery"])]
TypedCode = Annotated[str, Meta(min_length=1, max_length=40, examples=["492039"], extra_json_schema=STORABLE)]


Unfinished = Literal["second_factor_required", "password_change_required", "second_factor_setup_required"]


class Login(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tenant_slug: Slug
    email: Email
    password: TypedPassword


class SignInResult(Struct, frozen=True):
    """`session_token` is also set as a cookie; it is not shown again. `unfinished` names the step that has to
    come before all else, as the code that other calls are refused with."""

    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])]
    expires_at: Timestamp
    user: User
    unfinished: Unfinished | None


class RenewedToken(Struct, frozen=True):
    """The session goes on under this token; it is set as the cookie, too."""

    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])]


class CurrentPassword(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    password: TypedPassword


class SessionState(Struct, frozen=True):
    """The session that asks, and whose it is."""

    id: UUID
    expires_at: Timestamp
    user: User
    tenant_slug: str
    tenant_name: str
    locale: Locale
    unfinished: Unfinished | None


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
    """Six digits of the authenticator app, or a recovery code."""

    code: TypedCode


class AuthenticatorSecret(Struct, frozen=True):
    """`secret` is typed into an app, or `uri` shown to it as a QR code. It counts once confirmed."""

    secret: Annotated[str, Meta(examples=["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"])]
    uri: Annotated[str, Meta(examples=["otpauth://totp/Trilha:ana%40example.com?secret=…"])]


class RecoveryCodes(Struct, frozen=True, omit_defaults=True):
    """Each is good once, instead of a code of the app. They are not shown again. Where the session goes on
    under another token, that is `session_token`."""

    recovery_codes: Annotated[list[str], Meta(examples=[["7KMPQ-2WXYZ"]])]
    session_token: Annotated[str, Meta(examples=["trl_session_pV3…"])] | UnsetType = UNSET


class Session(Struct, frozen=True):
    """One browser in which a person is signed in."""

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
    """What signing in reads of a person. `session_epoch` numbers the sessions that count. `password_opens` is
    false where the company lets nobody but a few administrators in by a password."""

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

    def unfinished(self, *, by_password: bool = True) -> Unfinished | None:
        """What has to be done after a sign-in, before anything else. Whoever came by a provider knows no
        password to change."""
        if self.has_authenticator:
            return "second_factor_required"
        if by_password and self.must_change_password:
            return "password_change_required"
        if self.second_factor_required and self.role == "admin":
            return "second_factor_setup_required"
        return None


class EmailChange(Struct, frozen=True):
    """An e-mail address that waits to be confirmed from the old one, or by an administrator."""

    user_id: UUID
    old_email: str
    new_email: str
    expires_at: Timestamp
    created_at: Timestamp


class SignInState(Struct, frozen=True):
    """How a person gets in, for who administers. `link_sent_at` is of a link that works still."""

    has_password: bool
    must_change_password: bool
    invitation_due: bool
    invitation_limited: bool
    has_second_factor: bool
    second_factor_locked_until: Timestamp | None
    sessions: int
    link_sent_at: Timestamp | None
    erased_at: Timestamp | None


class NewSession(Struct, frozen=True):
    """A session that was just begun, with the token that is shown this once."""

    token: str
    id: UUID
    expires_at: Timestamp
    user_id: UUID


class SignedInPerson(Struct, frozen=True):
    """A sign-in that succeeded."""

    session: NewSession
    user: User
    unfinished: Unfinished | None


class ConfirmedAuthenticator(Struct, frozen=True):
    recovery_codes: list[str]
    token: str


class Authenticator(Struct, frozen=True):
    """`failed_at` are the moments of wrong codes, and no code is taken before `locked_until`."""

    secret: bytes
    created_at: Timestamp
    confirmed_at: Timestamp | None
    last_step: int
    failed_at: list[Timestamp]
    locked_until: Timestamp | None
