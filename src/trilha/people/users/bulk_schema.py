"""Structs of the bulk call for users."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.types import Email, Name
from trilha.people.custom_fields.schema import NewValues
from trilha.people.users import rules
from trilha.people.users.documents import BirthDate, Cpf, Phone
from trilha.people.users.schema import (
    Department,
    EmployeeNumber,
    HireDate,
    JobTitle,
    NewCnh,
    NewRole,
    Password,
)

BULK_LIMIT = 1000
# Hashing one password takes about 20 ms of CPU time.
MAX_PASSWORDS = 100
Count = Annotated[int, Meta(ge=0)]
Invite = Annotated[bool, Meta(description="Whether to e-mail an invitation to new users without a password.")]


class BulkUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user to create or update. The item updates the user with this `employee_number`, or else with this
    `email`; if there is none, it creates a user and requires `email` and `name`. Members that are left out do
    not change; null clears one.

    `role` and `password` apply only to new users.
    """

    employee_number: EmployeeNumber | None | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    role: NewRole | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    department: Department | None | UnsetType = UNSET
    job_title: JobTitle | None | UnsetType = UNSET
    business_unit_id: UUID | None | UnsetType = UNSET
    hire_date: HireDate | None | UnsetType = UNSET
    custom_fields: NewValues | UnsetType = UNSET
    cpf: Cpf | None | UnsetType = UNSET
    phone: Phone | None | UnsetType = UNSET
    birth_date: BirthDate | None | UnsetType = UNSET
    cnh: NewCnh | None | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.new_user_problems(values, today)


class BulkUsersDescription(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each item succeeds or fails on its own. The response lists the errors."""

    users: Annotated[list[BulkUser], Meta(max_length=BULK_LIMIT)]
    invite: Invite = True


class BulkUsers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The raw items, each of which is parsed separately, so that an invalid one fails alone."""

    described: ClassVar = BulkUsersDescription
    most_values: ClassVar = 60_000
    users: Annotated[list[dict[str, Any]], Meta(max_length=BULK_LIMIT)]
    invite: Invite = True

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if sum("password" in item for item in values.get("users", ())) > MAX_PASSWORDS:
            yield problem("users", "too_many_passwords", maximum=MAX_PASSWORDS)


def has_acceptable_password(item: Mapping[str, Any]) -> bool:
    """Returns whether the password may be chosen."""
    password = item.get("password")
    return isinstance(password, str) and rules.find_password_problem(password) is None


class BulkUserError(Struct, frozen=True):
    """Why an item failed. `index` counts from 0; `field` is the first invalid member.

    `detail` has the same context as the error of a single-user call.
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
    """The result of a bulk call. `user_ids` has one id per item, in the order of the request; null for a
    failed item.
    """

    created: Annotated[Count, Meta(examples=[12])]
    updated: Annotated[Count, Meta(examples=[31])]
    unchanged: Annotated[Count, Meta(examples=[956])]
    failed: Annotated[Count, Meta(examples=[1])]
    errors: list[BulkUserError]
    user_ids: list[UUID | None]
