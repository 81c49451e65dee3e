"""Finds a SCIM token before its tenant is known."""

from collections.abc import Sequence
from typing import Any

from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"scim_tokens": [credential.key for credential in presented]}


LOOKUP = CredentialLookup(
    kind=CredentialKind.SCIM_TOKEN,
    statement="""
        SELECT 'scim_token' AS kind, s.fingerprint AS key, k.id, k.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, '{}'::text[] AS scopes, k.networks, k.expires_at,
               s.expires_at AS secret_expires_at, k.revoked_at,
               COALESCE(k.last_used_at < CAST(:now AS timestamptz) - interval '1 minute', true) AS use_is_due,
               jsonb_strip_nulls(jsonb_build_object('limit', c.scim_limit)) AS detail
        FROM scim_token_secrets s
        JOIN scim_tokens k ON k.tenant_id = s.tenant_id AND k.id = s.token_id
        JOIN tenants t ON t.id = s.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = s.tenant_id
        WHERE s.fingerprint = ANY(:scim_tokens::bytea[])
        """,
    parameters=_parameters,
    note_use="UPDATE scim_tokens SET last_used_at = :now WHERE id = ANY(:ids) AND tenant_id = ANY(:tenants)",
    reads_workers=False,
)
