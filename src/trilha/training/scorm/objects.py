"""The keys of packages in the file store. A file's name in a package is never part of its key."""

from uuid import UUID


def archive(tenant_id: UUID, package_id: UUID) -> str:
    """The uploaded file, until it is imported."""
    return f"archives/{tenant_id}/{package_id}.zip"


def folder(tenant_id: UUID, sha256: str) -> str:
    """Keyed by the hash of the upload: the same file is stored once in a tenant, and tenants share
    nothing.
    """
    return f"packages/{tenant_id}/{sha256}"


def of_tenant(tenant_id: UUID) -> tuple[str, str]:
    """The prefixes of everything that belongs to a tenant."""
    return f"archives/{tenant_id}", f"packages/{tenant_id}"


def key(folder: str, number: int) -> str:
    """`number` is the file's place in the archive."""
    return f"{folder}/{number}"
