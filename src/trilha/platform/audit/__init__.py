"""The audit log: who changed what, when, and from where. Records are added and never changed.

They are removed only at the end of a tenant's retention period, which `retention` does.

Owns `audit_records`, and `global_audit_records` for what belongs to all tenants. `events.outbox.emit` adds
the record of an event. A change without an event calls `queries.record`.
"""

from trilha.platform.audit import errors as errors
