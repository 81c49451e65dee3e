"""The person behind a session, as the session lookup returns them."""

from collections.abc import Sequence
from typing import ClassVar, Literal, get_args
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.errors import Forbidden, Unauthenticated
from trilha.core.web.callers import Caller
from trilha.people.users.schema import Role
from trilha.platform.mail.schema import Locale, Recipient

UnfinishedStep = Literal["second_factor_required", "password_change_required", "second_factor_setup_required"]


class Viewer(Struct, frozen=True, kw_only=True):
    """The signed-in person. `locale` is the person's own, or else the tenant's.

    `second_factor` is `setup_due` if the tenant requires two-step verification and the person has not set it
    up. `by_link`: the session began with a launch link of the company's portal.
    """

    user_id: UUID
    session_id: UUID
    email: str
    name: str
    role: Role
    own_locale: Locale | None
    must_change_password: bool
    second_factor: Literal["none", "due", "passed", "setup_due"]
    tenant_slug: str
    tenant_name: str
    tenant_locale: Locale
    environment: Literal["production", "homologation"]
    time_zone: str
    brand_colour: str | None
    logo_name: str | None
    password_minimum: int
    by_link: bool = False

    @property
    def locale(self) -> Locale:
        return self.own_locale or self.tenant_locale

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the person and the company, which are no passwords."""
        return (self.name, self.email, *self.company_names)

    @property
    def company_names(self) -> tuple[str, ...]:
        return (self.tenant_name, self.tenant_slug)

    @property
    def recipient(self) -> Recipient:
        return Recipient(self.email, self.name, self.locale, self.time_zone, self.user_id)

    @property
    def unfinished_step(self) -> UnfinishedStep | None:
        """The step that must come first, as an error code; None if the person is fully signed in."""
        if self.second_factor == "due":
            return "second_factor_required"
        if self.must_change_password:
            return "password_change_required"
        if self.second_factor == "setup_due":
            return "second_factor_setup_required"
        return None


def viewer_of(caller: Caller) -> Viewer:
    """Returns the viewer of a caller with a session."""
    assert caller.credential is not None
    return msgspec.convert(caller.credential.detail, Viewer)


def check_session(caller: Caller) -> None:
    """Raises Failure unless there is a live session."""
    if caller.failure is not None:
        raise caller.failure
    if caller.credential is None:
        raise Unauthenticated("session_missing")


def check_signed_in(caller: Caller) -> None:
    """Raises Failure unless the person is fully signed in: password, second factor, no pending change."""
    check_session(caller)
    if code := viewer_of(caller).unfinished_step:
        raise Forbidden(code)


def check_own_sign_in(caller: Caller) -> None:
    """Raises Forbidden if a launch link, and not the person, has begun the session."""
    if viewer_of(caller).by_link:
        raise Forbidden("signed_in_by_link")


class HasSession(Struct, frozen=True):
    """Requires a live session in any state; for the steps that finish a sign-in."""

    refusals: ClassVar[Sequence[str]] = ("session_missing", "session_invalid", "cross_site_request")

    def check(self, caller: Caller) -> None:
        check_session(caller)


class PastSecondFactor(Struct, frozen=True):
    """Requires a live session that has passed the second factor, if there is one.

    Otherwise a stolen password would be enough to set up a new second factor.
    """

    refusals: ClassVar[Sequence[str]] = (*HasSession.refusals, "second_factor_required")

    def check(self, caller: Caller) -> None:
        check_session(caller)
        if viewer_of(caller).second_factor == "due":
            raise Forbidden("second_factor_required")


class SignedIn(Struct, frozen=True):
    """Requires a fully signed-in person."""

    refusals: ClassVar[Sequence[str]] = (*HasSession.refusals, *get_args(UnfinishedStep))

    def check(self, caller: Caller) -> None:
        check_signed_in(caller)


class OwnSignIn(SignedIn, frozen=True):
    """Requires a person who is fully signed in, and has signed in themself."""

    refusals: ClassVar[Sequence[str]] = (*SignedIn.refusals, "signed_in_by_link")

    def check(self, caller: Caller) -> None:
        super().check(caller)
        check_own_sign_in(caller)


class OwnPastSecondFactor(PastSecondFactor, frozen=True):
    """The same, of a session that has begun with a sign-in of the person themself."""

    refusals: ClassVar[Sequence[str]] = (*PastSecondFactor.refusals, "signed_in_by_link")

    def check(self, caller: Caller) -> None:
        super().check(caller)
        check_own_sign_in(caller)


HAS_SESSION = HasSession()
OWN_SIGN_IN = OwnSignIn()
OWN_PAST_SECOND_FACTOR = OwnPastSecondFactor()
PAST_SECOND_FACTOR = PastSecondFactor()
SIGNED_IN = SignedIn()
