"""When credentials of the demo were used last: the history calls actions without any credential."""

from trilha.core.database import Tx


async def note(tx: Tx) -> None:
    """Sets a recent use for active keys and clients, and the last request for SCIM tokens."""
    await tx.execute(
        """
        UPDATE api_keys SET last_used_at = CAST(:now AS timestamptz) - interval '42 minutes'
        WHERE tenant_id = :tenant AND revoked_at IS NULL AND last_used_at IS NULL
          AND created_at < CAST(:now AS timestamptz) - interval '1 day' -- not the one that is printed
        """
    )
    await tx.execute(
        """
        UPDATE oauth_clients SET last_used_at = CAST(:now AS timestamptz) - interval '7 minutes'
        WHERE tenant_id = :tenant AND last_used_at IS NULL
        """
    )
    await tx.execute(
        """
        UPDATE scim_tokens AS token SET last_used_at = (
            SELECT max(at) FROM scim_requests WHERE tenant_id = :tenant AND token_id = token.id)
        WHERE tenant_id = :tenant AND last_used_at IS NULL
        """
    )
