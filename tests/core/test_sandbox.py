"""The processes that handle untrusted input: their limits, that they leave nothing behind, and that tenants
take turns.
"""

import asyncio
import signal
import sys
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import psutil
import pytest

from trilha.core.sandbox import pool
from trilha.core.sandbox.limits import OPEN_FILES, Limits
from trilha.core.sandbox.pool import TooCostly, Workers
from trilha.training.certificates.signatures.schema import SigningResult, ToSign

MODULE = "trilha.training.certificates.signatures"
LIMITS = "AS NOFILE FSIZE CORE"
NOTHING = msgspec.msgpack.encode(ToSign(b"no PDF", b"no key"))


def left(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    workers = Workers(MODULE, tmp_path, size=1)
    workers.seconds = 0
    with pytest.raises(TooCostly, match="took too long"):
        await workers.ask(NOTHING)
    assert left(tmp_path) == []
    workers.seconds = 10
    answer = msgspec.msgpack.decode(await workers.ask(NOTHING), type=SigningResult)
    assert answer.error
    await workers.close()
    assert left(tmp_path) == []


async def test_one_is_asked_again_and_replaced_after_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MAX_MESSAGES", 2)
    workers = Workers(MODULE, tmp_path, size=1)
    seen = []
    for _ in range(4):
        await workers.ask(NOTHING)
        seen.append(left(tmp_path))
    assert [len(each) for each in seen] == [1, 0, 1, 0]
    assert seen[0] != seen[2]


async def test_who_is_cancelled_leaves_no_answer_to_the_next(tmp_path: Path) -> None:
    workers = Workers(MODULE, tmp_path, size=1)
    asked = asyncio.create_task(workers.ask(NOTHING))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert msgspec.msgpack.decode(await workers.ask(NOTHING), type=SigningResult).error
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
import resource, signal, sys
from trilha.core.sandbox.limits import Limits
limits = Limits.of(sys.argv[1:3])
limits.limit_process()
limits.limit_turn()
print(*(resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0] for name in sys.argv[3:]))
print(0 < signal.getitimer(signal.ITIMER_PROF)[0] <= limits.seconds + 0.1)
try:
    bytes(1 << 31)
except MemoryError:
    print("no more memory", flush=True)
while True:
    pass
"""
    limits = Limits(seconds=0.2)
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, *limits.arguments, *LIMITS.split()), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await run.communicate()
    assert said.decode().splitlines() == [f"{limits.memory} {OPEN_FILES} 0 0", "True", "no more memory"]
    assert run.returncode == -signal.SIGPROF


async def test_tenants_take_turns_at_one_process(tmp_path: Path) -> None:
    """Twenty messages of one tenant wait when another one calls, which is answered after one of them."""
    workers = Workers(MODULE, tmp_path, size=1)
    hungry, other = uuid4(), uuid4()
    answered: list[UUID] = []

    async def ask(tenant_id: UUID) -> None:
        await workers.ask(NOTHING, tenant_id=tenant_id)
        answered.append(tenant_id)

    async with asyncio.TaskGroup() as tasks:
        for tenant_id in (*[hungry] * 20, other):
            tasks.create_task(ask(tenant_id))
    await workers.close()
    assert answered.index(other) <= 2
    assert len(answered) == 21
