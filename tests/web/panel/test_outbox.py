"""/admin/outbox"""

import re
from dataclasses import replace
from pathlib import Path

from conftest import World
from trilha import app as trilha_app
from trilha.core.outbound.mail_server import MailServer
from trilha.core.secrets import Keyring
from trilha.platform.mail import outbox, rules
from trilha.platform.mail.catalogue import PasswordReset
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.schema import Recipient
from trilha.settings import Settings
from trilha.web.panel.outbox.pages import ERRORS, texts_of
from web.panel.signing_in import signed_in

PATH = "/admin/outbox"
LINK = "https://trilha.test/login/reset/abc"


async def written(world: World) -> None:
    async with world.tx() as tx:
        to = Recipient("bia@example.com", "Bia", "en")
        await outbox.send(tx, to=to, message=PasswordReset(link=LINK, minutes=60))


async def test_in_development_the_text_is_read(world: World, settings: Settings, tmp_path: Path) -> None:
    world.app = trilha_app.create_app(replace(settings, data_dir=tmp_path), world.database, world.clock)
    await written(world)
    admin = await signed_in(world)
    page = (await admin.get(PATH, params={"q": "bia@"})).text
    address = re.search(rf'href="({PATH}/[0-9a-f-]{{36}})"', page)
    assert address
    assert "Not written yet" in (await admin.get(address[1])).text
    dispatcher = Dispatcher(world.database, FolderTransport(tmp_path), sender=settings.sender, seconds=5)
    await dispatcher.drain()
    shown = (await admin.get(address[1])).text
    assert f'href="{LINK}"' in shown


async def test_elsewhere_it_is_not(world: World, settings: Settings) -> None:
    server = MailServer("localhost", 2525, implicit_tls=False)
    world.app = trilha_app.create_app(replace(settings, smtp_url=server), world.database, world.clock)
    await written(world)
    async with world.tx() as tx:
        id = await tx.value("SELECT id FROM mail_messages WHERE tenant_id = :tenant LIMIT 1")
    admin = await signed_in(world)
    assert "bia@example.com" in (await admin.get(PATH)).text
    assert (await admin.get(f"{PATH}/{id}")).status_code == 404


def test_in_production_no_text_is_read(settings: Settings, keyring: Keyring) -> None:
    assert texts_of(replace(settings, env="production"), keyring).files is None
    assert texts_of(settings, keyring).files is not None


async def test_what_was_given_up(world: World) -> None:
    await written(world)
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE mail_messages SET status = 'FAILED', error = 'recipient_refused', content = NULL,
                   next_attempt_at = NULL WHERE tenant_id = :tenant
            """
        )
    admin = await signed_in(world)
    page = (await admin.get(PATH, params={"status": "FAILED"})).text
    assert "The mail server refused the recipient." in page
    assert "1 e-mail could not be sent" in (await admin.get("/admin")).text


async def test_nobody_else_reads_it(world: World, stranger: World) -> None:
    await written(world)
    assert "bia@" not in (await (await signed_in(stranger)).get(PATH)).text
    assert (await (await signed_in(world, "gestor")).get(PATH)).status_code == 403


def test_every_error_has_a_sentence() -> None:
    assert ERRORS.keys() == rules.ERRORS.keys()
