"""Downloads that go on beside what is measured: `python -m bench.downloading`, in a process of its own.

Reads from standard input a `Downloads` in MessagePack; ends when each connection has read its files.
"""

import sys
import threading
from http.client import HTTPConnection

import msgspec


class Downloads(msgspec.Struct):
    port: int
    path: str
    key: str
    connections: int
    times: int


def _download(plan: Downloads) -> None:
    for _ in range(plan.times):
        connection = HTTPConnection("127.0.0.1", plan.port, timeout=300)
        connection.request("GET", plan.path, headers={"authorization": f"Bearer {plan.key}"})
        answer = connection.getresponse()
        while answer.read(1 << 18):
            pass
        connection.close()


if __name__ == "__main__":
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Downloads)
    threads = [threading.Thread(target=_download, args=(asked,)) for _ in range(asked.connections)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
