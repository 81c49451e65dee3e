"""Counting several requests in one statement."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from trilha.core.web.rate_limits import BucketHit, Limit, Usage, usages_of
from trilha.settings import load

moments = st.integers(0, 4_000_000_000_000).map(lambda ms: datetime.fromtimestamp(ms / 1000, UTC))
limits = st.builds(Limit, st.integers(1, 50), st.integers(1, 90_000))


@given(
    st.lists(st.sampled_from("abc"), max_size=40),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 60)),
    st.integers(1, 50),
    moments,
)
def test_each_hit_has_its_own_place(
    buckets: list[str], before: dict[str, int], most: int, now: datetime
) -> None:
    """As if each had been counted alone, in the order of arrival."""
    hits = [BucketHit(bucket, Limit(most, 60)) for bucket in buckets]
    totals = {bucket: before.get(bucket, 0) + buckets.count(bucket) for bucket in buckets}
    alone = dict(before)
    expected = []
    for bucket in buckets:
        alone[bucket] = alone.get(bucket, 0) + 1
        expected.append(alone[bucket])
    usages = usages_of(hits, totals, now)
    assert [usage.used for usage in usages] == expected
    for bucket in set(buckets):
        admitted = sum(
            not usage.is_exceeded for usage, each in zip(usages, buckets, strict=True) if each == bucket
        )
        assert admitted == min(buckets.count(bucket), max(most - before.get(bucket, 0), 0))


@given(limits, moments)
def test_a_window_ends_where_the_next_begins(limit: Limit, now: datetime) -> None:
    now = now.replace(microsecond=0)
    reset = limit.reset_after(now)
    assert 1 <= reset <= limit.seconds
    assert limit.window(now + timedelta(seconds=reset - 1)) == limit.window(now)
    assert limit.window(now + timedelta(seconds=reset)) == limit.window(now) + 1


@given(limits)
def test_a_limit_reads_as_it_is_written(limit: Limit) -> None:
    assert load({"TRILHA_LIMIT_V1": str(limit)}).limit_v1 == limit


def test_the_headers_of_a_usage() -> None:
    within, beyond = Usage(10, 4, 30), Usage(10, 11, 30)
    assert dict(within.headers())[b"x-ratelimit-remaining"] == b"6"
    assert b"retry-after" not in dict(within.headers())
    shown = dict(beyond.headers())
    assert (shown[b"ratelimit-limit"], shown[b"ratelimit-remaining"]) == (b"10", b"0")
    assert shown[b"retry-after"] == shown[b"ratelimit-reset"] == b"30"
