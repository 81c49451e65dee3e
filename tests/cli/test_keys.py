"""`trilha keys` encrypts everything with a new master key while the server runs, until the old key can go."""

import random
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from promises import Load, Promises
from running import TRILHA, Running, running, with_demo

NEW = "2e" * 32


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("keys")
    with_demo(folder)
    with running(folder) as server:
        yield server


def keys_in_use(server: Running) -> set[str]:
    return {each["key"] for each in server.command("keys", "status")["uses"]}


def test_an_old_key_is_thrown_away_while_the_server_runs(server: Running) -> None:
    promises = Promises(server)
    key_file = server.folder / "data" / "master.key"
    old = key_file.read_text().strip()
    (old_id,) = keys_in_use(server)
    server.stop()
    key_file.write_text(f"{NEW}\n{old}\n")
    server.start_again()
    promises.check()
    with Load(promises) as load:
        for _ in range(3):
            reseal_and_kill(server)
        assert server.command("keys", "reseal") == {"forgotten": [old_id]}
    assert load.made
    assert load.failures == []
    assert old_id not in keys_in_use(server)
    promises.check()
    server.stop()
    key_file.write_text(NEW)
    server.start_again()
    promises.check()
    assert server.command("keys", "reseal") == {"forgotten": []}


def reseal_and_kill(server: Running) -> None:
    process = subprocess.Popen([TRILHA, "keys", "reseal"], env=server.environment)
    time.sleep(random.uniform(0.5, 1.5))  # somewhere between its start and its end
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_process_with_another_key_stops_the_change(server: Running) -> None:
    current = (server.folder / "data" / "master.key").read_text().strip()
    environment = server.environment | {"TRILHA_MASTER_KEY": f"{'5f' * 32}\n{current}"}
    done = subprocess.run(
        [TRILHA, "keys", "reseal"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Restart these processes, which still encrypt with another key: serve " in done.stderr
