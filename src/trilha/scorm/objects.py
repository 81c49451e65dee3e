"""Where packages lie in the file store. A file's name in a package is never part of its key."""

from uuid import UUID


def archive(tenant_id: UUID, package_id: UUID) -> str:
    """The file that was sent, until it is imported."""
    return f"archives/{tenant_id}/{package_id}.zip"


def folder(tenant_id: UUID, sha256: str) -> str:
    """By what was sent: the same file sent again is kept once in a tenant, and of two tenants nothing is
    shared."""
    return f"packages/{tenant_id}/{sha256}"


def of_tenant(tenant_id: UUID) -> tuple[str, str]:
    """Below these is everything of a tenant."""
    return f"archives/{tenant_id}", f"packages/{tenant_id}"


def key(folder: str, number: int) -> str:
    """`number` is the file's place in the archive."""
    return f"{folder}/{number}"
