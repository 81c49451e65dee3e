"""The folders of certificates in the file store."""

from uuid import UUID


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of all certificates of a tenant."""
    return f"certificates/{tenant_id}"


def folder(tenant_id: UUID, certificate_id: UUID) -> str:
    """Returns the folder that holds all files of one certificate and nothing else."""
    return f"{of_tenant(tenant_id)}/{certificate_id}"


def pdf_key(tenant_id: UUID, certificate_id: UUID, sha256: bytes) -> str:
    return f"{folder(tenant_id, certificate_id)}/{sha256.hex()}.pdf"
