"""The forms of people, and what they do."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE, Email, Name
from trilha.people.custom_fields.schema import CustomField
from trilha.people.users import rules
from trilha.people.users.documents import BirthDate, CnhCategory, CnhNumber, Cpf, ExpiryDate, Phone
from trilha.people.users.schema import (
    Department,
    EmployeeNumber,
    HireDate,
    JobTitle,
    NewCnh,
    NewUser,
    Password,
    Role,
    User,
    UserPatch,
)
from trilha.web.panel.confirm import Confirmation
from trilha.web.panel.people.custom_fields import read_values

Document = Literal["cpf", "phone", "birth_date", "cnh"]
_CNH = {"cnh_number": "numero", "cnh_category": "categoria", "cnh_expiry": "validade"}
_FIELD_OF_PATH = {f"cnh.{member}": field for field, member in _CNH.items()}


class ProfileForm(Struct, frozen=True, kw_only=True):
    """A person's profile. Empty fields are cleared; an empty document stays as it is."""

    name: Name
    email: Email
    department: Department | None = None
    job_title: JobTitle | None = None
    business_unit_id: UUID | None = None
    employee_number: EmployeeNumber | None = None
    hire_date: HireDate | None = None
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh_number: CnhNumber | None = None
    cnh_category: CnhCategory | None = None
    cnh_expiry: ExpiryDate | None = None
    cnh_ear: bool = False
    # The custom fields and their texts, in the same order.
    custom_key: list[str] = []
    custom_value: list[str] = []
    forget_custom: list[str] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        licence = [name for name in _CNH if values.get(name)]
        if licence:
            yield from (problem(name, "required") for name in _CNH if name in values and not values[name])
        whole = len(licence) == len(_CNH)
        checked = dict(values) | {"cnh": _cnh(values) if whole else None}
        for each in rules.profile_problems(checked, today):
            yield Problem(_FIELD_OF_PATH.get(each.field, each.field), each.message, each.code)

    def documents(self) -> dict[Document, Any]:
        """The documents that were initial_values in."""
        given = {"cpf": self.cpf, "phone": self.phone, "birth_date": self.birth_date, "cnh": self.cnh}
        return {name: value for name, value in given.items() if value is not None}  # type: ignore[misc]

    @property
    def cnh(self) -> NewCnh | None:
        values = {name: getattr(self, name) for name in (*_CNH, "cnh_ear")}
        return _cnh(values) if self.cnh_number else None

    def plain(self, fields: Mapping[str, CustomField]) -> dict[str, Any]:
        names = ("name", "department", "job_title", "business_unit_id", "employee_number", "hire_date")
        custom = read_values(self.custom_key, self.custom_value, self.forget_custom, fields)
        return {name: getattr(self, name) for name in names} | ({"custom_fields": custom} if custom else {})


def _cnh(values: Mapping[str, Any]) -> NewCnh:
    members = {member: values[field] for field, member in _CNH.items()}
    return NewCnh(**members, ear=bool(values.get("cnh_ear")))


class NewPersonForm(ProfileForm, frozen=True, kw_only=True):
    """`entry` is how the person gets in: by an e-mailed link, or with a password that is shown once.

    An empty `password` is generated.
    """

    role: Role = "learner"
    entry: Literal["invitation", "password"] = "invitation"
    password: Password | None = None

    def new_user(self, fields: Mapping[str, CustomField]) -> NewUser:
        return NewUser(email=self.email, **self.plain(fields), **self.documents())


class EditForm(ProfileForm, frozen=True, kw_only=True):
    """`forget` are documents to remove."""

    forget: list[Document] = []

    def patch(self, fields: Mapping[str, CustomField]) -> UserPatch:
        documents: dict[Document, Any] = dict.fromkeys(self.forget)
        return UserPatch(**self.plain(fields), **(documents | self.documents()))


def initial_values(user: User) -> dict[str, object]:
    """Returns the form's initial values. Documents are stored masked, so they are typed again or left
    alone.
    """
    names = ("name", "email", "department", "job_title", "business_unit_id", "employee_number", "hire_date")
    return {name: getattr(user, name) for name in names}


class RoleForm(Confirmation, frozen=True, kw_only=True):
    """`email` is the person's address as the page showed it."""

    role: Role
    email: Annotated[str, Meta(max_length=254, extra_json_schema=STORABLE)] = ""
