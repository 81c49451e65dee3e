"""The server: granian's processes, each with an application of its own."""

import gc
import multiprocessing
import os
import signal
import threading
from typing import Any

from granian.constants import HTTPModes, Interfaces, Loops, SSLProtocols
from granian.http import HTTP1Settings
from granian.server import Server

from trilha import app, settings
from trilha.core import logs
from trilha.runtime import make_database, serving_urls
from trilha.settings import Settings


def make_app() -> Any:
    """Called in each serving process; the settings reach it through the environment."""
    _end_with_parent()
    current = settings.load()
    logs.configure(current.log_format)
    with serving_urls(current) as urls:
        made = app.create_app(current, make_database(current, urls))
    # What is here now stays: the collector need not walk it again and again beneath each large batch.
    gc.collect()
    gc.freeze()
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


def serve(current: Settings, target: str = "trilha.serving:make_app") -> None:
    """Until SIGTERM or SIGINT. Requests in flight are finished."""
    Server(
        target,
        factory=True,
        address=current.host,
        port=current.port,
        workers=current.workers,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=30_000),
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
