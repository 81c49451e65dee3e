"""Customers' spaces, and what a company chooses about its own. Owns `tenants` and `tenant_settings`.

Only the operator, on the command line, makes or suspends one.
"""

from trilha.tenants import errors as errors
