"""Tenants and their settings. Owns `tenants` and `tenant_settings`.

Only the operator creates or suspends tenants, on the command line.
"""

from trilha.platform.tenants import errors as errors
