"""The fastest server that this machine allows: `python -m bare_server DATABASE_URL`, in its own process.

Each request sends two queries, like the request of a list, and does nothing else. It prints its port.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import uvloop
from aiohttp import web


async def main(database_url: str) -> None:
    pool = await asyncpg.create_pool(database_url, min_size=1, max_size=2)

    async def answer(_: web.Request) -> web.Response:
        await pool.fetchval("SELECT 1")
        await pool.fetchval("SELECT 1")
        return web.Response(text="{}")

    application = web.Application()
    application.router.add_get("/", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def bare_server(database_url: str) -> Iterator[str]:
    """Runs the server until the block ends, and returns its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "bare_server", database_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.path.dirname(__file__)},
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.stdin.close()
            process.wait(30)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
