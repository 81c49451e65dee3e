"""Providers' credentials. Owns `scim_tokens` and `scim_token_secrets`; emits no event."""
