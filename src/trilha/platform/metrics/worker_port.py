"""/metrics of a worker, at a port that serves nothing else."""

import asyncio
from typing import Any

from trilha.core import logs
from trilha.core.database import Database
from trilha.platform.metrics import figures
from trilha.settings import Settings


async def serve(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    """Answers until `stop` is set, if the settings have a port and a token. A port that cannot be used is
    logged; the worker goes on.
    """
    if settings.metrics_port is None or settings.metrics_token is None:
        return
    # Few workers answer requests, and it is slow to import.
    from aiohttp import web

    app = web.Application()
    app.router.add_get("/metrics", _build_handler(database, settings.metrics_token))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.metrics_port).start()
        await stop.wait()
    except OSError as error:
        logs.trouble("metrics port cannot be used", port=settings.metrics_port, error=error.strerror)
    finally:
        await runner.cleanup()


def _build_handler(database: Database, token: str) -> Any:
    from aiohttp import web

    async def show(request: web.Request) -> web.Response:
        if not figures.is_token(request.headers.get("Authorization", ""), token):
            raise web.HTTPUnauthorized
        body = await figures.render(database)
        return web.Response(body=body, headers={"Content-Type": figures.MEDIA_TYPE})

    return show
