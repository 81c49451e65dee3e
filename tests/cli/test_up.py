"""trilha up"""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner, Result

from running import TRILHA, Running, free_port, migrated, running, wait_until
from trilha.cli import main
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.runtime import run_embedded
from trilha.settings import Settings


@pytest.mark.parametrize(("how", "first"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_one_signal_stops_everything(tmp_path: Path, how: int, first: bool) -> None:
    """This includes the first start, which creates everything."""
    if not first:
        migrated(tmp_path)
    trilha = Running(tmp_path)
    trilha.wait_ready()
    assert (tmp_path / "data" / "master.key").stat().st_mode & 0o777 == 0o600
    family = [psutil.Process(trilha.process.pid), trilha.postmaster()]
    family += family[0].children(recursive=True)
    assert trilha.stop(how) == 0
    _, alive = psutil.wait_procs(family, timeout=5)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


def test_ends_with_its_parent_killed(tmp_path: Path) -> None:
    migrated(tmp_path)
    trilha = Running(tmp_path)
    trilha.wait_ready()
    family = [*trilha.children("serve"), *trilha.children("work"), trilha.postmaster()]
    trilha.stop(signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


def test_a_worker_that_was_still_starting_leaves_no_database(tmp_path: Path) -> None:
    migrated(tmp_path)
    trilha = Running(tmp_path)
    wait_until(lambda: trilha.children("work"))
    (worker,) = trilha.children("work")
    wait_until(lambda: any(each.path.endswith("postgres.users") for each in worker.open_files()))
    worker.suspend()
    trilha.wait_ready()
    others = [*trilha.children("serve"), trilha.postmaster()]
    trilha.stop(signal.SIGKILL)
    psutil.wait_procs(others[:-1], timeout=20)
    worker.resume()
    _, alive = psutil.wait_procs([worker, *others], timeout=20)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


def test_a_signal_while_the_database_starts_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = EmbeddedPostgres.start

    def interrupted(postgres: EmbeddedPostgres) -> None:
        start(postgres)
        assert (tmp_path / "postgres" / "postmaster.pid").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(EmbeddedPostgres, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), run_embedded(Settings(data_dir=tmp_path)):
        pass
    assert not (tmp_path / "postgres" / "postmaster.pid").exists()


def test_starts_again_what_was_killed(tmp_path: Path) -> None:
    with running(tmp_path) as trilha:
        for victims in (
            trilha.children("serve")[1:],
            trilha.children("serve")[:1],
            trilha.children("work"),
            [trilha.postmaster()],
        ):
            assert victims
            for each in victims:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
            psutil.wait_procs(victims, timeout=5)
            wait_until(trilha.is_ready)


def test_requests_in_flight_are_finished(tmp_path: Path) -> None:
    with running(tmp_path) as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        key = trilha.command(
            "api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:write"
        )["key"]
        connections = [http.client.HTTPConnection("127.0.0.1", trilha.port, timeout=30) for _ in range(12)]
        for each in connections:  # so that the server knows each of them
            each.request("GET", "/livez")
            each.getresponse().read()
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        # Each request hashes a password, so most are still in progress when the signal arrives.
        for number, each in enumerate(connections):
            body = json.dumps({"email": f"u{number}@example.com", "name": "U"})
            each.request("POST", "/v1/users", body, headers)
        answers = [connections[0].getresponse().status]
        trilha.stop()
        answers += [each.getresponse().status for each in connections[1:]]
        assert answers == [201] * 12


def test_a_busy_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = subprocess.run(
            [TRILHA, "up"],
            env=os.environ | {"TRILHA_DATA_DIR": str(tmp_path / "data"), "TRILHA_PORT": port},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        f"trilha: Port {port} on 127.0.0.1 cannot be used (Address already in use); "
        "stop what uses it or set TRILHA_PORT.\n"
    )


def test_an_unwritable_folder_is_one_sentence(tmp_path: Path) -> None:
    """This includes root, who can write to folders without write permission: nobody can create a file in
    these.
    """
    (tmp_path / "file").touch()
    for folder, reason in (
        ("/proc/trilha", "No such file or directory"),
        (tmp_path / "file", "Not a directory"),
        (tmp_path / "file" / "data", "File exists"),
    ):
        done = _up(TRILHA_DATA_DIR=str(folder), TRILHA_PORT=str(free_port()))
        assert done.exit_code == 1
        assert done.stderr == (
            f"trilha: The data folder {folder} cannot be written ({reason}); set TRILHA_DATA_DIR.\n"
        )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = _up(TRILHA_DATA_DIR=str(tmp_path), TRILHA_PORT=str(free_port()))
    assert (done.exit_code, done.stderr) == (
        1,
        f"trilha: The data folder {tmp_path} cannot be written (Permission denied); set TRILHA_DATA_DIR.\n",
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TRILHA_LIMIT_V1", "many"), ("TRILHA_PORT", "0"), ("TRILHA_ENV", "test"), ("TRILHA_PROT", "80")],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, variable: str, value: str) -> None:
    done = _up(TRILHA_DATA_DIR=str(tmp_path), **{variable: value})
    assert done.exit_code == 1
    assert done.stderr.startswith(f"trilha: {variable} ")
    assert done.stderr.count("\n") == 1


def test_production_needs_an_origin_for_content(tmp_path: Path) -> None:
    done = _up(TRILHA_DATA_DIR=str(tmp_path), TRILHA_ENV="production")
    assert done.exit_code == 1
    assert done.stderr.startswith("trilha: TRILHA_CONTENT_URL is required in production")
    assert done.stderr.count("\n") == 1


def test_a_damaged_master_key_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "master.key").write_text("not a key\n")
    done = _up(TRILHA_DATA_DIR=str(tmp_path))
    assert done.exit_code == 1
    assert done.stderr.startswith("trilha: The master key cannot be read")


def _up(**variables: str) -> Result:
    """Runs the command in this process, which is faster."""
    return CliRunner().invoke(main, ["up"], env=variables)
