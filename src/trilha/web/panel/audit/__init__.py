"""/admin/audit: the audit log, with filters and as a CSV file."""
