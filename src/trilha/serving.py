"""The server: processes that share a listening socket, each with an application of its own."""

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

from trilha import settings
from trilha.core import logs
from trilha.core.processes import Processes
from trilha.runtime import make_database, serving_urls
from trilha.settings import Settings

# Beside its connections a process opens those to the database, files that it sends, and libraries.
_OTHER_FILES = 512
_BACKLOG = 4096
_HEAD_BYTES = 64 * 1024
# How long requests in flight have when the server ends.
_FINISH_SECONDS = 30
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
        logs.note("the limit of open files is low", connections=places, open_files=files, wanted=wanted)


def config_of(target: Any, **options: Any) -> Config:
    """How uvicorn serves an application, without a word in a log but Trilha's.

    h11 takes any method, so that the surface refuses an unknown one, and keeps the body of a request that
    offers another protocol, as Java's client does. httptools, which is faster, does neither.
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


def serve(current: Settings, target: str = "trilha.serving:make_app") -> None:
    """Until SIGTERM or SIGINT. Requests in flight are finished."""
    logs.configure(current.log_format)
    _raise_file_limit(current)
    with _bind(current.host, current.port) as listener:
        processes = Processes(current.workers, _serve_one, listener, current, target)
        # Whoever connects once they end is told at once that nobody listens.
        processes.run(ending=listener.close, seconds=_FINISH_SECONDS)


def _bind(host: str, port: int) -> socket.socket:
    (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    return listener


def _serve_one(listener: socket.socket, current: Settings, target: str) -> None:
    """One process."""
    config = config_of(
        target,
        factory=True,
        backlog=_BACKLOG,
        limit_concurrency=_places(current),
        timeout_keep_alive=current.keep_alive,
        timeout_graceful_shutdown=_FINISH_SECONDS - 1,
        ssl_context_factory=partial(_tls, current) if current.tls_cert else None,
    )
    # Whoever presses Ctrl-C tells all processes at once.
    with suppress(KeyboardInterrupt):
        Server(config).run([listener])


def _tls(current: Settings, *_: object) -> ssl.SSLContext:
    assert current.tls_cert is not None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(current.tls_cert, current.tls_key)
    return context
