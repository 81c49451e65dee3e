"""Runs the serving processes until the parent is told to end."""

import multiprocessing
import signal
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from typing import Any

from trilha.core import logs

# how soon a process that ended is replaced
_RESPAWN_SECONDS = 0.5


class Shutdown:
    """Tells whether this process is about to stop, so that a load balancer sends nothing new."""

    def __init__(self, announced: Event | None = None) -> None:
        self._announced = announced

    @property
    def is_announced(self) -> bool:
        return self._announced is not None and self._announced.is_set()


class Processes:
    """Runs `count` processes, each with its own interpreter. They call `target` with a Shutdown and these
    arguments.
    """

    def __init__(self, count: int, target: Callable[..., None], *arguments: Any) -> None:
        self._count = count
        self._target = target
        self._context = multiprocessing.get_context("spawn")
        self._announced = self._context.Event()
        self._arguments = (Shutdown(self._announced), *arguments)

    def run(self, *, delay: float, ending: Callable[[], None], seconds: float) -> None:
        """Runs until SIGTERM or SIGINT, and replaces processes that end.

        Then it announces the shutdown and waits for `delay` seconds, or for a second signal. It stops the
        processes, calls `ending`, and kills those that are left after `seconds`.
        """
        told, tell = socket.socketpair()
        tell.setblocking(False)
        signal.set_wakeup_fd(tell.fileno())
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        running = [self._start() for _ in range(self._count)]
        while told not in wait([told, *[each.sentinel for each in running]]):
            time.sleep(_RESPAWN_SECONDS)
            running = [each if each.is_alive() else self._replace(each) for each in running]
        self._announced.set()
        told.recv(1)
        wait([told], delay)
        for each in running:
            each.terminate()
        ending()
        _await_ends(running, seconds)

    def _start(self) -> SpawnProcess:
        process = self._context.Process(target=self._target, args=self._arguments)
        process.start()
        return process

    def _replace(self, dead: SpawnProcess) -> SpawnProcess:
        logs.trouble("serving process ended", exit_code=dead.exitcode)
        return self._start()


def _await_ends(running: Sequence[SpawnProcess], seconds: float) -> None:
    until = time.monotonic() + seconds
    for each in running:
        each.join(max(0, until - time.monotonic()))
        each.kill()
