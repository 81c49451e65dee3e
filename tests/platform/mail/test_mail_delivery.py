"""From the row to the mailbox, with a real SMTP server, and the state of the row."""

import asyncio
import contextlib
import email.utils
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from aiosmtpd.smtp import Envelope

from authority import HERE, Authority
from conftest import World
from mail_receiver import MailReceiver, dispatcher_of, receiving_mail, transport_to
from posting import run_job
from trilha.core.lists import fetch_page
from trilha.core.outbound.mail_server import Tls
from trilha.core.types import InvalidValue
from trilha.platform.mail import jobs
from trilha.platform.mail.catalogue import PasswordReset, TemporaryPassword
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.delivery.smtp import SmtpTransport
from trilha.platform.mail.delivery.store import SEALED_FILES
from trilha.platform.mail.delivery.transports import transport_of, unsent_mail_of
from trilha.platform.mail.lists import MESSAGES
from trilha.platform.mail.outbox import send, send_all
from trilha.platform.mail.rules import DELAYS, LONGEST_WAIT
from trilha.platform.mail.schema import MailQuery, Recipient, SentMessage
from trilha.settings import Settings

LINK = "https://learn.test/reset/tok-3f0c9a8e-secret"
RESET = PasswordReset(link=LINK, minutes=30)
ANA = Recipient("ana@example.com", "Ana Lima", "pt-BR")
SILENT = 0.2  # seconds, where a timeout must pass


async def written(world: World, to: Recipient = ANA, message: Any = RESET) -> UUID:
    async with world.tx() as tx:
        return await send(tx, to=to, message=message)


async def outbox(world: World) -> Sequence[SentMessage]:
    async with world.tx() as tx:
        return (await fetch_page(tx, MESSAGES, MailQuery())).data


async def only(world: World) -> SentMessage:
    (row,) = await outbox(world)
    return row


@asynccontextmanager
async def sending(
    world: World, receiver: MailReceiver, *, seconds: float = 5, **options: Any
) -> AsyncIterator[Dispatcher]:
    transport = transport_to(receiver, seconds=seconds, **options)
    try:
        yield dispatcher_of(world, transport=transport, seconds=seconds)
    finally:
        await transport.close()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_message_arrives_once(world: World) -> None:
    id = await written(world)
    async with receiving_mail() as receiver, sending(world, receiver) as dispatcher:
        assert await dispatcher.drain() == 1
        assert await dispatcher.drain() == 0
    (mail,) = receiver.mails
    assert receiver.envelopes[0].mail_from == "learn@example.com"
    assert receiver.envelopes[0].rcpt_tos == ["ana@example.com"]
    assert mail["Message-ID"] == f"<{id}@example.com>"
    assert mail["To"] == "Ana Lima <ana@example.com>"
    assert mail["From"] == "Academia <learn@example.com>"
    assert mail["Subject"] == "Redefinição de senha"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert email.utils.parsedate_to_datetime(mail["Date"]) == world.clock.now
    assert mail.get_content_type() == "multipart/alternative"
    for form in ("plain", "html"):
        body = mail.get_body((form,))
        assert body is not None
        assert LINK in body.get_content()
    row = await only(world)
    assert (row.id, row.status, row.attempts, row.error, row.kind) == (id, "SENT", 1, None, "password_reset")
    assert row.sent_at


async def test_a_message_bears_the_colour_of_its_company(world: World, stranger: World) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO tenant_settings (tenant_id, brand_colour, updated_at)
            VALUES (:tenant, '#b3005e', :now)
            """
        )
    shown = []
    for each in (world, stranger):
        await written(each)
        async with receiving_mail() as receiver, sending(each, receiver) as dispatcher:
            await dispatcher.drain()
        (mail,) = receiver.mails
        body = mail.get_body(("html",))
        assert body is not None
        shown.append("#b3005e" in body.get_content())
    assert shown == [True, False]


async def test_what_was_rolled_back_sends_nothing(world: World) -> None:
    with contextlib.suppress(ZeroDivisionError):
        async with world.tx() as tx:
            await send(tx, to=ANA, message=RESET)
            raise ZeroDivisionError
    async with receiving_mail() as receiver, sending(world, receiver) as dispatcher:
        assert await dispatcher.drain() == 0
    assert receiver.mails == []
    assert await outbox(world) == []


async def test_many_are_one_statement_and_few_connections(world: World) -> None:
    people = [Recipient(f"p{n}@example.com", f"P {n}", "en") for n in range(60)]
    async with world.tx() as tx:
        assert await send_all(tx, []) == []
        ids = await send_all(tx, [(each, RESET) for each in people])
    async with receiving_mail() as receiver, sending(world, receiver) as dispatcher:
        assert await dispatcher.drain() == 60
    assert {mail["Message-ID"] for mail in receiver.mails} == {f"<{id}@example.com>" for id in ids}
    assert len(receiver.mails) == 60
    assert len(receiver.sessions) <= 8


@pytest.mark.parametrize("stage", ["recipients", "replies"])
async def test_a_passing_refusal_is_tried_again_later(world: World, stage: str) -> None:
    id = await written(world)
    async with receiving_mail() as receiver, sending(world, receiver) as dispatcher:
        setattr(receiver, stage, ["451 4.7.1 Try\r\nagain later", "250 OK"])
        await dispatcher.drain()
        row = await only(world)
        assert (row.status, row.attempts) == ("PENDING", 1)
        assert (row.error or "").endswith("_refused")
        assert (row.reply or "").startswith("451 4.7.1")
        assert await dispatcher.drain() == 0
        world.clock.move(seconds=34)
        assert await dispatcher.drain() == 1
    assert {mail["Message-ID"] for mail in receiver.mails} == {f"<{id}@example.com>"}
    row = await only(world)
    assert (row.status, row.attempts, row.error, row.reply) == ("SENT", 2, None, None)


@pytest.mark.parametrize(
    ("stage", "error"), [("recipients", "recipient_refused"), ("replies", "message_refused")]
)
async def test_a_lasting_refusal_gives_up(world: World, stage: str, error: str) -> None:
    await written(world)
    async with receiving_mail() as receiver, sending(world, receiver) as dispatcher:
        setattr(receiver, stage, ["550 5.1.1 No such user"])
        await dispatcher.drain()
        world.clock.move(days=2)
        assert await dispatcher.drain() == 0
    row = await only(world)
    assert (row.status, row.attempts, row.error, row.reply) == ("FAILED", 1, error, "550 5.1.1 No such user")


async def test_after_a_day_it_is_given_up(world: World) -> None:
    await written(world)
    began, moments = world.clock.now, []
    async with receiving_mail("451 no") as receiver, sending(world, receiver) as dispatcher:
        while (row := await only(world)).status == "PENDING":
            assert row.next_attempt_at
            world.clock.now = moment(row.next_attempt_at)
            moments.append(world.clock.now - began)
            assert await dispatcher.drain() == 1
    assert (row.status, row.error) == ("FAILED", "message_refused")
    assert LONGEST_WAIT / 2 < moments[-1] <= LONGEST_WAIT
    pauses = [(after - before).total_seconds() for before, after in pairwise(moments)]
    for pause, delay in zip_longest(pauses, DELAYS, fillvalue=DELAYS[-1]):
        assert delay <= pause <= delay * 1.1 + 0.001


async def test_a_server_that_hangs_is_left_after_a_while(world: World) -> None:
    """Whether it says nothing at all, or stops in the middle."""
    await written(world)
    opened = asyncio.Event()

    async def hang(_: Envelope) -> str:
        await opened.wait()
        return "250 OK"

    async with receiving_mail(hang) as receiver, sending(world, receiver, seconds=SILENT) as dispatcher:
        await dispatcher.drain()
        assert (await only(world)).error == "timeout"
        opened.set()

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    world.clock.move(minutes=1)
    receiver.port = server.sockets[0].getsockname()[1]
    async with sending(world, receiver, seconds=SILENT) as dispatcher:
        assert await dispatcher.drain() == 1
    server.close()
    row = await only(world)
    assert (row.status, row.attempts, row.error) == ("PENDING", 2, "timeout")


async def test_nobody_there(world: World) -> None:
    await written(world)
    async with receiving_mail() as receiver:
        pass
    async with sending(world, receiver) as dispatcher:
        await dispatcher.drain()
    row = await only(world)
    assert (row.status, row.error, row.reply) == ("PENDING", "connection_failed", None)


async def test_one_that_hangs_holds_up_no_other(world: World, stranger: World) -> None:
    """A hanging message does not delay others of its tenant, nor those of another tenant."""
    opened = asyncio.Event()

    async def hang(envelope: Envelope) -> str:
        if (envelope.rcpt_tos or [""])[0].startswith("slow"):
            await opened.wait()
        return "250 OK"

    async with receiving_mail(hang) as receiver:
        transport = transport_to(receiver)
        dispatcher = dispatcher_of(world, stranger, transport=transport)
        stop = asyncio.Event()
        running = asyncio.create_task(dispatcher.run(stop))
        async with world.tx() as tx:
            slow = [Recipient(f"slow{n}@example.com", "Slow", "en") for n in range(20)]
            await send_all(tx, [(each, RESET) for each in slow])
        await until(lambda: len(receiver.mails) == 6)
        await written(stranger)
        await until(lambda: len(receiver.mails) == 7)
        assert receiver.envelopes[-1].rcpt_tos == ["ana@example.com"]
        opened.set()
        await until(lambda: len(receiver.mails) == 21)
        stop.set()
        await running
    assert {row.status for row in (*await outbox(world), *await outbox(stranger))} == {"SENT"}


async def test_places_are_shared_out_among_tenants(world: World, stranger: World) -> None:
    opened, seen = asyncio.Event(), []

    async def hold(envelope: Envelope) -> str:
        seen.append((envelope.rcpt_tos or [""])[0])
        await opened.wait()
        return "250 OK"

    for each, name in ((world, "a"), (stranger, "b")):
        async with each.tx() as tx:
            people = [Recipient(f"{name}{n}@example.com", "P", "en") for n in range(20)]
            await send_all(tx, [(person, RESET) for person in people])
    async with receiving_mail(hold) as receiver:
        dispatcher = dispatcher_of(world, stranger, transport=transport_to(receiver))
        assert await dispatcher.send_due() == 8
        await until(lambda: len(seen) == 8)
        assert sorted(each[0] for each in seen) == ["a"] * 4 + ["b"] * 4
        opened.set()
        await dispatcher.drain()
    assert len(receiver.mails) == 40


async def test_killed_while_sending_it_is_sent_again_with_the_same_id(world: World) -> None:
    id = await written(world)
    arrived, opened = asyncio.Event(), asyncio.Event()

    async def hold(_: Envelope) -> str:
        arrived.set()
        await opened.wait()
        return "250 OK"

    async with receiving_mail(hold, "250 OK") as receiver:
        dead = dispatcher_of(world, transport=transport_to(receiver))
        await dead.send_due()
        await arrived.wait()
        for each in dead._attempts:
            each.cancel()
        await asyncio.wait(dead._attempts)
        opened.set()
        async with sending(world, receiver) as dispatcher:
            assert await dispatcher.drain() == 0, "its lease is not over"
            world.clock.move(seconds=16)
            assert await dispatcher.drain() == 1
    assert [mail["Message-ID"] for mail in receiver.mails] == [f"<{id}@example.com>"] * 2
    assert receiver.envelopes[0].original_content == receiver.envelopes[1].original_content
    row = await only(world)
    assert (row.status, row.attempts) == ("SENT", 2)


async def test_a_worker_that_lost_its_lease_changes_nothing(world: World) -> None:
    await written(world)
    arrived, opened = asyncio.Event(), asyncio.Event()

    async def refuse(_: Envelope) -> str:
        arrived.set()
        await opened.wait()
        return "550 no"

    async with receiving_mail(refuse, "250 OK") as receiver:
        slow = dispatcher_of(world, transport=transport_to(receiver))
        await slow.send_due()
        await arrived.wait()
        world.clock.move(seconds=16)
        async with sending(world, receiver) as dispatcher:
            assert await dispatcher.drain() == 1
        opened.set()
        await slow.drain()
        await until(lambda: not slow._attempts)
    row = await only(world)
    assert (row.status, row.error) == ("SENT", None)


async def test_two_workers_send_no_message_twice(world: World) -> None:
    async with world.tx() as tx:
        people = [Recipient(f"p{n}@example.com", "P", "en") for n in range(40)]
        await send_all(tx, [(each, RESET) for each in people])
    async with receiving_mail() as receiver:
        both = [dispatcher_of(world, transport=transport_to(receiver)) for _ in range(2)]
        await asyncio.gather(*(each.drain() for each in both))
    assert len(receiver.mails) == 40
    assert len({mail["Message-ID"] for mail in receiver.mails}) == 40


async def test_a_stop_waits_for_what_is_under_way(world: World) -> None:
    await written(world)
    arrived, opened, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def hold(_: Envelope) -> str:
        arrived.set()
        await opened.wait()
        return "250 OK"

    async with receiving_mail(hold) as receiver:
        running = asyncio.create_task(dispatcher_of(world, transport=transport_to(receiver)).run(stop))
        await arrived.wait()
        stop.set()
        opened.set()
        await running
    assert (await only(world)).status == "SENT"


# TLS and authentication.


async def test_starttls_where_it_is_offered(world: World, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    await written(world)
    async with (
        receiving_mail(tls=authority.server(HERE), auth=True) as receiver,
        sending(world, receiver, user="Ana", password="p:ss/word") as dispatcher,
    ):
        await dispatcher.drain()
    assert receiver.encrypted == [True]
    assert [each.login for each in receiver.users] == [b"Ana"]
    assert (await only(world)).status == "SENT"


@pytest.mark.parametrize(
    ("offered", "trusted", "error"),
    [(False, True, "tls_not_offered"), (True, False, "tls_failed"), (True, True, None)],
)
async def test_where_tls_is_required_nothing_goes_without(
    world: World, tmp_path: Path, offered: bool, trusted: bool, error: str | None
) -> None:
    import ssl

    authority = Authority(tmp_path)
    context = ssl.create_default_context(cafile=str(authority.file) if trusted else None)
    await written(world)
    async with receiving_mail(tls=authority.server(HERE) if offered else None) as receiver:
        transport = SmtpTransport(receiver.url(), Tls.REQUIRED, seconds=5, context=context)
        await dispatcher_of(world, transport=transport).drain()
        await transport.close()
    row = await only(world)
    assert (row.status, row.error) == ("PENDING" if error else "SENT", error)
    assert receiver.encrypted == ([] if error else [True])


async def test_a_wrong_password_is_the_operators_matter(world: World) -> None:
    """It is retried, because the message itself is valid."""
    await written(world)
    async with (
        receiving_mail(auth=True) as receiver,
        sending(world, receiver, user="ana", password="wrong") as dispatcher,
    ):
        await dispatcher.drain()
    row = await only(world)
    assert (row.status, row.error, row.reply) == ("PENDING", "sign_in_refused", None)


# Addresses.


async def test_a_domain_beyond_ascii_goes_in_idna(world: World) -> None:
    await written(world, Recipient("Ana@Ação.example", "Ana", "pt-BR"))
    async with receiving_mail(utf8=False) as receiver, sending(world, receiver) as dispatcher:
        await dispatcher.drain()
    assert receiver.envelopes[0].rcpt_tos == ["ana@xn--ao-siap.example"]


@pytest.mark.parametrize("utf8", [True, False])
async def test_a_local_part_beyond_ascii_needs_a_server_that_takes_it(world: World, utf8: bool) -> None:
    await written(world, Recipient("joão@example.com", "João", "pt-BR"))
    async with receiving_mail(utf8=utf8) as receiver, sending(world, receiver) as dispatcher:
        await dispatcher.drain()
    row = await only(world)
    if utf8:
        assert receiver.envelopes[0].rcpt_tos == ["joão@example.com"]
        assert receiver.mails[0]["To"].addresses[0].addr_spec == "joão@example.com"
    else:
        assert (row.status, row.error) == ("FAILED", "utf8_not_supported")


@pytest.mark.parametrize(
    "bad", ["a", "a@b", "a@example.com\r\nRCPT TO:<eva@example.com>", "<a@example.com>", ""]
)
def test_what_is_no_address_is_refused_before_it_is_a_row(bad: str) -> None:
    with pytest.raises(InvalidValue):
        Recipient(bad, "Ana", "en")


# Secrets.


async def test_sealed_while_it_waits_and_gone_afterwards(world: World, admin_url: str) -> None:
    secret = TemporaryPassword(password="hT7mQx4VbN9cKw2R", link="https://learn.test/login")
    await written(world, Recipient("zuleica@example.com", "Zuleica Selada", "en"), secret)
    await written(world)
    owner = await asyncpg.connect(admin_url)
    tables = await owner.fetch(
        """
        SELECT oid::regclass::text AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
        """
    )
    for table in tables:
        found = await owner.fetch(
            f"SELECT FROM {table['name']} t WHERE t::text ~ $1",
            f"{secret.password}|tok-3f0c9a8e|Zuleica Selada",
        )
        assert not found, table["name"]
    tenant = world.tenant.id
    sealed = "SELECT count(content) FROM mail_messages WHERE tenant_id = $1"
    assert await owner.fetchval(sealed, tenant) == 2
    async with receiving_mail("250 OK", "550 no") as receiver, sending(world, receiver) as dispatcher:
        await dispatcher.drain()
    assert sorted(row.status for row in await outbox(world)) == ["FAILED", "SENT"]
    assert await owner.fetchval(sealed, tenant) == 0
    await owner.close()


async def test_nothing_of_it_is_logged(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    await written(world)
    async with (
        receiving_mail("451 quoted ana@example.com " + LINK, auth=True) as receiver,
        sending(world, receiver, user="operator", password="p:ss/word") as dispatcher,
    ):
        await dispatcher.drain()
        world.clock.move(minutes=1)
        receiver.port = 1
        async with sending(world, receiver, user="operator", password="pa55-of-smtp") as unreachable:
            await unreachable.drain()
        async with world.tx() as tx:
            await tx.execute("UPDATE mail_messages SET content = content || 'x' WHERE tenant_id = :tenant")
        world.clock.move(minutes=5)
        await dispatcher.drain()
    log = capfd.readouterr().err
    assert log.count("mail not sent") == 3
    assert "UnreadableSecret" in log
    for secret in ("ana@example.com", "tok-3f0c9a8e", "Ana Lima", "p:ss/word", "pa55-of-smtp", "operator"):
        assert secret not in log


# Without a mail server.


async def test_without_a_server_it_is_a_file(world: World, tmp_path: Path) -> None:
    id = await written(world)
    folder = FolderTransport(tmp_path)
    dispatcher = dispatcher_of(world, transport=folder, sender="trilha@trilha.invalid")
    assert await dispatcher.drain() == 1
    row = await only(world)
    path = folder.path(id, moment(row.created_at))
    assert list((tmp_path / "mail").iterdir()) == [path]
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert LINK in (await folder.read_text(id, moment(row.created_at)) or "")
    assert row.status == "SENT"
    assert await folder.read_text(world.tenant.id, moment(row.created_at)) is None
    world.clock.move(days=29)
    settings, age = Settings(data_dir=tmp_path), timedelta(days=30)
    assert await jobs.prune_unsent(world.database, settings=settings, age=age) == 0
    world.clock.move(days=2)
    assert await jobs.prune_unsent(world.database, settings=settings, age=age) == 1
    nowhere = Settings(data_dir=tmp_path / "none")
    assert await jobs.prune_unsent(world.database, settings=nowhere, age=timedelta()) == 0


async def test_with_a_shared_file_store_it_is_a_sealed_file_there(world: World, tmp_path: Path) -> None:
    """Any node can read it. The mail contains links that set passwords."""
    id = await written(world)
    settings = Settings(data_dir=tmp_path / "own", files_url=f"file://{tmp_path}/shared")
    unsent = transport_of(settings, world.database.keyring)
    await dispatcher_of(world, transport=unsent, sender="trilha@trilha.invalid").drain()
    row = await only(world)
    assert row.status == "SENT"
    (file,) = (tmp_path / "shared" / "mail").iterdir()
    assert LINK.encode() not in file.read_bytes()
    elsewhere = replace(settings, data_dir=tmp_path / "other")
    files = unsent_mail_of(elsewhere, world.database.keyring)
    assert LINK in (await files.read_text(id, moment(row.created_at)) or "")
    assert await files.read_text(world.tenant.id, moment(row.created_at)) is None
    async with world.tx() as tx:
        rows = await tx.rows(SEALED_FILES.select, after=UUID(int=0), limit=10)
        assert [SEALED_FILES.key(tx.tenant_id, row) for row in rows] == [f"mail/{file.name}"]
    world.clock.move(days=31)
    assert await jobs.prune_unsent(world.database, settings=elsewhere, age=timedelta(days=30)) == 1
    assert not file.exists()


async def test_a_file_store_that_does_not_take_a_message(world: World, tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("")
    await written(world)
    unsent = transport_of(Settings(files_url=f"file://{tmp_path}"), world.database.keyring)
    await dispatcher_of(world, transport=unsent).drain()
    row = await only(world)
    assert (row.status, row.error) == ("PENDING", "folder_not_writable")


async def test_a_folder_that_is_none(world: World, tmp_path: Path) -> None:
    await written(world)
    (tmp_path / "mail").write_text("")
    await dispatcher_of(world, transport=FolderTransport(tmp_path)).drain()
    row = await only(world)
    assert (row.status, row.error) == ("PENDING", "folder_not_writable")


# Retention.


async def test_what_is_over_is_deleted_when_it_is_old(world: World, stranger: World, tmp_path: Path) -> None:
    job = jobs.prune_job(timedelta(days=30))
    for each in (world, stranger):
        await written(each)
    await dispatcher_of(world, transport=FolderTransport(tmp_path)).drain()
    assert await run_job(job, world, stranger) == 0
    world.clock.move(days=31)
    # One run looks at only some tenants, and other tests have many.
    async with asyncio.timeout(10):
        while await outbox(world):
            await run_job(job, world, stranger)
    assert await outbox(world) == []
    assert len(await outbox(stranger)) == 1, "it is not over"
