"""The folders of exports in the file store."""

from uuid import UUID

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "zip": "application/zip",
}


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of all exports of a tenant."""
    return f"exports/{tenant_id}"


def folder(tenant_id: UUID, export_id: UUID) -> str:
    """Returns the folder that holds all files of one export and nothing else."""
    return f"{of_tenant(tenant_id)}/{export_id}"


def key(tenant_id: UUID, export_id: UUID, sha256: bytes) -> str:
    return f"{folder(tenant_id, export_id)}/{sha256.hex()}"
