"""Lookups of sessions and links before a tenant is known."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.sessions.rules import IDLE
from trilha.core.credentials import CredentialKind, CredentialLookup, PresentedCredential
from trilha.core.database import Unscoped


def _parameters(presented: Sequence[PresentedCredential]) -> dict[str, Any]:
    return {"sessions": [credential.key for credential in presented]}


# Whoever was promoted after a launch link has begun their session signs in themself before the panel opens.
LOOKUP = CredentialLookup(
    kind=CredentialKind.SESSION,
    statement="""
        SELECT 'session' AS kind, s.fingerprint AS key, u.id, s.tenant_id,
               t.status = 'ACTIVE' AS tenant_active, '{}'::text[] AS scopes, '' AS networks, s.expires_at,
               s.idle_ends_at AS secret_expires_at,
               CASE WHEN u.status <> 'ACTIVE' OR u.session_epoch <> s.epoch
                    THEN s.created_at END AS revoked_at,
               s.last_seen_at < CAST(:now AS timestamptz) - interval '1 minute' AS use_is_due,
               jsonb_build_object(
                   'user_id', u.id, 'session_id', s.id, 'email', u.email, 'name', u.name,
                   'role', CASE WHEN s.by_link THEN 'learner' ELSE u.role END,
                   'own_locale', u.locale,
                   'must_change_password', u.must_change_password AND s.connection_id IS NULL
                                           AND NOT s.by_link,
                   'by_link', s.by_link,
                   'second_factor', CASE
                       WHEN s.second_factor = 'none' AND u.role = 'admin' AND c.second_factor_required
                       THEN 'setup_due' ELSE s.second_factor END,
                   'tenant_slug', t.slug, 'tenant_name', t.name, 'tenant_locale', t.locale,
                   'environment', t.environment,
                   'time_zone', COALESCE(c.time_zone, 'America/Sao_Paulo'), 'brand_colour', c.brand_colour,
                   'logo_name', c.logo_name, 'password_minimum', COALESCE(c.password_minimum, 8)
               ) AS detail
        FROM sessions s
        JOIN users u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
        JOIN tenants t ON t.id = s.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = s.tenant_id
        WHERE s.fingerprint = ANY(:sessions::bytea[])
        """,
    parameters=_parameters,
    note_use=f"""
        UPDATE sessions SET last_seen_at = :now,
               idle_ends_at = CAST(:now AS timestamptz) + interval '{int(IDLE.total_seconds())} seconds'
        WHERE fingerprint = ANY(:keys) AND idle_ends_at > :now
        """,  # noqa: S608
)


class ResetTicket(Struct, frozen=True):
    """The person whose password a link may set. `names` are those of the person and the company."""

    tenant_id: UUID
    user_id: UUID
    password_minimum: int
    names: list[str]


async def find_reset(unscoped: Unscoped, fingerprint: bytes) -> ResetTicket | None:
    """Returns None if the link was used or replaced, has expired, or went to an earlier address."""
    return await unscoped.find(
        ResetTicket,
        """
        SELECT r.tenant_id, r.user_id, COALESCE(c.password_minimum, 8) AS password_minimum,
               ARRAY[u.name, u.email, t.name, t.slug] AS names
        FROM password_resets r
        JOIN users u ON u.tenant_id = r.tenant_id AND u.id = r.user_id AND u.email = r.email
        JOIN tenants t ON t.id = r.tenant_id
        LEFT JOIN tenant_settings c ON c.tenant_id = r.tenant_id
        WHERE r.fingerprint = :fingerprint AND r.expires_at > :now
        """,
        fingerprint=fingerprint,
    )


class EmailChangeTicket(Struct, frozen=True):
    """The person whose address a link may change."""

    tenant_id: UUID
    user_id: UUID


async def find_email_change(unscoped: Unscoped, fingerprint: bytes) -> EmailChangeTicket | None:
    """Returns None if the link was used or replaced, or has expired."""
    return await unscoped.find(
        EmailChangeTicket,
        "SELECT tenant_id, user_id FROM email_changes WHERE fingerprint = :fingerprint AND expires_at > :now",
        fingerprint=fingerprint,
    )
