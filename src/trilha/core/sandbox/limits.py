"""What a process may take, said by whoever starts it and set by the process itself."""

import resource
import signal
from collections.abc import Sequence

from msgspec import Struct

MIB = 1024 * 1024
OPEN_FILES = 64
# The exit code of a process that needed more memory.
OUT_OF_MEMORY = 3


class Limits(Struct, frozen=True, kw_only=True):
    """`memory` is address space in bytes, `seconds` processor time for each message."""

    memory: int = 1024 * MIB
    seconds: float = 10.0

    @property
    def arguments(self) -> tuple[str, str]:
        """As the process is told them."""
        return str(self.memory), str(self.seconds)

    @classmethod
    def of(cls, arguments: Sequence[str]) -> "Limits":
        """The usual ones where none are told."""
        if not arguments:
            return cls()
        memory, seconds = arguments
        return cls(memory=int(memory), seconds=float(seconds))

    def limit_process(self) -> None:
        """For good. No file can be written."""
        for kind, most in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, OPEN_FILES),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            lowest = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (lowest, lowest))

    def limit_turn(self, seconds: float | None = None) -> None:
        """So much processor time from now on, else SIGPROF ends the process, whatever code it is in."""
        signal.setitimer(signal.ITIMER_PROF, seconds or self.seconds)
