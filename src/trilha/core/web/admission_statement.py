"""The SQL statement of an admission, which finds credentials and counts hits."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from trilha.core.credentials import Credential, CredentialKind, CredentialLookup, PresentedCredential

Lookups = Mapping[CredentialKind, CredentialLookup]
_NOTHING_PRESENTED = "SELECT NULL::uuid AS id, NULL::bytea AS key, NULL::jsonb AS detail WHERE false"
# Rows are locked in one order everywhere, so that two requests that count in the same buckets do not
# deadlock.
_COUNT_HITS = """
    INSERT INTO limit_windows AS w (bucket, number, hits, ends_at)
    SELECT bucket, number, sum(hits), to_timestamp((number + 1) * seconds)
    FROM (
        SELECT CASE WHEN key IS NULL THEN bucket
                    WHEN found.id IS NOT NULL AND (own IS NULL OR found.detail ? own)
                    THEN bucket || found.id
                    ELSE otherwise END AS bucket, number, seconds, hits
        FROM unnest(:bucket::text[], :key::bytea[], :otherwise::text[], :own::text[],
                    :number::bigint[], :seconds::int[], :hits::int[])
             AS hit (bucket, key, otherwise, own, number, seconds, hits)
        LEFT JOIN found USING (key)) AS asked
    WHERE bucket IS NOT NULL
    GROUP BY bucket, number, seconds ORDER BY bucket
    ON CONFLICT (bucket, number) DO UPDATE SET hits = w.hits + excluded.hits
    RETURNING bucket, hits
"""


class CountedHit(NamedTuple):
    """The parts of a hit that decide where it counts. Equal hits are counted together."""

    bucket: str
    key: bytes | None
    otherwise: str | None
    own: str | None
    number: int
    seconds: int


class Statements:
    """Builds statements for the kinds of credentials presented."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._compose = cache(self._build_statement)

    def of(
        self, presented: Collection[PresentedCredential], counts: Mapping[CountedHit, int]
    ) -> tuple[str, dict[str, Any]]:
        """Returns the statement and its parameters."""
        by_kind: dict[CredentialKind, list[PresentedCredential]] = {}
        for each in presented:
            by_kind.setdefault(each.kind, []).append(each)
        parameters: dict[str, Any] = {"hits": list(counts.values())}
        for place, name in enumerate(CountedHit._fields):
            parameters[name] = [hit[place] for hit in counts]
        for kind, credentials in by_kind.items():
            parameters |= self._lookups[kind].parameters(credentials)
        return self._compose(tuple(sorted(by_kind))), parameters

    def _build_statement(self, kinds: Sequence[CredentialKind]) -> str:
        if not kinds:
            found, rows = _NOTHING_PRESENTED, "SELECT bucket, hits FROM counted"
        else:
            found = " UNION ALL ".join(self._lookups[kind].statement for kind in kinds)
            nothing = ", ".join(["NULL"] * len(Credential.__struct_fields__))
            rows = f"""
                SELECT NULL::text AS bucket, NULL::bigint AS hits, found.* FROM found
                UNION ALL SELECT bucket, hits, {nothing} FROM counted
                """  # noqa: S608
        return f"WITH found AS MATERIALIZED ({found}), counted AS ({_COUNT_HITS}) {rows}"
