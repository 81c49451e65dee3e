"""The descriptions to fuzz, and what schemathesis must know about each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

HERE = Path(__file__).parent
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Surface:
    """`config` has the checks and the headers, `hooks` the values that no schema states."""

    description: str
    config: Path
    hooks: Path

    def operations(self, url: str) -> list[tuple[str, dict[str, Any]]]:
        """Returns each operation with its name in the log, such as `POST /v1/users`."""
        document = httpx2.get(url + self.description).json()
        prefix = urlsplit(document["servers"][0]["url"]).path.rstrip("/")
        return [
            (f"{method.upper()} {prefix}{path}", operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS
        ]


def takes_something(operation: dict[str, Any]) -> bool:
    """Tells whether the operation has parameters or a body. One without them has only one request."""
    places = {parameter["in"] for parameter in operation.get("parameters", [])}
    return bool(places & {"path", "query"}) or "requestBody" in operation


# One line for each description.
SURFACES = [
    Surface("/openapi.json", HERE / "schemathesis.toml", HERE / "hooks.py"),
    Surface("/oauth/openapi.json", HERE / "oauth.toml", HERE / "oauth_hooks.py"),
    Surface("/api/openapi.json", HERE / "api.toml", HERE / "api_hooks.py"),
    Surface("/scim/openapi.json", HERE / "scim.toml", HERE / "scim_hooks.py"),
]
