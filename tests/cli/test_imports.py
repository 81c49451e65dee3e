"""A serving or working process imports no module that only other commands need."""

import subprocess
import sys


def test_the_server_s_parent_imports_no_other_command_and_no_application() -> None:
    script = "import sys, trilha.cli.server, trilha.serving; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", script], text=True).split())
    assert "trilha.runtime" in loaded
    others = {
        f"trilha.cli.{name}" for name in ("api_keys", "courses", "demo", "oauth", "tenants", "webhooks")
    }
    assert loaded & (others | {"trilha.app", "aiohttp", "joserfc", "rich", "yaml"}) == set()
