"""`python -m bench learning` comes to its end."""

import subprocess
import sys

MEASURED = (
    *("p95", "not saved", "others beside one after none", "files of a package beside a bare static server"),
    *("import of a package of", "memory for"),
)


def test_all_of_learning_is_measured() -> None:
    command = [sys.executable, "-m", "bench", "learning", "--smallest"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The bounds are for a machine that does nothing else; what is asked here is whether it measures.
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert "bounds missed" in done.stdout, done.stderr
    assert [each for each in MEASURED if each not in done.stdout] == []
