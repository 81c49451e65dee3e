"""The forms of imports, and their choices."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import PREFIX
from trilha.people.people_import.sheet import Dialect

# By encoding and separator.
ENCODINGS: Mapping[str, str] = {
    "utf-8": "UTF-8",
    "utf-8-sig": N_("UTF-8 with a mark"),
    "cp1252": "Windows (Latin)",
    "latin-1": "ISO 8859-1",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
}
SEPARATORS: Mapping[str, str] = {
    ";": N_("Semicolon ;"),
    ",": N_("Comma ,"),
    "\t": N_("Tab"),
    "|": N_("Bar |"),
}
MEMBERS: Mapping[str, str] = {
    "email": N_("E-mail"),
    "name": N_("Full name"),
    "employee_number": N_("Employee number"),
    "role": N_("Role"),
    "department": N_("Department"),
    "job_title": N_("Job title"),
    "business_unit": N_("Business unit (name or code)"),
    "hire_date": N_("Hire date"),
    "cpf": N_("CPF"),
    "phone": N_("Phone"),
    "birth_date": N_("Date of birth"),
    "cnh_number": N_("CNH: license number"),
    "cnh_category": N_("CNH: category"),
    "cnh_expiry": N_("CNH: valid until"),
    "cnh_ear": N_("CNH: drives for a living (EAR)"),
    "password": N_("First password (of new people)"),
}
# The headers of the template, which the import recognizes in every language.
TEMPLATE = (
    *(N_("E-mail"), N_("Full name"), N_("Employee number"), N_("Role"), N_("Department"), N_("Job title")),
    *(N_("Business unit"), N_("Hire date"), N_("CPF"), N_("Phone"), N_("Date of birth"), N_("CNH number")),
    *(N_("CNH category"), N_("CNH expiry"), N_("CNH EAR")),
)
say(
    file_not_a_table=N_("This is not a table with a header and rows. Save it as XLSX or CSV and send that."),
    file_encrypted=N_("The workbook is protected by a password. Save it without one and send it again."),
    file_too_large=N_("The file is larger than 20 MB or has more than 100,000 rows. Divide it."),
    no_identifying_column=N_("Choose the column with the e-mail or the employee number."),
    unknown_header=N_("The file has changed. Send it again."),
    import_started=N_("This import was started already."),
)


def list_custom_members(fields: Iterable[CustomField], chosen: Iterable[str]) -> dict[str, str]:
    """Returns the custom fields that a column can mean, and unknown ones that a header names."""
    unknown = {member: member for member in chosen if member.startswith(PREFIX)}
    return unknown | {f"{PREFIX}{field.key}": field.name for field in fields}


class Upload(Struct, frozen=True):
    """The file, and the course or path in which its people are enrolled until the end of a day."""

    file: UploadedFile
    course_id: UUID | None = None
    path_id: UUID | None = None
    due_on: date | None = None
    people: Literal["all", "new"] = "all"


class DialectForm(Struct, frozen=True):
    encoding: str
    separator: str

    def dialect(self) -> Dialect | None:
        """Returns None for a value that is not offered."""
        if self.encoding not in ENCODINGS or self.separator not in SEPARATORS:
            return None
        return Dialect(self.encoding, self.separator)


class ColumnsForm(Struct, frozen=True):
    """The member for each column of the file, in order; empty for columns that are skipped."""

    member: list[str] = []

    def mapping(self, headers: list[str]) -> dict[str, str]:
        return {header: member for header, member in zip(headers, self.member, strict=False) if member}
