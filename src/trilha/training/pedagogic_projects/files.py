"""The folders of pedagogic projects in the file store."""

from uuid import UUID


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of all pedagogic projects of a tenant."""
    return f"pedagogic_projects/{tenant_id}"


def key(tenant_id: UUID, version_id: UUID) -> str:
    return f"{of_tenant(tenant_id)}/{version_id}.pdf"
