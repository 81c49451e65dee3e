"""Users, in and out."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem
from trilha.core.pages import FieldsQuery, SyncQuery
from trilha.core.types import CommaList, Email, Name, Refused, Text, Timestamp
from trilha.users import rules
from trilha.users.documents import BirthDate, CnhCategory, CnhNumber, Cpf, ExpiryDate, Phone

Role = Literal["learner", "admin", "gestor", "instrutor"]
Status = Literal["ACTIVE", "SUSPENDED", "INACTIVE"]
Label = Annotated[str, Meta(max_length=200)]
Password = Annotated[str, Meta(min_length=8, max_length=128)]


class NewRole(Text):
    """A role the API may give. Administrators are made in the admin panel."""

    __slots__ = ()
    schema = {"type": "string", "enum": ["learner", "gestor", "instrutor"]}

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
    department: Label | None = None
    job_title: Label | None = None
    business_unit_id: UUID | None = None
    employee_number: Label | None = None
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh: NewCnh | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class UserPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members left out stay as they are; null clears one."""

    name: Name | UnsetType = UNSET
    department: Label | None | UnsetType = UNSET
    job_title: Label | None | UnsetType = UNSET
    business_unit_id: UUID | None | UnsetType = UNSET
    employee_number: Label | None | UnsetType = UNSET
    cpf: Cpf | None | UnsetType = UNSET
    phone: Phone | None | UnsetType = UNSET
    birth_date: BirthDate | None | UnsetType = UNSET
    cnh: NewCnh | None | UnsetType = UNSET

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class Cnh(Struct, frozen=True):
    """A driving licence as it is read: the number masked."""

    numero: str
    categoria: str
    validade: str
    ear: bool


class User(Struct, frozen=True):
    """A person of the tenant. Documents are masked."""

    id: UUID
    email: str
    name: str
    role: Role
    status: Status
    department: str | None
    job_title: str | None
    business_unit_id: UUID | None
    employee_number: str | None
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: Cnh | None
    xp: int
    level: int
    last_login_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class UserQuery(SyncQuery, frozen=True, kw_only=True):
    status: Status | None = None
    email: Email | None = None
    role: Role | None = None
    fields: CommaList | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], _: date) -> Iterator[Problem]:
        return rules.unknown_fields(values.get("fields"), User.__struct_fields__)


class UserFieldsQuery(FieldsQuery, frozen=True, kw_only=True):
    problems = UserQuery.problems


class CreatedMeta(Struct, frozen=True, omit_defaults=True):
    """`temporary_password` is shown this once, when the request brought no password."""

    temporary_password: str | None = None


class CreatedUser(Struct, frozen=True, omit_defaults=True):
    data: User
    _meta: CreatedMeta | UnsetType = UNSET


class Profile(Struct, frozen=True):
    """What the rules of other features ask of a user."""

    id: UUID
    status: Status
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: Any
