"""The one step every request passes: find its credentials, count it against its limits.

Both are read from and written to the database for every request, so a revoked key is refused on the
very next one and a limit is exact, whichever process is asked. Requests that arrive while the database is
being asked are asked about in one batch next: under load, the cost of a request falls.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from trilha.core.credentials import Credential, CredentialKind, CredentialLookup, PresentedCredential
from trilha.core.database import Database, Unscoped
from trilha.core.database.batcher import Batcher
from trilha.core.database.connection import structs_of
from trilha.core.jobs import ServiceJob
from trilha.core.web.rate_limits import Counted, Hit, Usage, usages_of

Found = Mapping[PresentedCredential, Credential]


class Admitted(Struct, frozen=True):
    """`usage` is that of the bucket with the least left, None where nothing was counted."""

    usage: Usage | None
    found: Found


class _Question(Struct, frozen=True):
    presented: Sequence[PresentedCredential]
    hits: Sequence[Hit]


class Admission:
    def __init__(
        self, database: Database, lookups: Iterable[CredentialLookup], most_together: int = 256
    ) -> None:
        self._database = database
        self._lookups = {each.kind: each for each in lookups}
        self._batcher = Batcher(self._answer, most_together)
        self._statement = cache(self._compose)

    async def admit(self, presented: Sequence[PresentedCredential], hits: Sequence[Hit]) -> Admitted:
        """Counts one request, and finds those of its credentials that are known."""
        return await self._batcher.submit(_Question(presented, hits))

    async def find(self, presented: PresentedCredential) -> Credential | None:
        """Without counting anything."""
        return (await self.admit([presented], [])).found.get(presented)

    async def _answer(self, questions: list[_Question]) -> list[Admitted]:
        presented = {each for question in questions for each in question.presented}
        now = self._database.clock()
        counts: dict[tuple[Any, ...], int] = {}
        for hit in (hit for question in questions for hit in question.hits):
            key = hit.credential.key if hit.credential else None
            row = (hit.bucket, key, hit.otherwise, hit.own_limit, hit.limit.window(now), hit.limit.seconds)
            counts[row] = counts.get(row, 0) + 1
        async with self._database.unscoped() as unscoped:
            totals, credentials = await self._ask(unscoped, presented, counts)
            if used := [each for each in credentials if each.use_is_due]:
                await self._note_use(unscoped, used)
        by_key = {(each.kind, each.key): each for each in credentials}
        found = {each: known for each in presented if (known := by_key.get((each.kind, each.key)))}
        counted = [list(_counted(question, found)) for question in questions]
        usages = iter(usages_of([each for many in counted for each in many], totals, now))
        return [
            Admitted(
                min((next(usages) for _ in many), key=lambda usage: usage.left, default=None),
                {each: found[each] for each in question.presented if each in found},
            )
            for question, many in zip(questions, counted, strict=True)
        ]

    async def _ask(
        self,
        unscoped: Unscoped,
        presented: Collection[PresentedCredential],
        counts: Mapping[tuple[Any, ...], int],
    ) -> tuple[dict[str, int], list[Credential]]:
        """The new totals by bucket, and the credentials. One statement, as every request waits for it."""
        kinds = frozenset(each.kind for each in presented)
        parameters: dict[str, Any] = {}
        for kind in kinds:
            parameters |= self._lookups[kind].parameters([each for each in presented if each.kind == kind])
        columns = zip(*counts, strict=True) if counts else ((),) * 6
        names = ("buckets", "keys", "others", "owns", "numbers", "seconds")
        parameters |= {name: list(column) for name, column in zip(names, columns, strict=True)}
        rows = await unscoped.rows(self._statement(kinds), hits=list(counts.values()), **parameters)
        totals = {row["bucket"]: row["hits"] for row in rows if row["bucket"] is not None}
        return totals, structs_of(Credential, [row for row in rows if row["bucket"] is None])

    def _compose(self, kinds: frozenset[CredentialKind]) -> str:
        """The statement for requests that present these kinds of credentials."""
        statements = [self._lookups[kind].statement for kind in sorted(kinds)]
        found = " UNION ALL ".join(statements) or _NOTHING_PRESENTED
        # In one order everywhere: two that count in the same buckets wait for each other, and no deadlock.
        return f"""
            WITH found AS MATERIALIZED ({found}),
            asked AS (
                SELECT CASE WHEN key IS NULL THEN bucket
                            WHEN found.id IS NOT NULL AND (own IS NULL OR found.detail ? own)
                            THEN bucket || found.id
                            ELSE otherwise END AS bucket, number, seconds, hits
                FROM unnest(:buckets::text[], :keys::bytea[], :others::text[], :owns::text[],
                            :numbers::bigint[], :seconds::int[], :hits::int[])
                     AS hit (bucket, key, otherwise, own, number, seconds, hits)
                LEFT JOIN found USING (key)),
            counted AS (
                INSERT INTO limit_windows AS w (bucket, number, hits, ends_at)
                SELECT bucket, number, sum(hits), to_timestamp((number + 1) * seconds)
                FROM asked WHERE bucket IS NOT NULL
                GROUP BY bucket, number, seconds ORDER BY bucket
                ON CONFLICT (bucket, number) DO UPDATE SET hits = w.hits + excluded.hits
                RETURNING bucket, hits)
            SELECT * FROM counted FULL JOIN found ON false
            """  # noqa: S608

    async def _note_use(self, unscoped: Unscoped, used: Sequence[Credential]) -> None:
        for kind, lookup in self._lookups.items():
            if own := [each for each in used if each.kind == kind]:
                await unscoped.execute(
                    lookup.note_use,
                    ids=[each.id for each in own],
                    keys=[each.key for each in own],
                    tenants=[each.tenant_id for each in own],
                )


_NOTHING_PRESENTED = "SELECT NULL::uuid AS id, NULL::bytea AS key, NULL::jsonb AS detail WHERE false"


def _counted(question: _Question, found: Found) -> Iterator[Counted]:
    for hit in question.hits:
        owner = found.get(hit.credential) if hit.credential else None
        if bucket := hit.bucket_of(owner):
            yield Counted(bucket, hit.limit_of(owner))


async def prune_windows(database: Database) -> int:
    """Drops the counters of windows that are over."""
    async with database.unscoped() as unscoped:
        return await unscoped.execute(
            """
            DELETE FROM limit_windows WHERE (bucket, number) IN (
                SELECT bucket, number FROM limit_windows WHERE ends_at < :now LIMIT 5000)
            """
        )


PRUNE_WINDOWS = ServiceJob(name="prune limit windows", run_once=prune_windows, rest=60)
