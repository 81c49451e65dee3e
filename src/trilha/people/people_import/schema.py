"""Structs of imports and their rows."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem
from trilha.core.types import STORABLE, Email, Name, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.people.people_import.enrolling import EnrollKind, Target
from trilha.people.people_import.sheet import Dialect
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

# A file uploaded on a page is a DRAFT, then CHECKED after a dry run, until a person starts it.
State = Literal["DRAFT", "CHECKED", "WAITING", "RUNNING", "DONE", "FAILED"]


class PersonRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person as a row describes them. Empty cells do not change the stored value."""

    email: Email | None = None
    name: Name | None = None
    role: NewRole | None = None
    department: Department | None = None
    job_title: JobTitle | None = None
    business_unit: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    employee_number: EmployeeNumber | None = None
    hire_date: HireDate | None = None
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh: NewCnh | None = None
    password: Password | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.new_user_problems(values, today)


class RowProblem(Struct, frozen=True):
    """One problem of one line. `column` is the header, or empty if the problem concerns the whole line."""

    line: int
    number: int
    column: str
    code: str
    message: str
    value: str


class CheckedRow(Struct, frozen=True):
    """A row after all checks that need no database. `person` is None if there are problems.
    `custom_fields` has the values of its columns that are not empty.
    """

    line: int
    person: PersonRow | None
    problems: Sequence[RowProblem] = ()
    custom_fields: Mapping[str, Any] = {}


class Draft(Struct, frozen=True):
    """How a file was read, before the import starts. `ignored` has the headers that were not recognized."""

    dialect: Dialect
    headers: list[str]
    mapping: dict[str, str]
    ignored: list[str]
    rows: int


class Import(Struct, frozen=True):
    """An import and its progress. In a dry run, the counts say what would change.

    `ignored` has the headers without a meaning. Its people are enrolled in the course or path `enroll_id`;
    the last three count them.
    """

    id: UUID
    file_name: str
    dry_run: bool
    state: State
    failure: str | None
    rows: int
    done: int
    created: int
    updated: int
    unchanged: int
    refused: int
    mapping: dict[str, str]
    created_at: Timestamp
    finished_at: Timestamp | None
    ignored: list[str] = []
    enroll_kind: EnrollKind | None = None
    enroll_id: UUID | None = None
    enroll_due_at: Timestamp | None = None
    enroll_new_only: bool = False
    enrolled: int = 0
    enrolled_before: int = 0
    not_enrolled: int = 0


class RunningImport(Struct, frozen=True):
    """What the next batch needs."""

    id: UUID
    path: str
    dry_run: bool
    state: State
    rows: int
    done: int
    mapping: dict[str, str]
    dialect: dict[str, Any]
    actor_kind: str
    actor: str
    source: str
    enroll_kind: EnrollKind | None = None
    enroll_id: UUID | None = None
    enroll_due_at: Timestamp | None = None
    enroll_new_only: bool = False

    @property
    def target(self) -> Target | None:
        if self.enroll_kind is None or self.enroll_id is None:
            return None
        return Target(self.enroll_kind, self.enroll_id, self.enroll_due_at, self.enroll_new_only)


class ImportFile(Struct, frozen=True):
    """The file of an import, its mapping and its dialect."""

    path: str
    mapping: dict[str, str]
    dialect: dict[str, Any]


class ImportQuery(ListQuery, frozen=True, kw_only=True):
    """`failed` selects imports that broke off or refused rows."""

    failed: bool = False


class Tally(Struct):
    """The results of a batch, in rows, and of enrolling its people."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    enrolled: int = 0
    enrolled_before: int = 0
    not_enrolled: int = 0
