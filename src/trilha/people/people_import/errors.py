"""The error codes of imports. Messages about single rows are in `rows`."""

from trilha.core.errors import codes, field_codes, register

register(
    "people_import",
    field_codes(
        file_not_a_table="The file is not a readable table with a header and at least one row.",
        file_too_large="The file is larger than 20 MiB or has more than 100,000 rows.",
        file_encrypted="The workbook is protected by a password. Save it without one.",
        unknown_header="The file has no column with this name.",
        no_identifying_column="Map a column to the e-mail address or the employee number.",
    ),
    codes("not_found", 404, import_not_found="There is no such import."),
    codes("conflict", 409, import_started="The import has already started."),
)
