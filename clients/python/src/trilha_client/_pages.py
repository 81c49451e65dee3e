"""Lists that are read page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Generic

from trilha_client._calls import AsyncSend, Call, Page, Row, Send

__all__ = ["AsyncPages", "Page", "Pages"]


class Pages(Generic[Row]):
    """The rows of a list: `for user in client.users.list()`.

    Each page is read when its first row is needed.
    """

    def __init__(self, send: Send, call: Call[Page[Row]]) -> None:
        self._send = send
        self._call = call

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[Row]]:
        call: Call[Page[Row]] | None = self._call
        while call is not None:
            page = self._send(call)
            yield page
            call = _next(call, page)


class AsyncPages(Generic[Row]):
    """The rows of a list: `async for user in client.users.list()`."""

    def __init__(self, send: AsyncSend, call: Call[Page[Row]]) -> None:
        self._send = send
        self._call = call

    async def __aiter__(self) -> AsyncIterator[Row]:
        async for page in self.pages():
            for row in page.data:
                yield row

    async def pages(self) -> AsyncIterator[Page[Row]]:
        call: Call[Page[Row]] | None = self._call
        while call is not None:
            page = await self._send(call)
            yield page
            call = _next(call, page)


def _next(call: Call[Page[Row]], page: Page[Row]) -> Call[Page[Row]] | None:
    """Returns the call of the next page. A page may be empty and still have a next one."""
    if not page.has_more or page.next_cursor is None:
        return None
    return replace(call, query={**call.query, "cursor": page.next_cursor})
