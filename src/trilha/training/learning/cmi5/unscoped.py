"""Finds a session by the code of its fetch address or by its token, before the tenant is known."""

from collections.abc import Sequence
from typing import Any

from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential

LONGEST_SESSION = "12 hours"


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"cmi5_tokens": [credential.key for credential in presented]}


_SELECT = f"""
    SELECT 'cmi5' AS kind, {{column}} AS key, c.user_id AS id, c.tenant_id,
           t.status = 'ACTIVE' AS tenant_active, {{scopes}} AS scopes, '' AS networks,
           c.started_at + interval '{LONGEST_SESSION}' AS expires_at,
           NULL::timestamptz AS secret_expires_at,
           CASE WHEN u.status <> 'ACTIVE' THEN c.started_at END AS revoked_at, false AS use_is_due,
           jsonb_build_object('session', c.id, 'agent', c.agent, 'registration', c.registration,
                              'is_ended', c.terminated_at IS NOT NULL OR c.abandoned_at IS NOT NULL) AS detail
    FROM cmi5_sessions c
    JOIN users u ON u.tenant_id = c.tenant_id AND u.id = c.user_id
    JOIN tenants t ON t.id = c.tenant_id
    WHERE {{column}} = ANY(:cmi5_tokens::bytea[])
    """  # noqa: S608
# A code of a fetch address has no scope: it only gives out the token.
LOOKUP = CredentialLookup(
    kind=CredentialKind.CMI5,
    statement=f"""
        {_SELECT.format(column="c.token_fingerprint", scopes="ARRAY['xapi:read', 'xapi:write']")}
        UNION ALL {_SELECT.format(column="c.fetch_fingerprint", scopes="'{}'::text[]")}
        """,
    parameters=_parameters,
    note_use="",
)
