"""The demo's traffic with other systems: keys, webhooks with deliveries, imports, an undeliverable
e-mail.
"""

import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

from trilha.access.api_keys import actions as api_keys
from trilha.access.api_keys import queries as api_key_queries
from trilha.access.oauth import actions as oauth
from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.people.people_import import actions as imports
from trilha.people.people_import import files as import_files
from trilha.people.people_import import queries as import_queries
from trilha.people.people_import.rows import check_all
from trilha.people.people_import.sheet import read
from trilha.platform.mail import outbox
from trilha.platform.mail import queries as mail
from trilha.platform.mail.catalogue import PasswordReset
from trilha.platform.mail.schema import Recipient
from trilha.platform.mail.schema import SendResult as MailResult
from trilha.platform.webhooks import actions as webhooks
from trilha.platform.webhooks.actions import EndpointLimit
from trilha.platform.webhooks.delivery import claims, recorder, relay
from trilha.platform.webhooks.delivery.claims import ClaimRequest
from trilha.platform.webhooks.delivery.results import result_of
from trilha.platform.webhooks.schema import ClaimedDelivery, NewEndpoint, SendResult
from trilha.settings import Settings

Play = Callable[[], Awaitable[object]]
# Days of webhook history: events are not stored for longer.
_SINCE, _OUTAGE = 26, 5
_MAX_EVENTS = 10_000
_SHEET = """nome;email;matricula;cargo;setor;unidade
Bianca Torres;bianca.torres@aurora.test;A2001;Auxiliar de logística;Logística;CD-CJM
Edson Prates;edson.prates@aurora.test;A2002;Motorista de caminhão;Operações;FRT-REC
Lúcia Meireles;lucia.meireles@aurora.test;A2003;Analista financeiro;Financeiro;MTZ-ADM
Renato Viana;renato.viana@aurora;A2004;Mecânico de veículos pesados;Manutenção;OFC
Sônia Falcão;sonia.falcao@aurora.test;A2005;Auxiliar de logística;Logística;CD-BAR
Tiago Leme;tiago.leme@aurora.test;A2006;Motorista de caminhão;Operações;FRT-CPS
Tiago Leme;tiago.leme@aurora.test;A2006;Motorista de caminhão;Operações;FRT-CPS
"""


def steps(
    tx: Tx, settings: Settings, company: Callable[[], Company], chance: random.Random
) -> Iterator[tuple[float, Play]]:
    """Yields the steps, each with how many days ago it happens."""
    hooks = _Webhooks(tx, settings, company, chance)
    yield 340, partial(_make_keys, tx, settings, company)
    yield _SINCE, hooks.create
    for ago in range(_SINCE - 1, 0, -1):
        yield ago, partial(hooks.deliver, fails=ago == _OUTAGE)
    for days, dry_run in ((10, True), (9, False)):
        yield days, partial(_import, tx, settings, company, dry_run)
    yield 2, partial(_give_up_a_message, tx, company)


def _by_admin(company: Callable[[], Company]) -> Actor:
    return Actor("session", str(company().admin.id), "203.0.113.24")


async def _make_keys(tx: Tx, settings: Settings, company: Callable[[], Company]) -> None:
    """Creates the keys once, because a wipe keeps them."""
    if any(each.name == "Folha de pagamento" for each in await api_key_queries.list_all(tx)):
        return
    tx.actor = _by_admin(company)
    prefix = settings.api_key_prefix
    scopes = ["users:read", "users:write"]
    await api_keys.create(tx, "Folha de pagamento", scopes, prefix=prefix, lifetime=timedelta(days=352))
    old = await api_keys.create(tx, "BI (antigo)", ["enrollments:read"], prefix=prefix)
    await api_keys.revoke(tx, old.api_key.id)
    await api_keys.create(tx, "BI", ["enrollments:read", "courses:read"], prefix=prefix)
    await oauth.create(tx, "Portal do colaborador", ["users:read", "enrollments:read"])


class _Webhooks:
    """An endpoint that received completions day by day and was down on one day, and a disabled one."""

    def __init__(
        self, tx: Tx, settings: Settings, company: Callable[[], Company], chance: random.Random
    ) -> None:
        self._tx = tx
        self._company = company
        self._settings = settings
        self._chance = chance
        self._worker = uuid4()
        self._endpoint: UUID

    async def create(self) -> None:
        guard, limit = self._settings.guard, EndpointLimit(self._settings.webhook_endpoints)
        raws = (
            ("https://hooks.example.com/aurora/folha", ["enrollment.completed"], "Folha de pagamento", True),
            ("https://bi.example.com/trilha", ["user.created", "user.updated"], "BI, em testes", False),
        )
        self._tx.actor = _by_admin(self._company)
        # Earlier events are not sent.
        await relay.take_new_events(self._tx, _MAX_EVENTS)
        made = []
        for url, events, description, active in raws:
            raw = {"url": url, "events": events, "description": description, "active": active}
            new = convert(NewEndpoint, raw, self._tx.today)
            made.append(await webhooks.create(self._tx, new, guard, limit))
        self._endpoint = made[0].id

    async def deliver(self, *, fails: bool) -> None:
        """Delivers the events since yesterday; while the endpoint is down, until the delivery fails
        permanently.
        """
        await relay.enqueue(self._tx, await relay.take_new_events(self._tx, _MAX_EVENTS))
        while claimed := await self._claim():
            results = [
                result_of(each, self._build_result(each, fails), self._tx.now, 0.5) for each in claimed
            ]
            await recorder.record(self._tx, self._worker, results, [self._endpoint])
            later = [each.next_attempt_at for each in results if each.next_attempt_at]
            if not later:
                break
            self._tx.now = max(later) + timedelta(seconds=1)

    async def _claim(self) -> Sequence[ClaimedDelivery]:
        found = await claims.claim(
            self._tx,
            self._worker,
            self._tx.now + timedelta(seconds=45),
            [ClaimRequest(self._endpoint, 500, False)],
            limit=500,
            retry_limit=500,
            in_flight_limits=[500],
        )
        return found.deliveries

    def _build_result(self, delivery: ClaimedDelivery, fails: bool) -> SendResult:
        at = Timestamp.of(self._tx.now)
        if fails:
            return SendResult(at=at, http_status=503, duration_ms=self._chance.randrange(900, 4000),
                              response_body="upstream unavailable")  # fmt: skip
        return SendResult(
            at=at, http_status=200, duration_ms=self._chance.randrange(40, 220), response_body='{"ok":true}'
        )


async def _import(tx: Tx, settings: Settings, company: Callable[[], Company], dry_run: bool) -> None:
    """Imports a file with a bad row of each kind, first as a dry run."""
    tx.actor = _by_admin(company)
    raw = _SHEET.encode()
    # This file is never written: nobody reads it before the import has ended.
    path = f"{import_files.of_tenant(tx.tenant_id)}/admissoes.csv"
    started = await imports.start(tx, imports.inspect(raw), path, "admissoes-novembro.csv", dry_run=dry_run)
    running = await import_queries.claim(tx, started.id)
    assert running is not None
    rows = check_all(read(raw), running.mapping, tx.today, {})
    await imports.do_batch(tx, running, rows, {}, settings.address)
    await import_queries.forget_file(tx, started.id)


async def _give_up_a_message(tx: Tx, company: Callable[[], Company]) -> None:
    """Sends a message to an address that no longer exists."""
    person = company().people[3]
    to = Recipient(person.email, person.name, "pt-BR", user_id=person.id)
    link = "https://demo.trilha.test/login/reset/expired"
    await outbox.send(tx, to=to, message=PasswordReset(link=link, minutes=60))
    (message,) = await mail.claim(tx, 1, timedelta(minutes=1))
    reply = "550 5.1.1 The e-mail account does not exist"
    await mail.record(tx, message, MailResult(error="recipient_refused", reply=reply, final=True), None)
