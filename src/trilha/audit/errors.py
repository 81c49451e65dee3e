"""The error codes of the audit record."""

from trilha.core.errors import codes, register

register("audit", codes("not_found", 404, audit_record_not_found="There is no such audit record."))
