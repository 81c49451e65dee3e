"""Finds an API key before its tenant is known."""

from collections.abc import Sequence
from typing import Any

from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"api_keys": [credential.key for credential in presented]}


LOOKUP = CredentialLookup(
    kind=CredentialKind.API_KEY,
    statement="""
        SELECT 'api_key' AS kind, s.fingerprint AS key, k.id, k.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, k.scopes, k.networks, k.expires_at,
               s.expires_at AS secret_expires_at, k.revoked_at,
               COALESCE(k.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS use_is_due,
               NULL::jsonb AS detail
        FROM api_key_secrets s
        JOIN api_keys k ON k.tenant_id = s.tenant_id AND k.id = s.api_key_id
        JOIN tenants t ON t.id = s.tenant_id
        WHERE s.fingerprint = ANY(:api_keys::bytea[])
        """,
    parameters=_parameters,
    note_use="UPDATE api_keys SET last_used_at = :now WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)",
    reads_workers=False,
)
