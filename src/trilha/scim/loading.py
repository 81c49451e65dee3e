"""The library that requests are read with, imported when the first one needs it.

It takes half a second and 20 MB, which commands and workers have no use for.
"""

import asyncio
from importlib import import_module
from typing import Any

_loaded: Any = None


async def library() -> Any:
    """The module `trilha.scim.reading`. It is imported beside the event loop, which others wait for."""
    global _loaded
    if _loaded is None:
        _loaded = await asyncio.to_thread(import_module, "trilha.scim.reading")
    return _loaded
