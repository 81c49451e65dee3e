"""Users, in and out."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, cast, get_args
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem
from trilha.core.types import STORABLE, Choice, Email, Line, Name, Refused, SearchWords, Text, Timestamp
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.users import rules
from trilha.users.documents import BirthDate, CnhCategory, CnhNumber, Cpf, ExpiryDate, Phone

Role = Literal["learner", "admin", "gestor", "instrutor"]
Status = Literal["ACTIVE", "SUSPENDED", "INACTIVE"]
Password = Annotated[
    str,
    Meta(min_length=8, max_length=128, examples=["correct horse battery"], extra_json_schema=STORABLE),
]


class Department(Line, example="Logística"):
    __slots__ = ()


class JobTitle(Line, example="Motorista"):
    __slots__ = ()


class EmployeeNumber(Line, example="A1042"):
    __slots__ = ()


class NewRole(Text):
    """A role that can be given through the API. Administrators are created in the admin panel."""

    __slots__ = ()
    schema = {"type": "string", "enum": ["learner", "gestor", "instrutor"]}
    codes = ("role_not_allowed", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        if text == "admin":
            raise Refused("role_not_allowed")
        if text not in cls.schema["enum"]:
            raise Refused("invalid_value")
        return text


class NewCnh(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A driving licence (Carteira Nacional de Habilitação)."""

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
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh: NewCnh | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class UserPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members left out stay as they are; null clears one. Another `email` ends the person's sessions. Only a
    learner's changes here: that of an instructor, manager or administrator changes in the admin panel."""

    email: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    department: Department | None | UnsetType = UNSET
    job_title: JobTitle | None | UnsetType = UNSET
    business_unit_id: UUID | None | UnsetType = UNSET
    employee_number: EmployeeNumber | None | UnsetType = UNSET
    cpf: Cpf | None | UnsetType = UNSET
    phone: Phone | None | UnsetType = UNSET
    birth_date: BirthDate | None | UnsetType = UNSET
    cnh: NewCnh | None | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class Cnh(Struct, frozen=True):
    """A driving licence as it is read: the number masked."""

    numero: Annotated[str, Meta(examples=["*********09"])]
    categoria: Annotated[str, Meta(examples=["AB"])]
    validade: Annotated[str, Meta(examples=["2031-03-09"])]
    ear: bool


class User(Struct, frozen=True):
    """A person of the tenant. Documents are masked."""

    id: UUID
    email: Annotated[str, Meta(examples=["ana.lima@example.com"])]
    name: Annotated[str, Meta(examples=["Ana Lima"])]
    role: Annotated[Role, Meta(examples=["learner"])]
    status: Status
    department: Annotated[str, Meta(examples=["Logística"])] | None
    job_title: Annotated[str, Meta(examples=["Motorista"])] | None
    business_unit_id: UUID | None
    employee_number: Annotated[str, Meta(examples=["A1042"])] | None
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
    "Only those in whom every word begins a word of the name, the e-mail address or the employee number. "
    "Those whose name has the longest word come first, by name, then the others; with `updated_since`, all "
    "by their last change. Six words count."
)


class StoredUser(User, frozen=True):
    """A user with the ciphertexts of their documents, and whether nobody has confirmed their address since an
    integration changed it, or created them with a password."""

    address_unconfirmed: bool

    cpf_sealed: bytes | None
    phone_sealed: bytes | None
    birth_date_sealed: bytes | None
    cnh_sealed: bytes | None


class UserQuery(SyncQuery, frozen=True, kw_only=True):
    status: Annotated[StatusFilter, Meta(description="Only those in this state.")] | None = None
    email: Annotated[Email, Meta(description="Only the user with this e-mail address.")] | None = None
    role: Annotated[RoleFilter, Meta(description="Only those with this role.")] | None = None
    employee_number: Annotated[EmployeeNumber, Meta(description="Only those with this number.")] | None = None
    department: Annotated[Department, Meta(description="Only those of this department.")] | None = None
    business_unit_id: (
        Annotated[UUID, Meta(description="Only those of this business unit; not of those below it.")] | None
    ) = None
    q: Annotated[SearchWords, Meta(description=_FINDS)] | None = None
    created_since: (
        Annotated[Timestamp, Meta(description="Only those created at or after this moment.")] | None
    ) = None


class UserSearch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a user is looked for by that may stand in no address."""

    cpf: Cpf


class CreatedMeta(Struct, frozen=True, omit_defaults=True):
    """`temporary_password` is shown this once, when the request brought no password."""

    temporary_password: Annotated[str, Meta(examples=["hT7mQx4VbN9cKw2R"])] | None = None


class CreatedUser(Struct, frozen=True, omit_defaults=True):
    data: User
    _meta: CreatedMeta | UnsetType = UNSET


class Profile(Struct, frozen=True):
    """What the rules of other features read of a user."""

    id: UUID
    status: Status
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: Any


Sort = Literal["name", "-name", "email", "-email", "last_login", "-last_login", "created", "-created"]


class PeopleQuery(ListQuery, frozen=True, kw_only=True):
    """What the panel's list of people takes. `-` before a `sort` is descending.

    `q` is what was typed: beginnings of words of a name, of an e-mail address or an employee number, all of
    which must be found; or a whole CPF. `unit` has those below it too. `licence_expired` are active people
    whose driving licence is past while they take a course that asks for one.
    """

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: Status | None = None
    role: Role | None = None
    unit: UUID | None = None
    without_unit: bool = False
    licence_expired: bool = False
    group: UUID | None = None
    sort: Sort = "name"


class Person(Struct, frozen=True):
    """A user in the panel's list. `name_key` and `last_login_key` are what the list is ordered by."""

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
