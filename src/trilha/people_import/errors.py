"""The error codes of imports: why a file cannot be started on. What is wrong with a row is in `rows`."""

from trilha.core.errors import codes, field_codes, register

register(
    "people_import",
    field_codes(
        file_not_a_table="The file has no header and rows that could be read.",
        file_too_large="The file is larger than 20 MiB or has more than 100,000 rows.",
        unknown_header="The file has no column of this name.",
        no_identifying_column="A column for the e-mail address or the employee number is needed.",
    ),
    codes("not_found", 404, import_not_found="There is no such import."),
    codes("conflict", 409, import_started="The import was started already."),
)
