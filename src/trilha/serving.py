"""The server: granian's processes, each with an application of its own."""

import gc
import multiprocessing
import os
import resource
import signal
import threading
from typing import Any

from granian.constants import HTTPModes, Interfaces, Loops, SSLProtocols
from granian.http import HTTP1Settings
from granian.server import Server

from trilha import settings
from trilha.core import logs
from trilha.core.web.connections import Bounds, Connections
from trilha.runtime import make_database, serving_urls
from trilha.settings import Settings

# Beside its connections a process opens those to the database, files that it sends, and libraries.
_OTHER_FILES = 512
_BACKLOG = 4096
# Of a request's head, and of what a connection's client has not read yet.
_BUFFER_BYTES = 64 * 1024
# Collections of the middle generation, each after 7,000 more objects, before one of the oldest.
_OLD_GENERATION = 200


def make_app() -> Any:
    """Called in each serving process; the settings reach it through the environment."""
    # All that is imported stays: there is no garbage to look for.
    gc.disable()
    # The parent of these processes never needs it.
    from trilha import app

    _end_with_parent()
    current = settings.load()
    logs.configure(current.log_format)
    with serving_urls(current) as urls:
        made = app.create_app(current, make_database(current, urls, "serve"))
    bounds = Bounds(
        current.port,
        _places(current),
        current.connections_per_address,
        current.answer_timeout,
        current.trusted_proxies,
    )
    Connections(bounds, made.capacity.busy).watch()
    # What is here now stays: the collector need not walk it again and again beneath each large batch.
    gc.collect()
    gc.freeze()
    gc.enable()
    # Nor all of thousands of requests in flight every second or two, while everybody waits: they leave no
    # cycles behind, and the younger generations are looked at as usual.
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _OLD_GENERATION)
    return made


def _end_with_parent() -> None:
    """A serving process whose parent was killed would keep the port and answer for ever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def _places(current: Settings) -> int:
    """How many connections a process can hold: what is asked for, as far as it may open as many files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return current.connections
    return min(current.connections, max(files - _OTHER_FILES, files // 2))


def _raise_file_limit(current: Settings) -> None:
    """As far as this user may. The serving processes inherit it."""
    wanted = current.connections + _OTHER_FILES
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < wanted:
        files = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    if (places := _places(current)) < current.connections:
        logs.configure(current.log_format)
        logs.note("the limit of open files is low", connections=places, open_files=files, wanted=wanted)


def serve(current: Settings, target: str = "trilha.serving:make_app") -> None:
    """Until SIGTERM or SIGINT. Requests in flight are finished."""
    _raise_file_limit(current)
    Server(
        target,
        factory=True,
        address=current.host,
        port=current.port,
        workers=current.workers,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        # Counted from the end of the request before, so that it also ends what is kept for another.
        http1_settings=HTTP1Settings(
            header_read_timeout=current.head_timeout * 1000, max_buffer_size=_BUFFER_BYTES
        ),
        backlog=_BACKLOG,
        backpressure=_places(current),
        websockets=False,
        loop=Loops.uvloop,
        log_enabled=False,
        respawn_failed_workers=True,
        respawn_interval=0.5,
        workers_kill_timeout=30,
        ssl_cert=current.tls_cert,
        ssl_key=current.tls_key,
        ssl_protocol_min=SSLProtocols.tls12,
    ).serve()
