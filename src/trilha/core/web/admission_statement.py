"""The one statement of an admission: looks credentials up, and counts hits.

A few credentials and hits, as almost every request brings and as many of one client bring together, are given
one by one: beside a list, the driver takes a tenth of the time, and the plan has half as many steps.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from trilha.core.credentials import Credential, CredentialKind, CredentialLookup, PresentedCredential
from trilha.core.database import of_one

Lookups = Mapping[CredentialKind, CredentialLookup]
_FEW = 2  # hits
_NOTHING_PRESENTED = "SELECT NULL::uuid AS id, NULL::bytea AS key, NULL::jsonb AS detail WHERE false"


class CountedHit(NamedTuple):
    """What of a hit decides where it counts: hits that are alike are counted together."""

    bucket: str
    key: bytes | None
    otherwise: str | None
    own: str | None
    number: int
    seconds: int


# The parameters of the first hit, of the second.
_NAMES = [[f"{name}_{place}" for name in (*CountedHit._fields, "hits")] for place in range(_FEW)]


class Statements:
    """By the kinds of credentials that are presented, and what the hits are like."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._many = cache(self._compose_many)
        self._few = cache(self._compose_few)

    def of(
        self, presented: Collection[PresentedCredential], counts: Mapping[CountedHit, int]
    ) -> tuple[str, dict[str, Any]]:
        """The statement and its parameters."""
        by_kind: dict[CredentialKind, list[PresentedCredential]] = {}
        for each in presented:
            by_kind.setdefault(each.kind, []).append(each)
        parameters: dict[str, Any] = {}
        for kind, those in by_kind.items():
            parameters |= self._lookups[kind].parameters(those)
        kinds = tuple(sorted(by_kind))
        if len(counts) > _FEW or len(presented) > len(kinds) or not _are_apart(list(counts)):
            columns = zip(*counts, strict=True) if counts else ((),) * len(CountedHit._fields)
            lists = {name: list(column) for name, column in zip(CountedHit._fields, columns, strict=True)}
            return self._many(kinds), parameters | lists | {"hits": list(counts.values())}
        parameters = {name: value for name, (value,) in parameters.items()}
        for names, (hit, hits) in zip(_NAMES, counts.items(), strict=False):
            parameters.update(zip(names, (*hit, hits), strict=True))
        shapes = tuple(
            [(hit.key is not None, hit.otherwise is not None, hit.own is not None) for hit in counts]
        )
        return self._few(kinds, shapes), parameters

    def _found(self, kinds: Sequence[CredentialKind]) -> str:
        return " UNION ALL ".join(self._lookups[kind].statement for kind in kinds) or _NOTHING_PRESENTED

    def _compose_many(self, kinds: Sequence[CredentialKind]) -> str:
        # In one order everywhere: two that count in the same buckets wait for each other, and no deadlock.
        return _whole(
            self._found(kinds),
            """
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
            """,
        )

    def _compose_few(self, kinds: Sequence[CredentialKind], shapes: Sequence[tuple[bool, bool, bool]]) -> str:
        found = of_one(self._found(kinds))
        if not shapes:
            return f"SELECT NULL AS bucket, found.* FROM ({found}) AS found"  # noqa: S608
        counted = " UNION ALL ".join(_count_one(place, *shape) for place, shape in enumerate(shapes))
        return _whole(found, f"{counted} ORDER BY bucket" if len(shapes) > 1 else counted)


def _are_apart(hits: Sequence[CountedHit]) -> bool:
    """Whether no two of them can count in the same bucket, which one statement counts in once."""
    return len(hits) < 2 or (
        len({hit.bucket for hit in hits}) == len(hits) and all(hit.otherwise is None for hit in hits)
    )


def _count_one(place: int, has_key: bool, has_otherwise: bool, has_own: bool) -> str:
    """The row of one hit; none where its credential is not found and it does not count otherwise."""
    row = (
        f":number_{place}::bigint, :hits_{place}::bigint,"
        f" to_timestamp((:number_{place}::bigint + 1) * :seconds_{place}::int)"
    )
    if not has_key:
        return f"SELECT :bucket_{place}::text AS bucket, {row}"
    owner = f"FROM found WHERE key = :key_{place}::bytea" + (f" AND detail ? :own_{place}" if has_own else "")
    bucket = f":bucket_{place}::text || id"
    if not has_otherwise:
        return f"SELECT {bucket} AS bucket, {row} {owner}"
    return f"SELECT COALESCE((SELECT {bucket} {owner}), :otherwise_{place}::text) AS bucket, {row}"


def _whole(found: str, counted: str) -> str:
    rows = "SELECT bucket, hits FROM counted"
    if found != _NOTHING_PRESENTED:
        nothing = ", ".join(["NULL"] * len(Credential.__struct_fields__))
        rows = f"""
            SELECT NULL::text AS bucket, NULL::bigint AS hits, found.* FROM found
            UNION ALL SELECT bucket, hits, {nothing} FROM counted
            """  # noqa: S608
    return f"""
        WITH found AS MATERIALIZED ({found}),
        counted AS (
            INSERT INTO limit_windows AS w (bucket, number, hits, ends_at) {counted}
            ON CONFLICT (bucket, number) DO UPDATE SET hits = w.hits + excluded.hits
            RETURNING bucket, hits)
        {rows}
        """
