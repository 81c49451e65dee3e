"""The audit record: who changed what, when, and from where. Rows are added, never changed or removed.

Owns `audit_records` and, of what belongs to all tenants, `global_audit_records`. `events.outbox.emit` adds
the record of an event; a change without one calls `queries.record`.
"""

from trilha.audit import errors as errors
