"""Structs of users."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, cast, get_args
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem
from trilha.core.moments import IsoDay
from trilha.core.types import STORABLE, Choice, Email, InvalidValue, Line, Name, SearchWords, Text, Timestamp
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.people.custom_fields.schema import NewValues, Values
from trilha.people.users import rules
from trilha.people.users.documents import BirthDate, CnhCategory, CnhNumber, Cpf, ExpiryDate, Phone

Role = Literal["learner", "admin", "gestor", "instrutor"]
Status = Literal["ACTIVE", "SUSPENDED", "INACTIVE"]


class Password(Text):
    """A new password: 8 to 128 characters, and not a common one. What takes it also refuses names of the
    person and the company.
    """

    __slots__ = ()
    schema = {
        "type": "string",
        "minLength": rules.PASSWORD_LENGTHS.start,
        "maxLength": rules.PASSWORD_LENGTHS.stop - 1,
        "examples": ["correct horse battery"],
        **STORABLE,
    }
    codes = ("too_short", "too_long", "invalid_text", "password_common", "password_is_name")

    @classmethod
    def normalise(cls, text: str) -> str:
        if (code := rules.find_password_problem(text)) is not None:
            raise InvalidValue(code)
        return text


class Department(Line, example="Logística"):
    __slots__ = ()


class JobTitle(Line, example="Motorista"):
    __slots__ = ()


class EmployeeNumber(Line, example="A1042"):
    __slots__ = ()


class HireDate(IsoDay):
    """The first day at the company, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "date", "examples": ["2021-03-01"]}


class NewRole(Text):
    """A role that the API can assign. Administrators are created in the admin panel."""

    __slots__ = ()
    schema = {"type": "string", "enum": ["learner", "gestor", "instrutor"]}
    codes = ("role_not_allowed", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        if text == "admin":
            raise InvalidValue("role_not_allowed")
        if text not in cls.schema["enum"]:
            raise InvalidValue("invalid_value")
        return text


class NewCnh(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A driver's license (Carteira Nacional de Habilitação)."""

    numero: CnhNumber
    categoria: CnhCategory
    validade: ExpiryDate
    ear: bool


class NewUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    email: Email
    name: Name
    role: NewRole = cast(NewRole, "learner")
    password: Password | None = None
    department: Department | None = None
    job_title: JobTitle | None = None
    business_unit_id: UUID | None = None
    employee_number: EmployeeNumber | None = None
    hire_date: HireDate | None = None
    custom_fields: NewValues | UnsetType = UNSET
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh: NewCnh | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.new_user_problems(values, today)


class UserPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members that are left out do not change; null clears one. A new `email` ends the person's sessions.
    Only a learner's address can change here; use the admin panel for instructors, managers and
    administrators.
    """

    email: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    department: Department | None | UnsetType = UNSET
    job_title: JobTitle | None | UnsetType = UNSET
    business_unit_id: UUID | None | UnsetType = UNSET
    employee_number: EmployeeNumber | None | UnsetType = UNSET
    hire_date: HireDate | None | UnsetType = UNSET
    custom_fields: NewValues | UnsetType = UNSET
    cpf: Cpf | None | UnsetType = UNSET
    phone: Phone | None | UnsetType = UNSET
    birth_date: BirthDate | None | UnsetType = UNSET
    cnh: NewCnh | None | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class Cnh(Struct, frozen=True):
    """A driver's license. The number is masked."""

    numero: Annotated[str, Meta(examples=["*********09"])]
    categoria: Annotated[str, Meta(examples=["AB"])]
    validade: Annotated[str, Meta(examples=["2031-03-09"])]
    ear: bool


class User(Struct, frozen=True):
    """A person in the tenant's directory. Documents are masked."""

    id: UUID
    email: Annotated[str, Meta(examples=["ana.lima@example.com"])]
    name: Annotated[str, Meta(examples=["Ana Lima"])]
    role: Annotated[Role, Meta(examples=["learner"])]
    status: Status
    department: Annotated[str, Meta(examples=["Logística"])] | None
    job_title: Annotated[str, Meta(examples=["Motorista"])] | None
    business_unit_id: UUID | None
    employee_number: Annotated[str, Meta(examples=["A1042"])] | None
    hire_date: Annotated[str, Meta(examples=["2021-03-01"])] | None
    custom_fields: Values
    cpf: Annotated[str, Meta(examples=["***.***.***-25"])] | None
    phone: Annotated[str, Meta(examples=["(**) *****-**21"])] | None
    birth_date: Annotated[str, Meta(examples=["****-**-**"])] | None
    cnh: Cnh | None
    xp: Annotated[int, Meta(ge=0, examples=[220])]
    level: Annotated[int, Meta(ge=1, examples=[1])]
    last_login_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class StatusFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": [*get_args(Status)], "examples": ["ACTIVE"]}


class RoleFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": [*get_args(Role)], "examples": ["learner"]}


_FINDS = (
    "Returns users for whom every search word is the beginning of a word in the name, e-mail address or "
    "employee number. Users whose name contains the longest search word come first. With `updated_since`, "
    "results are ordered by their last change. Only the first six words are used."
)


class StoredUser(User, frozen=True):
    """A user with their sealed documents. `address_unconfirmed` is set while nobody has confirmed an address
    that an integration changed, or with which it created the user along with a password.
    """

    address_unconfirmed: bool

    custom_fields_sealed: bytes | None
    cpf_sealed: bytes | None
    phone_sealed: bytes | None
    birth_date_sealed: bytes | None
    cnh_sealed: bytes | None


class PersonWithFields(Struct, frozen=True):
    """A user's custom fields as they are stored."""

    id: UUID
    custom_fields: dict[str, Any]
    custom_fields_sealed: bytes | None


class UserQuery(SyncQuery, frozen=True, kw_only=True):
    status: Annotated[StatusFilter, Meta(description="Returns users with this status.")] | None = None
    email: Annotated[Email, Meta(description="Returns the user with this e-mail address.")] | None = None
    role: Annotated[RoleFilter, Meta(description="Returns users with this role.")] | None = None
    employee_number: Annotated[EmployeeNumber, Meta(description="Returns users with this number.")] | None = (
        None
    )
    department: Annotated[Department, Meta(description="Returns users in this department.")] | None = None
    business_unit_id: (
        Annotated[
            UUID, Meta(description="Returns users directly in this business unit, not in units below it.")
        ]
        | None
    ) = None
    q: Annotated[SearchWords, Meta(description=_FINDS)] | None = None
    created_since: (
        Annotated[Timestamp, Meta(description="Returns users created at or after this time.")] | None
    ) = None


class UserSearch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search by a value that must not appear in a URL."""

    cpf: Cpf


class CreatedMeta(Struct, frozen=True, omit_defaults=True):
    """`temporary_password` is only in this response, and only if the request had no password."""

    temporary_password: Annotated[str, Meta(examples=["hT7mQx4VbN9cKw2R"])] | None = None


class CreatedUser(Struct, frozen=True, omit_defaults=True):
    data: User
    _meta: CreatedMeta | UnsetType = UNSET


class Profile(Struct, frozen=True):
    """What other features' rules need to know of a user."""

    id: UUID
    status: Status
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: Any


Sort = Literal["name", "-name", "email", "-email", "last_login", "-last_login", "created", "-created"]


class PeopleQuery(ListQuery, frozen=True, kw_only=True):
    """Filters of the panel's list of people. A `sort` that begins with `-` is descending.

    `q` has beginnings of words of a name, an e-mail address or an employee number, all of which must match,
    or a whole CPF. `custom` is a custom field and its value, such as `shift:Noite`. `unit` includes the units
    below it. `licence_expired` selects active people with an expired driver's license who take a course that
    requires one.
    """

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: Status | None = None
    role: Role | None = None
    unit: UUID | None = None
    without_unit: bool = False
    licence_expired: bool = False
    group: UUID | None = None
    custom: Annotated[str, Meta(max_length=250)] | None = None
    sort: Sort = "name"


class Person(Struct, frozen=True):
    """A user in the panel's list. The list is ordered by `name_key` or `last_login_key`."""

    id: UUID
    name_key: str
    email: str
    name: str
    role: Role
    status: Status
    department: str | None
    job_title: str | None
    business_unit_id: UUID | None
    business_unit: str | None
    employee_number: str | None
    cpf: str | None
    invitation_due: bool
    last_login_at: Timestamp | None
    last_login_key: Timestamp
    created_at: Timestamp
