"""`trilha` of a process that has imported it already: a command is a fork of that one, and soon there.

`python -m preloaded SOCKET` is that process. A command comes with its folder, arguments, environment and the
three standard files, and its exit code is the answer. It is for commands that end by themselves.
"""

import gc
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from running import wait_until
from trilha.cli import main

# Run for each command, so it imports as little as may be.
_CLIENT = """#!{python} -IS
import os, socket, sys
words = [os.getcwd(), str(len(sys.argv)), *sys.argv, *map("=".join, os.environ.items())]
message = os.fsencode("\\0".join(words))
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(message).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(message)
    told = server.recv(1)
sys.exit(told[0] if told else "the command crashed")
"""
_MODULES = (
    *("api_keys", "audit", "certificates", "courses", "mail", "oauth", "paths", "people", "scim", "sso"),
    *("status", "tenants", "users"),
)


@contextmanager
def preloaded(folder: Path) -> Iterator[Path]:
    """A folder for PATH, in which `trilha` is of this kind."""
    address = folder / "commands"
    client = folder / "bin" / "trilha"
    client.parent.mkdir()
    client.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
    client.chmod(0o755)
    command = [sys.executable, "-m", "preloaded", str(address)]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)}) as process:
        try:
            wait_until(address.exists)
            yield client.parent
        finally:
            process.terminate()


def _serve(address: str) -> None:
    for each in _MODULES:
        import_module(f"trilha.cli.{each}")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a fork that has ended is waited for by nobody
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        while True:
            asking, _ = listening.accept()
            if not os.fork():
                listening.close()
                _answer(asking)
            asking.close()


def _answer(asking: socket.socket) -> NoReturn:
    """In the fork, which ends here."""
    size, files, _, _ = socket.recv_fds(asking, 8, 3)
    message = asking.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    for standard, given in enumerate(files):
        os.dup2(given, standard)
    folder, count, *words = os.fsdecode(message).split("\0")
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(each.split("=", 1) for each in words[int(count) :])
    asking.send(bytes([_exit_code(words[1 : int(count)])]))
    os._exit(0)


def _exit_code(arguments: list[str]) -> int:
    try:
        main(arguments, prog_name="trilha")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1])
