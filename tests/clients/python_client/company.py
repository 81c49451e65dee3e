"""A company on a running server, for tests of the Python client."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from running import Running, running

SCOPES = (
    "users:read,users:write,courses:read,enrollments:read,enrollments:write,enrollments:bulk,"
    "webhooks:read,webhooks:write"
)
COURSE = """
title: {slug}
slug: {slug}
modules:
  - title: Classes de fogo
    duration_minutes: 20
    body: Água não apaga fogo elétrico.
"""


class Company:
    """A tenant with a published course, `boas-vindas`, and a draft, `rascunho`."""

    def __init__(self, server: Running) -> None:
        self.server = server
        self.url = server.url
        self.port = server.port
        server.command("tenant", "create", "--slug", "typed", "--name", "Typed")
        self.key = self.issue_key(SCOPES)
        for slug, options in (("boas-vindas", ["--publish"]), ("rascunho", [])):
            file = server.folder / f"{slug}.yaml"
            file.write_text(COURSE.format(slug=slug))
            server.command("course", "create", "--tenant", "typed", "--file", str(file), *options)

    def issue_key(self, scopes: str) -> str:
        arguments = ("api-key", "create", "--tenant", "typed", "--name", "client", "--scopes", scopes)
        return str(self.server.command(*arguments)["key"])

    def issue_client(self, scopes: str) -> dict[str, str]:
        arguments = ("oauth-client", "create", "--tenant", "typed", "--name", "client", "--scopes", scopes)
        return dict(self.server.command(*arguments))


@contextmanager
def company_on_server(folder: Path) -> Iterator[Company]:
    with running(folder) as server:
        yield Company(server)
