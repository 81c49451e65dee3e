"""E-mails to administrators about a domain whose record is gone."""

from datetime import datetime

from trilha.access.sso.domains import queries
from trilha.access.sso.domains.schema import EmailDomain
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import DomainRecordMissing, DomainVerificationEnded


async def tell_missing(tx: Tx, domain: EmailDomain, ends_at: datetime, link: str) -> None:
    message = DomainRecordMissing(
        domain=domain.domain,
        record_name=domain.record_name,
        record_value=domain.record_value,
        expires_at=Timestamp.of(ends_at),
        link=link,
    )
    await outbox.send_all(tx, [(each, message) for each in await queries.list_administrators(tx)])


async def tell_ended(tx: Tx, domain: EmailDomain, link: str) -> None:
    message = DomainVerificationEnded(domain=domain.domain, link=link)
    await outbox.send_all(tx, [(each, message) for each in await queries.list_administrators(tx)])
