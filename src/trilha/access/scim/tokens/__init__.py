"""SCIM tokens, the credentials of identity providers. Owns `scim_tokens` and `scim_token_secrets`; emits no
event.
"""
