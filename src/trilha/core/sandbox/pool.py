"""The pool of sandbox processes. A process is started when needed, and ended when it is idle for a while,
after a number of messages, or when it takes too long.
"""

import asyncio
import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from uuid import UUID

from trilha.core.files import make_folder
from trilha.core.sandbox.limits import OUT_OF_MEMORY, Limits
from trilha.core.turns import Turns

IDLE_SECONDS = 60.0
# seconds in addition to its processor time: for starting, and while others have the processor
_WAITING_SECONDS = 10.0
# Typst keeps its layouts in memory, so a process is replaced after this many messages.
MAX_MESSAGES = 300
_LARGEST = 64 * 1024 * 1024
_PREFIX = "sandbox."
_NO_FILES: Mapping[str, bytes] = {}
# how long folders of killed processes are kept
_LEFT_BEHIND_SECONDS = 24 * 3600


class ProcessDied(Exception):
    """The process ended without an answer, or was ended for taking too long. The message says how."""


class TooCostly(ProcessDied):
    """The process exceeded its time or memory."""


class Worker:
    """One process, with its own folder of files that it may read."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._files: set[str] = set()
        self.messages = 0
        self.free_since = 0.0

    @classmethod
    async def start(cls, module: str, folder: Path, files: Mapping[str, bytes], limits: Limits) -> "Worker":
        for name, content in files.items():
            (folder / name).write_bytes(content)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", module, *limits.arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            # One thread each, because there are as many processes as cores.
            env={"RAYON_NUM_THREADS": "1"},
            # A terminal's interrupt goes to the parent, which then ends the process.
            start_new_session=True,
        )
        return cls(process, folder)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_over(self) -> bool:
        return self._process.returncode is not None

    def put(self, files: Mapping[str, bytes]) -> None:
        """Puts files beside the process. We choose the names, and a name always means the same content."""
        for name, content in files.items():
            if name not in self._files:
                (self._folder / name).write_bytes(content)
                self._files.add(name)

    async def ask(self, message: bytes, seconds: float) -> bytes:
        """Sends a message and returns the answer. If it raises ProcessDied, the process is over."""
        self.messages += 1
        try:
            return await asyncio.wait_for(self._exchange(message), seconds)
        except TimeoutError:
            await self.end()
            raise TooCostly("took too long") from None
        except (OSError, asyncio.IncompleteReadError):
            raise await self._failure() from None
        except BaseException:
            # The caller is gone, and the next answer would belong to its message.
            await self.end()
            raise

    async def _exchange(self, message: bytes) -> bytes:
        source, target = self._process.stdout, self._process.stdin
        assert source is not None
        assert target is not None
        target.write(len(message).to_bytes(4) + message)
        await target.drain()
        size = int.from_bytes(await source.readexactly(4))
        if size > _LARGEST:
            raise OSError("an answer of such a size is none")
        return await source.readexactly(size)

    async def _failure(self) -> ProcessDied:
        """Returns why a process ended that no longer responds. Waits a moment for its end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 1)
        await self.end()
        code = self._process.returncode or 0
        if code == -signal.SIGPROF:
            return TooCostly("took too long")
        if code == OUT_OF_MEMORY:
            return TooCostly("needed too much memory")
        return ProcessDied((signal.strsignal(-code) or "signal") if code < 0 else f"exit code {code}")

    async def end(self) -> None:
        """Ends the process and deletes its folder."""
        try:
            if not self.is_over:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
        finally:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


class Workers:
    """At most `size` processes that run `module` within `limits`, each in its own folder below `scratch` with
    these files.

    A message waits for a free process. Tenants take turns. A tenant has up to `per_tenant` processes; by
    default all of them, or all but one while other tenants wait.
    """

    def __init__(
        self,
        module: str,
        scratch: Path,
        files: Mapping[str, bytes] = _NO_FILES,
        size: int | None = None,
        limits: Limits | None = None,
        per_tenant: int | None = None,
    ) -> None:
        self._module = module
        self._scratch = scratch.resolve()
        self._files = files
        self._limits = limits or Limits()
        self.size = size or len(os.sched_getaffinity(0))
        self.seconds = self._limits.seconds + _WAITING_SECONDS
        self._turns = Turns(self.size, per_tenant or self.size, per_tenant or max(self.size - 1, 1))
        self._free: list[Worker] = []
        self._look: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(
        self, message: bytes, files: Mapping[str, bytes] = _NO_FILES, *, tenant_id: UUID | None = None
    ) -> bytes:
        """Sends a message and returns the answer. Raises TooCostly and ProcessDied."""
        async with self._turns.turn(tenant_id):
            worker = self._free.pop() if self._free else await self._start()
            worker.put(files)
            answer = await worker.ask(message, self.seconds)
            if worker.messages >= MAX_MESSAGES:
                await worker.end()
            else:
                self._keep(worker)
            return answer

    async def close(self) -> None:
        """Ends the free processes. A later message starts a new one."""
        if self._look:
            self._look.cancel()
        while self._free:
            await self._free.pop().end()

    async def _start(self) -> Worker:
        folder = await asyncio.to_thread(self._folder)
        try:
            return await Worker.start(self._module, folder, self._files, self._limits)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _folder(self) -> Path:
        make_folder(self._scratch, 0o700)
        long_ago = time.time() - _LEFT_BEHIND_SECONDS
        for each in self._scratch.glob(f"{_PREFIX}*"):
            if each.stat().st_mtime < long_ago:
                shutil.rmtree(each, ignore_errors=True)
        return Path(mkdtemp(prefix=_PREFIX, dir=self._scratch))

    def _keep(self, worker: Worker) -> None:
        loop = asyncio.get_running_loop()
        worker.free_since = loop.time()
        self._free.append(worker)
        if self._look is None:
            self._look = loop.call_later(IDLE_SECONDS, self._end_idle)

    def _end_idle(self) -> None:
        loop = asyncio.get_running_loop()
        before = loop.time() - IDLE_SECONDS
        for each in [each for each in self._free if each.free_since <= before]:
            self._free.remove(each)
            task = loop.create_task(each.end())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._look = loop.call_later(IDLE_SECONDS, self._end_idle) if self._free else None
