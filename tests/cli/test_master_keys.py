"""A master key that cannot decrypt the database stops every command that would go on without it."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner

from running import free_port, migrated
from trilha.cli import main
from trilha.runtime import run_embedded
from trilha.settings import Settings

OTHER, NEW = "1f" * 32, "2e" * 32


class Installation:
    def __init__(self, folder: Path) -> None:
        folder.chmod(0o711)
        self.key = migrated(folder) / "master.key"
        self._environment = {
            "TRILHA_DATA_DIR": str(folder / "data"),
            "TRILHA_PORT": str(free_port()),
            "TRILHA_MASTER_KEY": "",
        }

    def refused(self, command: str, **variables: str) -> str:
        done = CliRunner().invoke(main, command.split(), env=self._environment | variables)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.output
        return done.stderr

    def accepts(self, *keys: str) -> None:
        self.key.write_text("\n".join(keys))
        done = CliRunner().invoke(main, ["tenant", "list"], env=self._environment)
        assert done.exit_code == 0, done.output


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


@pytest.mark.parametrize("command", ["up", "serve", "work", "migrate", "tenant list", "status"])
def test_another_key_is_refused(installation: Installation, command: str) -> None:
    assert "master key does not open this database" in installation.refused(command, TRILHA_MASTER_KEY=OTHER)


@pytest.mark.parametrize("command", ["up", "serve", "migrate", "tenant create --slug a --name A"])
def test_no_key_is_made_for_a_database_that_has_one(installation: Installation, command: str) -> None:
    installation.key.unlink()
    assert f"The master key {installation.key} is missing" in installation.refused(command)
    assert not installation.key.exists()


def test_no_key_that_was_used_may_be_left_out(installation: Installation) -> None:
    old = installation.key.read_text().strip()
    installation.accepts(old)
    installation.accepts(NEW, old)
    for keys in (NEW, old, f"{OTHER}\n{old}"):
        installation.key.write_text(keys)
        assert "master key does not open this database" in installation.refused("migrate")
    installation.accepts(OTHER, NEW, old)
    installation.accepts(old, NEW, OTHER)


@pytest.mark.parametrize("command", ["serve", "work"])
def test_serving_with_a_key_that_the_database_does_not_know_is_refused(
    installation: Installation, command: str
) -> None:
    old = installation.key.read_text().strip()
    installation.key.write_text(f"{NEW}\n{old}")
    assert "run `trilha migrate` with the same keys" in installation.refused(command)


def test_a_database_from_before_the_check_is_held_to_its_passwords(installation: Installation) -> None:
    migration = "DELETE FROM schema_migrations WHERE name LIKE '0067%'"
    _as_owner(installation, f"DROP TABLE master_keys, last_errors; {migration}")
    assert "master key does not open" in installation.refused("migrate", TRILHA_MASTER_KEY=OTHER)
    installation.accepts(installation.key.read_text().strip())


def _as_owner(installation: Installation, sql: str) -> None:
    async def execute(url: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(sql)
        await connection.close()

    with run_embedded(Settings(data_dir=installation.key.parent)) as postgres:
        asyncio.run(execute(postgres.url))
