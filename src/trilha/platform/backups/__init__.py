"""Encrypted backups of the database and the files, at a destination of their own, and how they are restored.

Owns the table backup_runs. It emits no events: backups belong to the installation, not to a tenant.
"""
