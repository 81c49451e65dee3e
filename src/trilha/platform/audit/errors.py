"""Error codes of the audit log."""

from trilha.core.errors import codes, register

register("audit", codes("not_found", 404, audit_record_not_found="The audit record does not exist."))
