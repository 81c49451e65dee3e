"""Finds a key before its tenant is known."""

from collections.abc import Sequence
from typing import Any

from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"xapi_keys": [credential.key for credential in presented]}


LOOKUP = CredentialLookup(
    kind=CredentialKind.XAPI_KEY,
    statement="""
        SELECT 'xapi_key' AS kind, k.fingerprint AS key, k.id, k.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, k.scopes, '' AS networks,
               NULL::timestamptz AS expires_at, NULL::timestamptz AS secret_expires_at, k.revoked_at,
               COALESCE(k.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS use_is_due,
               NULL::jsonb AS detail
        FROM xapi_keys k JOIN tenants t ON t.id = k.tenant_id
        WHERE k.fingerprint = ANY(:xapi_keys::bytea[])
        """,
    parameters=_parameters,
    note_use="UPDATE xapi_keys SET last_used_at = :now WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)",
    reads_workers=False,
)
