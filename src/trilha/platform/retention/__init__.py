"""How long a tenant's logs are kept. Owns the columns of `tenant_settings` for it.

Each feature deletes from its own log; this one deletes audit records. `archive` stores what is deleted, and
owns `archive_files`.
"""
