"""Many log lines at the same time."""

import os

import msgspec
import pytest

from trilha.core import logs


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Returns what is written to standard error, write by write."""
    written: list[bytes] = []

    def write(_: int, data: bytes) -> int:
        written.append(data)
        return len(data)

    monkeypatch.setattr(os, "write", write)
    return written


def _numbers(writes: list[bytes]) -> list[int]:
    return [msgspec.json.decode(line)["number"] for line in b"".join(writes).splitlines()]


def test_lines_go_out_together_in_their_order_and_none_is_divided(writes: list[bytes]) -> None:
    with logs.Lines() as lines:
        for number in range(200):
            lines.note("told", number=number)
        assert not writes
    assert _numbers(writes) == list(range(200))
    assert len(writes) < 10
    assert all(len(piece) <= 4096 and piece.endswith(b"\n") for piece in writes)


def test_a_line_longer_than_a_piece_is_written_by_itself(writes: list[bytes]) -> None:
    with logs.Lines() as lines:
        lines.note("told", number=0)
        lines.note("told", number=1, long="x" * 5000)
        lines.note("told", number=2)
    assert _numbers(writes) == [0, 1, 2]
    assert [piece.count(b"\n") for piece in writes] == [1, 1, 1]


def _fail(lines: logs.Lines) -> None:
    with lines:
        lines.note("told", number=0)
        raise ValueError("halfway")


def test_what_was_told_before_a_failure_is_written(writes: list[bytes]) -> None:
    with pytest.raises(ValueError, match="halfway"):
        _fail(logs.Lines())
    assert _numbers(writes) == [0]


def test_trouble_is_remembered_as_it_is_by_itself(writes: list[bytes]) -> None:
    logs.take_errors()
    with logs.Lines() as lines:
        lines.trouble("no answer", number=0)
        lines.trouble("no answer", number=1)
    last = logs.take_errors()["no answer"]
    assert (last.count, last.detail) == (2, {"number": 1})
    assert _numbers(writes) == [0, 1]


def test_nothing_is_written_where_nothing_is_told(writes: list[bytes]) -> None:
    with logs.Lines():
        pass
    assert not writes
