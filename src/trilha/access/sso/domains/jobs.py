"""The daily check of verified domains' records."""

from uuid import UUID

from msgspec import Struct

from trilha.access.sso.domains import actions, queries, rules
from trilha.access.sso.domains.schema import EmailDomain
from trilha.core.credentials import SYSTEM
from trilha.core.database import Database
from trilha.core.jobs import oldest

# Lookups run one after another, each for a few seconds at most.
_BATCH = 20
_DUE = oldest("email_domains", "check_due_at < :now", "check_due_at")


class CheckDomains(Struct, frozen=True):
    """Checks the records that are due."""

    verification: actions.Verification
    name: str = "check records of domains"
    rest: float = 60
    is_logged: bool = True

    async def run_once(self, database: Database) -> int:
        done = 0
        for row in await database.search(_DUE):
            done += await self.run_in(database, row["tenant_id"])
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Checks this tenant's next records, outside any transaction."""
        async with database.transaction(tenant_id) as tx:
            due = await queries.claim_due(tx, tx.now + rules.CHECK_AFTER_NO_ANSWER, _BATCH)
        for domain in due:
            await self._check(database, tenant_id, domain)
        return len(due)

    async def _check(self, database: Database, tenant_id: UUID, domain: EmailDomain) -> None:
        finding = await self.verification.look_for(domain)
        async with database.transaction(tenant_id, actor=SYSTEM) as tx:
            # The domain may have been removed meanwhile.
            if await queries.find(tx, domain.domain) is not None:
                await actions.note(tx, domain.id, finding, self.verification.link)
