"""Imports: what is asked for, how far it is, what was wrong; and a row as it is understood."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem
from trilha.core.types import STORABLE, Email, Name, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.people_import.sheet import Dialect
from trilha.users import rules
from trilha.users.documents import BirthDate, Cpf, Phone
from trilha.users.schema import Department, EmployeeNumber, JobTitle, NewCnh, NewRole, Password

# A file that came by a page is a DRAFT, and CHECKED after its dry run, until somebody starts it.
State = Literal["DRAFT", "CHECKED", "WAITING", "RUNNING", "DONE", "FAILED"]


class PersonRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a row says of a person. What it leaves empty stays as it is."""

    email: Email | None = None
    name: Name | None = None
    role: NewRole | None = None
    department: Department | None = None
    job_title: JobTitle | None = None
    business_unit: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    employee_number: EmployeeNumber | None = None
    cpf: Cpf | None = None
    phone: Phone | None = None
    birth_date: BirthDate | None = None
    cnh: NewCnh | None = None
    password: Password | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        return rules.profile_problems(values, today)


class RowProblem(Struct, frozen=True):
    """One thing wrong with one line. `column` is the header, empty where it is about the whole line."""

    line: int
    number: int
    column: str
    code: str
    message: str
    value: str


class CheckedRow(Struct, frozen=True):
    """A row after all that can be said of it without the database: `person` unless there are problems."""

    line: int
    person: PersonRow | None
    problems: Sequence[RowProblem] = ()


class Draft(Struct, frozen=True):
    """What a file looks like, before anything is done with it. `ignored` are headers that mean nothing."""

    dialect: Dialect
    headers: list[str]
    mapping: dict[str, str]
    ignored: list[str]
    rows: int


class Import(Struct, frozen=True):
    """How far an import is. In a dry run nothing is created or updated: it counts what would be."""

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


class RunningImport(Struct, frozen=True):
    """What the next batch has to know."""

    id: UUID
    path: str
    dry_run: bool
    state: State
    rows: int
    done: int
    mapping: dict[str, str]
    dialect: dict[str, str]
    actor_kind: str
    actor: str
    source: str


class KeptFile(Struct, frozen=True):
    """The file of an import, and how it is read."""

    path: str
    mapping: dict[str, str]
    dialect: dict[str, str]


class ImportQuery(ListQuery, frozen=True, kw_only=True):
    """Newest first; those that `failed` broke off or refused rows."""

    failed: bool = False


class Tally(Struct):
    """What came of the rows of a batch."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
