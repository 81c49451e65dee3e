"""/metrics: for the operator's token alone, of all processes, and the drill of the alerts."""

import shutil
import subprocess
from pathlib import Path

import httpx2
import pytest

from conftest import World
from running import free_port, running, wait_until

TOKEN = "t" * 20
MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring"


async def test_without_a_token_nothing_is_there(world: World) -> None:
    assert (await world.http.get("/metrics")).status_code == 404


@pytest.mark.whole
def test_figures_of_all_processes(tmp_path: Path) -> None:
    port = str(free_port())
    variables = {"TRILHA_METRICS_TOKEN": TOKEN, "TRILHA_METRICS_PORT": port, "TRILHA_WORKERS": "2"}
    with running(tmp_path, **variables) as server:
        address = f"{server.url}/metrics"
        assert httpx2.get(address).status_code == 401
        assert httpx2.get(address, headers={"authorization": "Bearer no"}).status_code == 401
        headers = {"authorization": f"Bearer {TOKEN}"}
        for _ in range(30):
            httpx2.get(f"{server.url}/v1/users/7f9c0a4e-0d5e-4e5b-8f7e-0a6b1c2d3e4f")

        def read() -> str:
            answer = httpx2.get(address, headers=headers)
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/plain")
            return str(answer.text)

        line = (
            'trilha_requests_total{method="GET",route="/v1/users/{user_id}",status="401",surface="v1"} 30.0'
        )
        wait_until(lambda: line in read(), 20)
        wait_until(lambda: 'trilha_job_turns_total{job="keep errors",outcome="idle"}' in read(), 20)
        text = read()
        assert 'trilha_backlog{work="e-mail"} 0.0' in text
        assert 'trilha_database_up{work="database"} 1.0' in text
        assert "7f9c0a4e" not in text
        of_worker = f"http://127.0.0.1:{port}/metrics"
        assert httpx2.get(of_worker).status_code == 401
        answer = httpx2.get(of_worker, headers=headers)
        assert answer.headers["content-type"].startswith("text/plain")
        assert 'trilha_job_turns_total{job="keep errors",outcome="idle"}' in answer.text
        assert httpx2.get(f"http://127.0.0.1:{port}/v1/users", headers=headers).status_code == 404


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Prometheus is not installed")
def test_the_alerts_fire_in_a_drill() -> None:
    for arguments in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
