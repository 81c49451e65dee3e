"""Databases in the state of older releases."""

import hashlib
from importlib.resources import files
from typing import Any


async def migrate_to(connection: Any, last: str) -> None:
    """Runs the migrations up to and including that file, like `migrate`."""
    await connection.execute(
        "CREATE TABLE schema_migrations (name text PRIMARY KEY, digest text NOT NULL,"
        " run_at timestamptz NOT NULL DEFAULT now())"
    )
    for file in sorted(files("trilha.migrations").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql") and file.name <= last:
            sql = file.read_text()
            await connection.execute(sql)
            digest = hashlib.sha256(sql.encode()).hexdigest()
            await connection.execute("INSERT INTO schema_migrations VALUES ($1, $2)", file.name, digest)
