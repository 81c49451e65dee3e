"""E-mail domains: claimed by a tenant, shown to be its own by a TXT record, looked for again each day.

Owns `email_domains` and, over all tenants, `domain_owners`: a verified domain is one tenant's. It emits no
event.
"""

from trilha.sso.domains import errors as errors
