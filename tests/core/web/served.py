"""Serves the library with a real server: `python -m core.web.served PORT FOLDER DATABASE_URL`."""

import os
import resource
import sys
from pathlib import Path
from typing import Any

from uvicorn import Server

from core.web.library import SURFACE, Shelf
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import Keyring
from trilha.core.web.admission import Admission
from trilha.core.web.answers import Text
from trilha.core.web.callers import PUBLIC
from trilha.core.web.gateway import Gateway
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.serving import config_of

routes = Routes("Memory", "What this process has held at most.")


@routes.get("", access=PUBLIC)
async def get_peak() -> Text:
    return Text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def make_app() -> Any:
    keyring = Keyring([b"k" * 32])
    urls = serving_urls(os.environ["LIBRARY_DATABASE"], keyring)
    database = Database(urls, system_clock, keyring, size=1)
    surfaces = [
        SURFACE,
        Surface(name="memory", prefixes=["/memory"], features=[routes]),
        Surface(name="nothing", prefixes=[""], features=[]),
    ]
    shelf = Shelf(Path(os.environ["LIBRARY_FOLDER"]))
    return Gateway(surfaces, database, Admission(database, []), dependencies=[shelf])


if __name__ == "__main__":
    port, folder, url = sys.argv[1:]
    os.environ |= {"LIBRARY_FOLDER": folder, "LIBRARY_DATABASE": url}
    Server(config_of("core.web.served:make_app", factory=True, port=int(port))).run()
