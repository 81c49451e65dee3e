"""Many users at once, in and out."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.types import Email, Name
from trilha.users import rules
from trilha.users.documents import BirthDate, Cpf, Phone
from trilha.users.schema import Department, EmployeeNumber, JobTitle, NewCnh, NewRole, Password

BULK_MOST = 1000
# A hash takes some 20 ms of a core.
MOST_PASSWORDS = 100
Count = Annotated[int, Meta(ge=0)]
Invite = Annotated[bool, Meta(description="Whether those created without a password are invited by e-mail.")]


class BulkUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who has this `employee_number` is changed, else who has this `email`; where nobody has, a user is
    created, for which `email` and `name` are required. Members left out stay as they are; null clears one.

    `role` and `password` are those of a user that is created: who exists keeps theirs.
    """

    employee_number: EmployeeNumber | None | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    role: NewRole | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    department: Department | None | UnsetType = UNSET
    job_title: JobTitle | None | UnsetType = UNSET
    business_unit_id: UUID | None | UnsetType = UNSET
    cpf: Cpf | None | UnsetType = UNSET
    phone: Phone | None | UnsetType = UNSET
    birth_date: BirthDate | None | UnsetType = UNSET
    cnh: NewCnh | None | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class BulkUsersDescription(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that is wrong fails alone: the answer says why."""

    users: Annotated[list[BulkUser], Meta(max_length=BULK_MOST)]
    invite: Invite = True


class BulkUsers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`users` as they were sent: each is read for itself, so that a wrong one fails alone."""

    described: ClassVar = BulkUsersDescription
    most_values: ClassVar = 60_000
    users: Annotated[list[dict[str, Any]], Meta(max_length=BULK_MOST)]
    invite: Invite = True

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if sum("password" in each for each in values.get("users", ())) > MOST_PASSWORDS:
            yield problem("users", "too_many_passwords", maximum=MOST_PASSWORDS)


def is_password_given(item: Mapping[str, Any]) -> bool:
    """Whether it is of a length that is taken."""
    password = item.get("password")
    return isinstance(password, str) and 8 <= len(password) <= 128


class BulkUserError(Struct, frozen=True):
    """Why an item was not carried out. `index` counts from 0; `field` is the first member that is wrong.

    `detail` is the context of the code, as in the error of a call about one user.
    """

    index: Annotated[int, Meta(ge=0, examples=[3])]
    field: Annotated[str, Meta(examples=["cpf"])] | None
    code: Annotated[str, Meta(examples=["cpf_exists"])]
    message: Annotated[str, Meta(examples=["Another user has this CPF."])]
    detail: (
        Annotated[
            dict[str, Any],
            Meta(
                examples=[{"existing_user_id": "7e5f6a0c-2f7e-4e7b-9a51-0c9f6c1d2e3f"}],
                extra_json_schema={"additionalProperties": True},
            ),
        ]
        | UnsetType
    ) = UNSET


class BulkUsersResult(Struct, frozen=True):
    """`user_ids` are those of the items, in their order; null for one that failed."""

    created: Annotated[Count, Meta(examples=[12])]
    updated: Annotated[Count, Meta(examples=[31])]
    unchanged: Annotated[Count, Meta(examples=[956])]
    failed: Annotated[Count, Meta(examples=[1])]
    errors: list[BulkUserError]
    user_ids: list[UUID | None]
