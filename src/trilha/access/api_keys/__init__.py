"""API keys, the credentials of integrations. Owns `api_keys` and `api_key_secrets`.

Emits `api_key.created`, `api_key.rotated`, `api_key.revoked`.
"""
