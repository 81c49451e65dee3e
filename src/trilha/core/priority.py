"""Lowers the priority of background work through niceness, which any user may raise.

Several threads and processes together answer a request. On a busy machine, each waits for the processor.
Background work with niceness then waits instead, and loses nothing on an idle machine.
"""

import os
import threading
from contextlib import suppress

# Somebody also waits for threads: with 10, a password took half a second on a busy machine.
_THREAD, _PROCESS = 5, 10


def yield_thread() -> None:
    """Lowers the priority of the calling thread."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _THREAD)


def yield_process() -> None:
    """Lowers the priority of the calling process and all threads that it starts."""
    os.nice(_PROCESS)
    # If Linux shares the processor among sessions first, niceness counts only within a session, and the
    # session has its own. A session that is not ours is left unchanged.
    if os.getsid(0) == os.getpid():
        with suppress(OSError), open("/proc/self/autogroup", "w") as file:
            file.write(str(_PROCESS))
