"""E-mail domains: claimed by a tenant, shown to be its own by a TXT record, looked for again each day."""
