"""Resource limits, chosen by the starter and set by the process itself."""

import resource
import signal
from collections.abc import Sequence

from msgspec import Struct

MIB = 1024 * 1024
OPEN_FILES = 64
# the exit code of a process that needed more memory
OUT_OF_MEMORY = 3


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of a process: `memory` is address space in bytes, `seconds` is processor time for each
    message.
    """

    memory: int = 1024 * MIB
    seconds: float = 10.0

    @property
    def arguments(self) -> tuple[str, str]:
        """Returns the command-line arguments that pass the limits to the process."""
        return str(self.memory), str(self.seconds)

    @classmethod
    def of(cls, arguments: Sequence[str]) -> "Limits":
        """Reads limits from arguments, or uses the defaults if there are none."""
        if not arguments:
            return cls()
        memory, seconds = arguments
        return cls(memory=int(memory), seconds=float(seconds))

    def limit_process(self) -> None:
        """Limits the process for good. It can then write no files."""
        for kind, maximum in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, OPEN_FILES),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            lowest = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
            resource.setrlimit(kind, (lowest, lowest))

    def limit_turn(self, seconds: float | None = None) -> None:
        """Limits the processor time from now on. Beyond it, SIGPROF ends the process, whatever code it
        runs.
        """
        signal.setitimer(signal.ITIMER_PROF, seconds or self.seconds)
