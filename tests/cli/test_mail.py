"""`trilha mail test` sends one message and prints one sentence about it."""

import asyncio
import json
import os
from email import message_from_bytes
from email.policy import SMTPUTF8
from pathlib import Path
from typing import Any

from conftest import World
from mail_receiver import receiving_mail
from running import TRILHA


async def run(world: World, folder: Path, *arguments: str, **variables: str) -> tuple[int, str, str]:
    environment = os.environ | {
        "TRILHA_DATABASE_URL": world.url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(folder),
        **variables,
    }
    process = await asyncio.create_subprocess_exec(
        *(TRILHA, "mail", "test", *arguments), env=environment, stdout=-1, stderr=-1
    )
    out, error = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), error.decode()


def to(world: World, email: str = "Ana@example.com") -> tuple[str, ...]:
    return ("--tenant", world.tenant.slug, "--to", email)


async def test_a_server_takes_it(world: World, tmp_path: Path) -> None:
    async with receiving_mail() as receiver:
        url = f"smtp://127.0.0.1:{receiver.port}?from=learn@example.com"
        code, out, error = await run(world, tmp_path, *to(world), TRILHA_SMTP_URL=url)
    assert (code, error) == (0, "")
    assert out == f"The message to ana@example.com was given to 127.0.0.1:{receiver.port}.\n"
    (mail,) = receiver.mails
    assert (mail["Subject"], mail["From"]) == ("Mensagem de teste", "Test <learn@example.com>")


async def test_a_refusal_is_one_sentence(world: World, tmp_path: Path) -> None:
    async with receiving_mail("554 5.7.1 Not here\x1b[31m") as receiver:
        url = f"smtp://u:p%2Fw@127.0.0.1:{receiver.port}?from=learn@example.com"
        receiver.recipients = ["550 5.1.1 No such user"]
        code, out, error = await run(world, tmp_path, *to(world), TRILHA_SMTP_URL=url.replace("u:p%2Fw@", ""))
        assert (code, out) == (1, "")
        place = f"127.0.0.1:{receiver.port}"
        assert error == f"trilha: {place} refused the recipient: 550 5.1.1 No such user.\n"
    code, _, error = await run(world, tmp_path, *to(world), TRILHA_SMTP_URL=url)
    assert (code, error) == (1, f"trilha: {place} could not be reached, or closed the connection.\n")


async def test_without_a_server_a_file_is_written(world: World, tmp_path: Path) -> None:
    code, out, error = await run(world, tmp_path, *to(world), "--json")
    assert (code, error) == (0, "")
    sent: dict[str, Any] = json.loads(out)
    (path,) = (tmp_path / "mail").iterdir()
    message = message_from_bytes(path.read_bytes(), policy=SMTPUTF8)
    assert message["Message-ID"] == sent["message_id"]
    assert sent["to"] == message["To"].addresses[0].addr_spec == "ana@example.com"


async def test_wrong_options(world: World, tmp_path: Path) -> None:
    code, _, error = await run(world, tmp_path, *to(world, "ana"))
    assert code == 2
    assert "'ana' is not an e-mail address." in error
    code, _, error = await run(world, tmp_path, "--tenant", "none-such", "--to", "a@example.com")
    assert (code, error) == (1, "trilha: There is no tenant with the slug none-such.\n")
