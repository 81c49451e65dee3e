"""Deletes a tenant with everything that belongs to it, and keeps a proof without personal data.

Owns `tenant_deletions`. A deletion that was interrupted continues when the command runs again.
"""
