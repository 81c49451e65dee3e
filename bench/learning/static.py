"""A bare static server: what it costs to read a file by its path and send it, and no more."""

import os
from pathlib import Path
from typing import Any

TYPES = {".html": b"text/html", ".js": b"text/javascript", ".css": b"text/css", ".png": b"image/png"}


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for _ in range(2):
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
        return
    path = Path(os.environ["TRILHA_DATA_DIR"]) / "static" / scope["path"].lstrip("/")
    content = path.read_bytes()
    headers = [(b"content-type", TYPES[path.suffix]), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def make_app() -> Any:
    return app
