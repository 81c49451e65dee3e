"""How long the evidence behind certificates is kept, and its erasure once that time is over.

Owns `record_erasures`, `record_retention_runs`, and the columns `record_years` and `unlimited_record_years`
of `tenant_settings`. Administrators are told at least 30 days ahead.
"""
