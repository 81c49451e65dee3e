"""The error codes of packages. Problems inside a package are in its report: see `words`."""

from trilha.core.errors import codes, field_codes, register

register(
    "scorm",
    field_codes(package_too_large="The package is larger than 2 GiB."),
    codes("not_found", 404, package_not_found="There is no such package."),
    codes("conflict", 409, package_not_ready="The package is not imported, or was refused."),
)
