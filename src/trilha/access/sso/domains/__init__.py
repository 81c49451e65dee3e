"""E-mail domains that a tenant claims and proves with a TXT record, which is checked again every day.

Owns `email_domains` and, across tenants, `domain_owners`: a verified domain belongs to one tenant. Emits no
event.
"""

from trilha.access.sso.domains import errors as errors
