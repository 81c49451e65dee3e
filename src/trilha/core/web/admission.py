"""Admission, the step that every request passes: finds its credentials and counts it against its limits.

Each request reads and writes the database, so a revoked key is refused at once and a limit is exact across
all processes. Requests that arrive during a query share the next one, which makes each cheaper under load.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter

from msgspec import Struct

from trilha.core import logs
from trilha.core.credentials import Credential, CredentialLookup, PresentedCredential
from trilha.core.database import CONNECTION_ERRORS, Database, Unscoped
from trilha.core.database.batcher import Batcher
from trilha.core.database.connection import structs_of
from trilha.core.jobs import ServiceJob
from trilha.core.web.admission_statement import CountedHit, Statements
from trilha.core.web.rate_limits import BucketHit, Counters, Hit, Usage, Window, usages_of

KnownCredentials = Mapping[PresentedCredential, Credential]
_get_remaining = attrgetter("remaining")


class AdmissionResult(Struct, frozen=True):
    """`usage` is that of the bucket with the least left, or None if nothing was counted."""

    usage: Usage | None
    known_credentials: KnownCredentials


class _Question(Struct, frozen=True):
    presented: Sequence[PresentedCredential]
    hits: Sequence[Hit]


class Admission:
    def __init__(
        self,
        database: Database,
        lookups: Iterable[CredentialLookup],
        most_together: int = 256,
        counters: Counters | None = None,
    ) -> None:
        """`counters` count hits instead of the database."""
        self._database = database
        self._counters = counters
        self._lookups = {each.kind: each for each in lookups}
        # Apart, so that a worker of a cluster that is down fails no request that can be admitted without it.
        self._batcher = Batcher(self._answer, most_together)
        self._workers_batcher = Batcher(self._answer, most_together)
        self._statements = Statements(self._lookups)

    async def close(self) -> None:
        if self._counters is not None:
            await self._counters.close()

    async def admit(self, presented: Sequence[PresentedCredential], hits: Sequence[Hit]) -> AdmissionResult:
        """Counts a request and finds its credentials."""
        reads_workers = any(self._lookups[each.kind].reads_workers for each in presented)
        batcher = self._workers_batcher if reads_workers else self._batcher
        return await batcher.submit(_Question(presented, hits))

    async def find(self, presented: PresentedCredential) -> Credential | None:
        """Finds a credential without counting anything."""
        return (await self.admit([presented], [])).known_credentials.get(presented)

    async def _answer(self, questions: list[_Question]) -> list[AdmissionResult]:
        now = self._database.clock()
        second = int(now.timestamp())
        presented = questions[0].presented
        if len(questions) > 1:
            presented = list({each: None for question in questions for each in question.presented})
        totals: Mapping[str, int] | None = {}
        credentials: list[Credential] = []
        if presented or self._counters is None:
            counts = {} if self._counters else _count_hits(questions, second)
            async with self._database.unscoped() as unscoped:
                totals, credentials = await self._ask(unscoped, presented, counts)
                if used := [each for each in credentials if each.use_is_due]:
                    await self._note_use(unscoped, used)
        by_key = {(each.kind, each.key): each for each in credentials}
        counted_by = [_list_bucket_hits(question, by_key) for question in questions]
        bucket_hits = [each for many in counted_by for each in many]
        if self._counters is not None:
            totals = await self._counters.count(_sum_by_window(bucket_hits, second))
        usages = usages_of(bucket_hits, totals, now) if totals is not None else []
        remaining_usages = iter(usages)
        return [
            AdmissionResult(
                min(list(islice(remaining_usages, len(many))), key=_get_remaining, default=None),
                {each: known for each in question.presented if (known := by_key.get((each.kind, each.key)))},
            )
            for question, many in zip(questions, counted_by, strict=True)
        ]

    async def _ask(
        self,
        unscoped: Unscoped,
        presented: Collection[PresentedCredential],
        counts: Mapping[CountedHit, int],
    ) -> tuple[dict[str, int], list[Credential]]:
        """Returns the new totals by bucket, and the credentials. It uses one statement, because every
        request waits for it.
        """
        statement, parameters = self._statements.of(presented, counts)
        rows = await unscoped.rows(statement, **parameters)
        totals = {row["bucket"]: row["hits"] for row in rows if row["bucket"] is not None}
        return totals, structs_of(Credential, [row for row in rows if row["bucket"] is None])

    async def _note_use(self, unscoped: Unscoped, used: Sequence[Credential]) -> None:
        """Records the time of use. A request does not fail because that cannot be written."""
        for kind, lookup in self._lookups.items():
            if own := [each for each in used if each.kind == kind]:
                try:
                    await unscoped.execute(
                        lookup.note_use,
                        ids=[each.id for each in own],
                        keys=[each.key for each in own],
                        tenants=[each.tenant_id for each in own],
                    )
                except CONNECTION_ERRORS as error:
                    logs.note("the last use of credentials was not recorded", error=type(error).__name__)


def _build_counted_hit(hit: Hit, second: int) -> CountedHit:
    """Builds the hit as it counts in this second since 1970."""
    key = hit.credential.key if hit.credential else None
    seconds = hit.limit.seconds
    return CountedHit(hit.bucket, key, hit.otherwise, hit.own_limit, second // seconds, seconds)


def _count_hits(questions: Sequence[_Question], second: int) -> dict[CountedHit, int]:
    counts: dict[CountedHit, int] = {}
    for question in questions:
        for hit in question.hits:
            counted = _build_counted_hit(hit, second)
            counts[counted] = counts.get(counted, 0) + hit.count
    return counts


def _sum_by_window(hits: Sequence[BucketHit], second: int) -> dict[Window, int]:
    counts: dict[Window, int] = {}
    for hit in hits:
        window = Window(hit.bucket, second // hit.limit.seconds, hit.limit.seconds)
        counts[window] = counts.get(window, 0) + hit.count
    return counts


def _list_bucket_hits(
    question: _Question, credentials: Mapping[tuple[str, bytes], Credential]
) -> list[BucketHit]:
    counted = []
    for hit in question.hits:
        owner = credentials.get((hit.credential.kind, hit.credential.key)) if hit.credential else None
        if bucket := hit.bucket_of(owner):
            counted.append(BucketHit(bucket, hit.limit_of(owner), hit.count))
    return counted


async def prune_windows(database: Database) -> int:
    """Deletes the counters of past windows."""
    async with database.unscoped() as unscoped:
        return await unscoped.execute(
            """
            DELETE FROM limit_windows WHERE (bucket, number) IN (
                SELECT bucket, number FROM limit_windows WHERE ends_at < :now LIMIT 5000)
            """
        )


PRUNE_WINDOWS = ServiceJob(name="prune limit windows", run_once=prune_windows, rest=60)
