"""The server: processes that share a listening socket, each with its own application."""

import gc
import multiprocessing
import os
import resource
import signal
import socket
import ssl
import threading
from contextlib import suppress
from functools import partial
from typing import Any

from uvicorn import Config, Server

from trilha import __version__, settings
from trilha.core import logs, tracing
from trilha.core.processes import Processes, Shutdown
from trilha.runtime import make_database, serving_urls
from trilha.settings import Settings

# Files that a process opens in addition to connections: the database's connections, sent files, and
# libraries.
_OTHER_FILES = 512
_BACKLOG = 4096
_HEAD_BYTES = 64 * 1024
# seconds for requests in progress when the server stops
_FINISH_SECONDS = 30
# More processes are started only if configured, because each takes memory and connections.
_MAX_AUTOMATIC_PROCESSES = 4
# collections of the middle generation, each after 7,000 more objects, before one of the oldest
_OLD_GENERATION = 200


# of this process; uvicorn calls `make_app` without arguments
_shutdown = Shutdown()


def make_app() -> Any:
    """Creates the application in a serving process, with settings from the environment."""
    # Everything that is imported stays, so collecting garbage is useless.
    gc.disable()
    # the parent process never needs it
    from trilha import app

    _end_with_parent()
    current = settings.load()
    logs.configure(current.log_format)
    tracing.enable("serve", __version__)
    with serving_urls(current) as urls:
        made = app.create_app(current, make_database(current, urls, "serve"), shutdown=_shutdown)
    # These objects stay, so the collector need not examine them for every large batch.
    gc.collect()
    gc.freeze()
    gc.enable()
    # Collect the oldest generation rarely: it would examine thousands of requests in progress every second or
    # two, while everybody waits. They leave no cycles, and the younger generations are collected as usual.
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _OLD_GENERATION)
    return made


def _end_with_parent() -> None:
    """Ends this process with its parent, because an orphan would keep the port and respond forever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def count_processes(current: Settings) -> int:
    """Returns how many serving processes `trilha serve` starts on this machine."""
    return current.workers or min(len(os.sched_getaffinity(0)), _MAX_AUTOMATIC_PROCESSES)


def _places(current: Settings) -> int:
    """Returns how many connections a process can hold: the setting, or fewer if it may not open as many
    files.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return current.connections
    return min(current.connections, max(files - _OTHER_FILES, files // 2))


def _raise_file_limit(current: Settings) -> None:
    """Raises the limit of open files as far as this user may. Serving processes inherit it."""
    wanted = current.connections + _OTHER_FILES
    files, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < wanted:
        files = wanted if limit == resource.RLIM_INFINITY else min(wanted, limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, limit))
    if (places := _places(current)) < current.connections:
        logs.note("the limit of open files is low", connections=places, open_files=files, wanted=wanted)


def config_of(target: Any, **options: Any) -> Config:
    """Configures uvicorn without its own logging.

    h11 accepts any method, so that the surface refuses unknown ones, and keeps the body of a request that
    offers another protocol, as Java's client does. httptools is faster but does neither.
    """
    return Config(
        target,
        loop="uvloop",
        http="h11",
        h11_max_incomplete_event_size=_HEAD_BYTES,
        ws="none",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        **options,
    )


def serve(current: Settings, target: str = "trilha.serving:make_app", *, delay: float = 0) -> None:
    """Serves until SIGTERM or SIGINT, and `delay` seconds longer, while `/readyz` answers 503. Requests in
    progress are finished.
    """
    logs.configure(current.log_format)
    _raise_file_limit(current)
    with _bind(current.host, current.port) as listener:
        processes = Processes(count_processes(current), _serve_one, listener, current, target)
        # New connections during shutdown are refused at once.
        processes.run(delay=delay, ending=listener.close, seconds=_FINISH_SECONDS)


def _bind(host: str, port: int) -> socket.socket:
    (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    return listener


def _serve_one(shutdown: Shutdown, listener: socket.socket, current: Settings, target: str) -> None:
    """Runs one serving process."""
    global _shutdown
    _shutdown = shutdown
    config = config_of(
        target,
        factory=True,
        backlog=_BACKLOG,
        limit_concurrency=_places(current),
        timeout_keep_alive=current.keep_alive,
        timeout_graceful_shutdown=_FINISH_SECONDS - 1,
        ssl_context_factory=partial(_tls, current) if current.tls_cert else None,
    )
    # Ctrl-C reaches all processes at once.
    with suppress(KeyboardInterrupt):
        Server(config).run([listener])
    tracing.close()


def _tls(current: Settings, *_: object) -> ssl.SSLContext:
    assert current.tls_cert is not None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(current.tls_cert, current.tls_key)
    return context
