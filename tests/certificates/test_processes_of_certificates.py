"""The processes that set and sign: what they may take, and that they leave nothing behind."""

import asyncio
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from trilha.certificates.processes import pool
from trilha.certificates.processes.pool import Died, Workers
from trilha.certificates.processes.serving import MEMORY, OPEN_FILES
from trilha.certificates.signatures.schema import Signed, ToSign

MODULE = "trilha.certificates.signatures"
LIMITS = "AS NOFILE FSIZE CORE"
NOTHING = msgspec.msgpack.encode(ToSign(b"no PDF", b"no key"))


def left(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    workers = Workers(MODULE, tmp_path, {}, 1)
    workers.seconds = 0
    with pytest.raises(Died, match="took too long"):
        await workers.ask(NOTHING)
    assert left(tmp_path) == []
    workers.seconds = 10
    answer = msgspec.msgpack.decode(await workers.ask(NOTHING), type=Signed)
    assert answer.error
    await workers.close()
    assert left(tmp_path) == []


async def test_one_is_asked_again_and_replaced_after_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MOST_MESSAGES", 2)
    workers = Workers(MODULE, tmp_path, {}, 1)
    seen = []
    for _ in range(4):
        await workers.ask(NOTHING)
        seen.append(left(tmp_path))
    assert [len(each) for each in seen] == [1, 0, 1, 0]
    assert seen[0] != seen[2]


async def test_who_is_cancelled_leaves_no_answer_to_the_next(tmp_path: Path) -> None:
    workers = Workers(MODULE, tmp_path, {}, 1)
    asked = asyncio.create_task(workers.ask(NOTHING))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert msgspec.msgpack.decode(await workers.ask(NOTHING), type=Signed).error
    await workers.close()


async def test_one_ends_when_nobody_is_left_to_ask_it(tmp_path: Path) -> None:
    reader = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", MODULE),
        cwd=tmp_path,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert psutil.pid_exists(reader.pid)
    assert reader.stdin is not None
    reader.stdin.close()
    assert await reader.wait() == 0


async def test_what_they_may_take() -> None:
    script = """
import resource, sys
from trilha.certificates.processes.serving import limit_self, limit_turn, PROCESSOR_SECONDS
limit_self()
limit_turn()
print(*(resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0] for name in sys.argv[1:]))
print(resource.getrlimit(resource.RLIMIT_CPU)[0] <= PROCESSOR_SECONDS + 2)
try:
    bytes(1 << 31)
except MemoryError:
    print("no more memory")
"""
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, *LIMITS.split()), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await run.communicate()
    assert said.decode().splitlines() == [f"{MEMORY} {OPEN_FILES} 0 0", "True", "no more memory"]
