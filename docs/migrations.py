"""Lints new migrations with squawk: python -m docs.migrations. `make check` runs it.

A migration runs while the previous release still serves requests, so it must not lock a table for long, and
must not take away what that release uses.
"""

import re
import subprocess
import sys
from pathlib import Path

from trilha.core.database.migration_files import OUTSIDE, split_statements

MIGRATIONS = Path(__file__).parent.parent / "src" / "trilha" / "migrations"
# The files up to this one ran before there was a rule.
LAST_UNCHECKED = "0150_hire_date.sql"
_CONCURRENT = re.compile(r"(CREATE|DROP) (UNIQUE )?INDEX CONCURRENTLY")
_REPEATABLE = re.compile(r"(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT|DROP INDEX CONCURRENTLY IF) EXISTS ")


def find_problems(path: Path) -> list[str]:
    """Returns what squawk and our own rules say about a migration."""
    sql = path.read_text()
    is_outside = sql.startswith(OUTSIDE)
    squawk = Path(sys.executable).with_name("squawk")
    options = [] if is_outside else ["--assume-in-transaction"]
    config = Path(__file__).parent.parent / ".squawk.toml"
    run = subprocess.run(
        [squawk, "--config", config, "--reporter", "gcc", *options, path],
        capture_output=True,
        text=True,
        check=False,
    )
    problems = [line for line in run.stdout.splitlines() if line.strip()] if run.returncode else []
    if run.returncode and not problems:
        problems = [run.stderr.strip()]
    concurrent = [each for each in split_statements(sql) if _CONCURRENT.match(each)]
    if not is_outside:
        problems += [f"{path.name}: begin the file with `{OUTSIDE}`: {each}" for each in concurrent]
    else:
        problems += [
            f"{path.name}: a statement outside a transaction must be able to run twice "
            f"(CREATE INDEX CONCURRENTLY IF NOT EXISTS, DROP INDEX CONCURRENTLY IF EXISTS): {each}"
            for each in concurrent
            if not _REPEATABLE.match(each)
        ]
    return problems


def main() -> int:
    problems = [
        problem
        for path in sorted(MIGRATIONS.glob("*.sql"))
        if path.name > LAST_UNCHECKED
        for problem in find_problems(path)
    ]
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
