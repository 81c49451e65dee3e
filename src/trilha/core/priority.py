"""Work that others wait for comes before work that can wait: niceness, which any user may raise.

A request is answered by half a dozen threads and processes in turn. On a busy machine each of them waits for
the processor; what is nicer is passed over then, and loses nothing while there is room.
"""

import os
import threading
from contextlib import suppress

# Somebody waits for what a thread does, too: with 10, a password took half a second on a busy machine.
_THREAD, _PROCESS = 5, 10


def yield_thread() -> None:
    """The thread that calls this comes after the other threads."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _THREAD)


def yield_process() -> None:
    """The process that calls this comes after other processes, with all threads that it begins."""
    os.nice(_PROCESS)
    # Where Linux shares the processor among sessions first, niceness counts within one alone, and the session
    # has a niceness of its own. One that is not ours is left alone.
    if os.getsid(0) == os.getpid():
        with suppress(OSError), open("/proc/self/autogroup", "w") as file:
            file.write(str(_PROCESS))
