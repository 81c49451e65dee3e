"""People in bulk: a thousand at a time with sealed documents, who are new, who change, and who stay.

`python -m bench people`.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence

import msgspec

from bench.contestants import Contestant, running
from bench.load import Result, Round
from bench.world import SMALL, make_world, server

PEOPLE = 1_000
CALLS = 8
CONNECTIONS = 2
LEAST = 2_000  # people a second, on two cores with the database and the load beside it


def main() -> int:
    """How many bounds are missed."""
    missed = 0
    with server() as (folder, url):
        world = make_world(folder, url, SMALL)
        with running([("ours", world)]) as (ours,):
            print(f"{'':<12}people/s   p50 ms of a call")
            warm = _calls(ours.world.key, range(900, 902), "RH")
            _run(ours, warm)
            for name, department in (("new", "RH"), ("changed", "TI"), ("unchanged", "TI")):
                result = _run(ours, _calls(world.key, range(CALLS), department))
                people = result.per_second * PEOPLE
                missed += people < LEAST or result.unanswered > 0
                print(f"{name:<12}{people:8,.0f}   {result.p50:8,.0f}")
    print(f"at least {LEAST:,} people/s; bounds missed: {missed}")
    return missed


def _run(ours: Contestant, requests: Sequence[bytes]) -> Result:
    plan = Round(
        port=ours.port, connections=CONNECTIONS, seconds=60, status=200, requests=list(requests), repeat=False
    )
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=msgspec.msgpack.encode(plan),
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.msgpack.decode(done.stdout, type=Result)


def _calls(key: str, numbers: range, department: str) -> list[bytes]:
    return [_put(key, list(_people(number * PEOPLE, department))) for number in numbers]


def _put(key: str, users: list[dict[str, object]]) -> bytes:
    text = msgspec.json.encode({"users": users})
    head = (
        f"PUT /v1/users/bulk HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


def _people(first: int, department: str) -> Iterator[dict[str, object]]:
    for number in range(first, first + PEOPLE):
        yield {
            "employee_number": f"B{number:07}",
            "email": f"bulk{number}@example.com",
            "name": f"Pessoa {number} da Silva",
            "department": department,
            "job_title": "Motorista",
            "cpf": cpf(100_000_000 + number),
            "phone": f"119{number % 10**8:08}",
            "birth_date": "1990-05-17",
        }


def cpf(base: int) -> str:
    """The CPF of nine digits, with its check digits."""
    digits = [int(each) for each in f"{base:09}"]
    for _ in range(2):
        weights = range(len(digits) + 1, 1, -1)
        rest = sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) * 10 % 11
        digits.append(rest % 10)
    return "".join(map(str, digits))
