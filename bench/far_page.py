"""A far page of a list, reached as a caller reaches it: page after page by its cursor."""

import http.client
import json
from urllib.parse import quote

from bench.contestants import Contestant


def far_page(ours: Contestant, path: str, number: int) -> tuple[str, str]:
    """The address of this page, and the floor's for the same rows."""
    connection = http.client.HTTPConnection("127.0.0.1", ours.port)
    address, last = path, {}
    for _ in range(number - 1):
        connection.request("GET", address, headers={"authorization": f"Bearer {ours.world.key}"})
        page = json.loads(connection.getresponse().read())
        last = page["data"][-1]
        address = f"{path}?cursor={page['next_cursor']}"
    connection.close()
    return address, f"{path}?at={quote(last['created_at'])}&id={last['id']}"
