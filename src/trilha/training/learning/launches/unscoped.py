"""Finds a launch or a preview by its token, before the tenant is known."""

from collections.abc import Sequence
from typing import Any

from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential
from trilha.training.learning.launches.rules import SILENCE_LIMIT

_LONGEST_PREVIEW = "12 hours"


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"launches": [credential.key for credential in presented]}


# A launch is revoked when the session that made it is over. An idle session does not end it: a learner who
# studies for hours loads no other page meanwhile, and a silent launch expires by itself.
_ENDED_AT = """
    CASE WHEN u.status <> 'ACTIVE' THEN {made_at}
         WHEN {made}.session_id IS NOT NULL AND NOT COALESCE(
              s.epoch = u.session_epoch AND s.expires_at > CAST(:now AS timestamptz), false) THEN {made_at}
    END"""
# The addresses of files of cmi5 content have a token of their own, because statements contain the address.
# The credential is the person's, so that rate limits count per person; its detail names the launch.
LOOKUP = CredentialLookup(
    kind=CredentialKind.LAUNCH,
    statement=f"""
        SELECT 'launch' AS kind, l.fingerprint AS key, e.user_id AS id, l.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, '{{}}'::text[] AS scopes, '' AS networks,
               l.seen_at + interval '{int(SILENCE_LIMIT.total_seconds())} seconds' AS expires_at,
               NULL::timestamptz AS secret_expires_at,
               {_ENDED_AT.format(made="l", made_at="l.started_at")} AS revoked_at,
               false AS use_is_due, jsonb_build_object('launch', l.id) AS detail
        FROM launches l
        JOIN all_enrollments e ON e.tenant_id = l.tenant_id AND e.id = l.enrollment_id
        JOIN users u ON u.tenant_id = l.tenant_id AND u.id = e.user_id
        LEFT JOIN sessions s ON s.tenant_id = l.tenant_id AND s.id = l.session_id
        JOIN tenants t ON t.id = l.tenant_id
        WHERE l.fingerprint = ANY(:launches::bytea[])
        UNION ALL
        SELECT 'launch', v.fingerprint, v.user_id, v.tenant_id, t.status = 'ACTIVE', '{{}}'::text[], '',
               v.started_at + interval '{_LONGEST_PREVIEW}', NULL::timestamptz,
               CASE WHEN u.role NOT IN ('admin', 'instrutor') THEN v.started_at
                    ELSE {_ENDED_AT.format(made="v", made_at="v.started_at")} END,
               false, jsonb_build_object('launch', v.id)
        FROM previews v
        JOIN users u ON u.tenant_id = v.tenant_id AND u.id = v.user_id
        LEFT JOIN sessions s ON s.tenant_id = v.tenant_id AND s.id = v.session_id
        JOIN tenants t ON t.id = v.tenant_id
        WHERE v.fingerprint = ANY(:launches::bytea[])
        UNION ALL
        SELECT 'launch', c.files_fingerprint, c.user_id, c.tenant_id, t.status = 'ACTIVE', '{{}}'::text[], '',
               c.started_at + interval '{_LONGEST_PREVIEW}', NULL::timestamptz,
               CASE WHEN u.status <> 'ACTIVE' THEN c.started_at END,
               false, jsonb_build_object('launch', c.launch_id, 'files_only', true)
        FROM cmi5_sessions c
        JOIN users u ON u.tenant_id = c.tenant_id AND u.id = c.user_id
        JOIN tenants t ON t.id = c.tenant_id
        WHERE c.files_fingerprint = ANY(:launches::bytea[])
        """,  # noqa: S608
    parameters=_parameters,
    note_use="",  # Heartbeats note it.
)
