"""All compliance checks of scim2-tester, on an empty tenant."""

import os
import re
import subprocess
import sys
from pathlib import Path

from running import running

SCIM2 = str(Path(sys.executable).with_name("scim2"))


def test_every_check_succeeds(tmp_path: Path) -> None:
    with running(tmp_path, TRILHA_LIMIT_SCIM="1000000/15m") as server:
        server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        token = server.command("scim", "token", "create", "--tenant", "acme")["token"]
        environment = os.environ | {
            "SCIM_CLI_URL": f"{server.url}/scim/v2",
            "SCIM_CLI_HEADERS": f"Authorization: Bearer {token}",
        }
        done = subprocess.run(
            [SCIM2, "test", "-v"], env=environment, capture_output=True, text=True, check=False
        )
    print(done.stdout[-20_000:], done.stderr[-5_000:])
    assert done.returncode == 0
    told = re.findall(r"^(SUCCESS|ERROR|CRITICAL|SKIPPED|ACCEPTABLE|DEVIATION)", done.stdout, re.M)
    assert set(told) == {"SUCCESS"}
    assert len(told) >= 80
