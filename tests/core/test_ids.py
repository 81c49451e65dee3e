"""Many random ids at once."""

from uuid import RFC_4122

from trilha.core.ids import random_ids


def test_each_is_another_one_of_version_4() -> None:
    ids = random_ids(1000)
    assert len(set(ids)) == 1000
    assert {(each.version, each.variant) for each in ids} == {(4, RFC_4122)}


def test_they_ascend_and_are_spread_over_all_ids() -> None:
    ids = random_ids(1000)
    assert ids == sorted(ids)
    # Each half of the range has about five hundred of a thousand. The odds of 300 or fewer are 1 in 10**36.
    assert 300 < sum(each.int >> 127 for each in ids) < 700


def test_none_are_none() -> None:
    assert random_ids(0) == []
