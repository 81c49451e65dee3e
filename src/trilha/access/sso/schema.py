"""Structs of connections, identities and the steps of a sign-in."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.access.sso.domains.schema import DomainName
from trilha.core.types import STORABLE, Name, Timestamp

Kind = Literal["OIDC", "SAML"]
Outcome = Literal["SIGNED_IN", "REFUSED", "TESTED"]
# A member of a person that an attribute may fill.
Member = Literal["name", "department", "job_title", "employee_number"]


# The provider's name for a member of a person.
Attributes = Annotated[dict[Member, Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=4)]
# The business unit that a value leads to.
Units = Annotated[dict[Annotated[str, Meta(min_length=1, max_length=200)], UUID], Meta(max_length=1000)]


class FederatedIdentity(Struct, frozen=True, kw_only=True):
    """The person that a provider signed in. Everything was signed, but nothing was checked against our data.

    `subject` identifies the person at the provider; for SAML, the NameID with its qualifiers.
    `email_verified` is None if the provider does not say. `hosted_domain` is the company that the account
    belongs to, if the provider knows companies (Google's `hd`). `session_index` is the provider's session,
    and `session_ends_at` when ours must end at the latest.
    """

    subject: str
    email: str | None
    email_verified: bool | None
    name: str | None
    attributes: Mapping[str, Sequence[str]]
    hosted_domain: str | None = None
    session_index: str | None = None
    session_ends_at: datetime | None = None


class Connection(Struct, frozen=True):
    """A provider that a tenant's people sign in with. `attributes` are the provider's names for members of a
    person, `units` the ids of business units by the values of `unit_attribute`.
    """

    id: UUID
    kind: Kind
    name: str
    enabled: bool
    jit: bool
    idp_initiated: bool
    attributes: Mapping[str, str]
    unit_attribute: str | None
    units: Mapping[str, str]
    alerts: Mapping[str, Any]
    domains: list[str]
    last_sign_in_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class ConnectionPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes of members that both kinds have. Members that are left out do not change."""

    name: Name | UnsetType = UNSET
    jit: bool | UnsetType = UNSET
    idp_initiated: bool | UnsetType = UNSET
    domains: Annotated[list[DomainName], Meta(max_length=100)] | UnsetType = UNSET
    attributes: Attributes | UnsetType = UNSET
    unit_attribute: Annotated[str, Meta(max_length=200)] | None | UnsetType = UNSET
    units: Units | UnsetType = UNSET


class Flow(Struct, frozen=True):
    """A sign-in in progress. `browser` and `nonce` are fingerprints."""

    connection_id: UUID
    browser: bytes
    nonce: bytes | None
    verifier: str | None
    return_to: str | None
    is_test: bool


class Ticket(Struct, frozen=True):
    """A ticket in use. `epoch` is the person's session_epoch when it was issued."""

    user_id: UUID
    epoch: int
    connection_id: UUID
    subject: str
    session_index: str | None
    session_ends_at: str | None


class Exchange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`ticket` is in the URL's fragment after the sign-in at the provider."""

    ticket: Annotated[str, Meta(min_length=1, max_length=200, extra_json_schema=STORABLE)]


class Step(Struct, frozen=True):
    """One step of a test, for the administrator. Contains no secret and no complete e-mail address."""

    name: str
    passed: bool
    detail: str = ""


class SignInEntry(Struct, frozen=True):
    """An entry of the sign-in log. `reference` is the code that the person was shown, `trace` the `Step`s of
    a test as JSON values.
    """

    id: UUID
    at: Timestamp
    connection_id: UUID | None
    outcome: Outcome
    code: str | None
    expected: str | None
    received: str | None
    reference: str
    user_id: UUID | None
    trace: list[Mapping[str, Any]] | None
