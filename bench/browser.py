"""A browser behind the proxy: one persistent connection, and the files that a page loads."""

import gzip
import html
import http.client
import re
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from bench.deployment import HOST

PATIENCE = 20  # seconds
_LOADED = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)")
_IMPORTED = re.compile(r"(?:\bfrom|\bimport)\s*\(?\s*[\"'](\.{1,2}/[^\"']+)[\"']")


class Fetched(NamedTuple):
    """`ms` is the duration, `size` the number of compressed bytes. Status 504 means that no answer came."""

    ms: float
    status: int
    headers: Mapping[str, str]
    text: str
    size: int


class Sent(NamedTuple):
    ms: float
    status: int
    content: bytes


class Browser:
    def __init__(self, port: int) -> None:
        self.port = port
        self._connect()

    def _connect(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def fetch(
        self,
        address: str,
        token: str = "",
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Fetched:
        """Sends a GET. `token` is that of a session. An address with a host belongs to content, which has no
        session.
        """
        parts = urlsplit(address)
        sent = {
            "host": parts.netloc or HOST,
            "x-forwarded-proto": "https",
            "x-forwarded-for": "203.0.113.7",
            "accept-encoding": "gzip",
            **headers,
        }
        if token and not parts.netloc:
            sent["cookie"] = f"__Host-trilha_session={token}"
        if method != "GET":
            sent["sec-fetch-site"] = "same-origin"
        path = parts._replace(scheme="", netloc="").geturl()
        began = time.perf_counter()
        try:
            self.connection.request(method, path, body, sent)
            answer = self.connection.getresponse()
            body = answer.read()
        except (TimeoutError, http.client.HTTPException, ConnectionError):
            self.connection.close()
            self._connect()
            return Fetched((time.perf_counter() - began) * 1000, 504, {}, "", 0)
        ms = (time.perf_counter() - began) * 1000
        fields = {name.lower(): value for name, value in answer.getheaders()}
        content = gzip.decompress(body) if fields.get("content-encoding") == "gzip" else body
        return Fetched(ms, answer.status, fields, content.decode(errors="replace"), len(body))

    def load(self, address: str, token: str = "") -> dict[str, Fetched]:
        """Loads the page and all its files, including those that they load. Returns them by address."""
        loaded: dict[str, Fetched] = {}
        addresses = [address]
        while addresses:
            one = addresses.pop()
            if one in loaded:
                continue
            loaded[one] = fetched = self.fetch(one, token)
            addresses += [urljoin(one, each) for each in _resources(fetched)]
        return loaded


def send(
    port: int,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Sent:
    """Sends one request on a new connection, without a timeout."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    began = time.perf_counter()
    connection.request(method, path, body, {"host": HOST, "x-forwarded-proto": "https", **headers})
    answer = connection.getresponse()
    content = answer.read()
    ms = (time.perf_counter() - began) * 1000
    connection.close()
    return Sent(ms, answer.status, content)


def _resources(fetched: Fetched) -> Iterator[str]:
    media_type = fetched.headers.get("content-type", "")
    if "text/html" in media_type:
        yield from (html.unescape(each) for each in _LOADED.findall(fetched.text))
    elif "text/css" in media_type:
        yield from (each for each in _IN_STYLES.findall(fetched.text) if not each.startswith("data:"))
    elif "javascript" in media_type:
        yield from _IMPORTED.findall(fetched.text)
