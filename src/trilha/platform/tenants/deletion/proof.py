"""The keyed hash that makes the row of a finished deletion a proof."""

from trilha.core.secrets import Keyring
from trilha.core.types import to_json
from trilha.platform.tenants.deletion.schema import Deletion, DeletionProof

_PURPOSE = b"tenant-deletion"


def hash_deletion(keyring: Keyring, deletion: Deletion) -> bytes:
    """Hashes everything but the hash itself. The key is not readable in the database."""
    values = [getattr(deletion, name) for name in Deletion.__struct_fields__ if name != "hash"]
    plain = [value.hex() if isinstance(value, bytes) else value for value in values]
    # jsonb does not keep the order of its members.
    return keyring.mac(_PURPOSE, to_json([_sort(value) for value in plain]))


def build_proof(deletion: Deletion) -> DeletionProof:
    assert deletion.finished_at is not None
    assert deletion.evidence_hash is not None
    assert deletion.hash is not None
    return DeletionProof(
        id=deletion.id,
        tenant_id=deletion.deleted_tenant,
        slug=deletion.slug,
        environment=deletion.environment,
        actor=deletion.actor,
        source=deletion.source,
        started_at=deletion.started_at,
        finished_at=deletion.finished_at,
        rows=deletion.row_counts or {},
        files=deletion.files or 0,
        file_bytes=deletion.file_bytes or 0,
        evidence_logs=deletion.evidence_logs or 0,
        evidence_entries=deletion.evidence_entries or 0,
        evidence_hash=deletion.evidence_hash.hex(),
        number=deletion.number or 0,
        previous=(deletion.previous or b"").hex(),
        hash=deletion.hash.hex(),
    )


def _sort(value: object) -> object:
    return dict(sorted(value.items())) if isinstance(value, dict) else value
