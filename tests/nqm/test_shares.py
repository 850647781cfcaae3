"""Rows are divided among threads: each row once, in sufficiently large contiguous parts."""

import pytest
import torch

from nqm.shares import shared_out


@pytest.mark.parametrize(
    ("threads", "number", "least", "parts"),
    [
        (1, 7, 1, [(0, 7)]),
        (3, 7, 1, [(0, 2), (2, 4), (4, 7)]),
        (3, 7, 3, [(0, 3), (3, 7)]),
        (3, 2, 1, [(0, 1), (1, 2)]),
        (3, 2, 3, [(0, 2)]),
        (2, 0, 1, [(0, 0)]),
    ],
)
def test_every_row_is_in_one_part(threads, number, least, parts, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    done = []
    shared_out(lambda *part: done.append(part), number, least)
    assert sorted(done) == parts
    assert all(type(end) is int for part in done for end in part)


def test_what_a_thread_raises_is_raised(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)

    def work(start, stop):
        if start:
            raise ArithmeticError(f"from {start} on")

    with pytest.raises(ArithmeticError, match="from 2 on"):
        shared_out(work, 4, 1)
