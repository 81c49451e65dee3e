"""Changes to e-mail domains."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.sso.domains import alerts, queries, rules
from trilha.access.sso.domains.rules import Finding
from trilha.access.sso.domains.schema import DomainName, EmailDomain
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.core.outbound.dns import NameServer, TxtRecords
from trilha.core.types import InvalidValue
from trilha.platform.audit import queries as audit


async def claim(tx: Tx, text: str) -> EmailDomain:
    """Claims a domain and returns it with the record that proves it. Raises Invalid or Conflict."""
    try:
        domain = DomainName.parse(text)
        rules.check_claimable(domain)
    except InvalidValue as refused:
        raise invalid("domain", str(refused)) from None
    if await queries.count(tx) >= rules.MAX_DOMAINS:
        raise Conflict("too_many_domains")
    claimed = await queries.insert(tx, domain, rules.new_token())
    if claimed is None:
        raise Conflict("domain_claimed")
    await audit.record(tx, "sso.domain_claimed", claimed.id, claimed.domain)
    return claimed


class Verification(Struct, frozen=True):
    """Looks up the records of domains. `link` is the address in e-mails about a missing record."""

    records: TxtRecords
    link: str

    @classmethod
    def by(cls, servers: tuple[NameServer, ...], address: str) -> "Verification":
        """Builds the verification from the settings' name servers and the server's public address."""
        return cls(TxtRecords(servers), f"{address}/admin/sso/domains")

    async def verify(self, database: Database, tenant_id: UUID, actor: Actor, domain_id: UUID) -> EmailDomain:
        """Looks up the record outside any transaction, and stores the result as `finding`. Raises
        NotFound.
        """
        async with database.transaction(tenant_id, read_only=True) as tx:
            domain = await queries.get(tx, domain_id)
        finding = await self.look_for(domain)
        async with database.transaction(tenant_id, actor=actor) as tx:
            return await note(tx, domain_id, finding, self.link)

    async def look_for(self, domain: EmailDomain) -> Finding:
        return rules.finding(domain.token, await self.records.find(domain.record_name))


async def assume_verified(tx: Tx, domain_id: UUID) -> EmailDomain:
    """Verifies a domain on the operator's word, without a record. Raises NotFound or Conflict."""
    domain = await queries.get(tx, domain_id, lock=True)
    if domain.verified_at:
        return domain
    if not await queries.take(tx, domain.domain):
        raise Conflict("domain_taken")
    values = {"verified_at": tx.now, "verified_by": "operator", "missing_since": None, "alerted_at": None}
    await audit.record(tx, "sso.domain_verified", domain.id, domain.domain, by="operator")
    return await queries.save(tx, domain_id, values)


async def remove(tx: Tx, domain_id: UUID) -> None:
    """Removes a domain: its addresses can no longer sign in, and other tenants may verify it. Raises
    NotFound.
    """
    removed = await queries.delete(tx, domain_id)
    if removed is None:
        raise NotFound("domain_not_found")
    await queries.give_up(tx, removed.domain)
    await audit.record(tx, "sso.domain_removed", removed.id, removed.domain)


async def note(tx: Tx, domain_id: UUID, finding: Finding, link: str) -> EmailDomain:
    """Stores the result of a lookup and acts on it. `link` is the address in e-mails. Raises NotFound."""
    domain = await queries.get(tx, domain_id, lock=True)
    looked: dict[str, Any] = {"checked_at": tx.now, "finding": finding}
    if finding is Finding.FOUND:
        return await _settle_verified(tx, domain, looked)
    if domain.verified_by != "dns":
        return await queries.save(tx, domain_id, looked)
    if finding is Finding.NO_ANSWER:
        return await queries.save(
            tx, domain_id, looked | {"check_due_at": tx.now + rules.CHECK_AFTER_NO_ANSWER}
        )
    return await _missing(tx, domain, looked, link)


async def _settle_verified(tx: Tx, domain: EmailDomain, looked: dict[str, Any]) -> EmailDomain:
    if not await queries.take(tx, domain.domain):
        return await queries.save(tx, domain.id, looked | {"finding": Finding.TAKEN})
    if domain.verified_by != "dns":
        looked |= {"verified_at": domain.verified_at or tx.now, "verified_by": "dns"}
        await audit.record(tx, "sso.domain_verified", domain.id, domain.domain, by="dns")
    settled = {"missing_since": None, "alerted_at": None, "check_due_at": tx.now + rules.CHECK_AFTER}
    return await queries.save(tx, domain.id, looked | settled)


async def _missing(tx: Tx, domain: EmailDomain, looked: dict[str, Any], link: str) -> EmailDomain:
    """Warns administrators a few days after the record is gone, and later ends the verification."""
    since = datetime.fromisoformat(domain.missing_since) if domain.missing_since else tx.now
    if tx.now - since >= rules.ENDS_AFTER:
        await queries.give_up(tx, domain.domain)
        await audit.record(tx, "sso.domain_verification_ended", domain.id, domain.domain)
        await alerts.tell_ended(tx, domain, link)
        ended = {"verified_at": None, "verified_by": None, "check_due_at": None}
        return await queries.save(tx, domain.id, looked | ended | {"missing_since": None, "alerted_at": None})
    looked |= {"missing_since": since, "check_due_at": tx.now + rules.CHECK_AFTER}
    if tx.now - since >= rules.ALERT_AFTER and domain.alerted_at is None:
        await audit.record(tx, "sso.domain_record_missing", domain.id, domain.domain)
        await alerts.tell_missing(tx, domain, since + rules.ENDS_AFTER, link)
        looked["alerted_at"] = tx.now
    return await queries.save(tx, domain.id, looked)
