"""Lines of progress, and readers of numbers on a command line."""

import argparse
from io import StringIO

import pytest

from verify.engine.work import progress
from verify.engine.work.arguments import Parser, positive, whole
from verify.engine.work.progress import Progress, duration


class Pipe(StringIO):
    """The text that was written at the last flush."""

    seen = ""

    def flush(self):
        self.seen = self.getvalue()


class Terminal(Pipe):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Pipe(), Terminal()], ids=["a pipe", "a terminal"])
def test_lines_are_seen_at_once(stream):
    Progress(1, stream).tell("item 1")
    assert "item 1" in stream.seen


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def told(stream, clock, *seconds):
    line = Progress(4, stream)
    for number, spent in enumerate(seconds, start=1):
        clock[0] += spent
        line.tell(f"item {number}")
    return stream.getvalue()


def test_lines_count_and_estimate_the_rest(clock):
    assert told(StringIO(), clock, 10, 30, 20, 0.1).splitlines() == [
        "[1/4] item 1, about 30 s left",
        "[2/4] item 2, about 40 s left",
        "[3/4] item 3, about 20 s left",
        "[4/4] item 4",
    ]


def test_slow_items_at_the_end_correct_the_estimate(clock):
    stream = StringIO()
    line = Progress(200, stream)
    for _ in range(100):
        clock[0] += 1
        line.tell("fast")
    for _ in range(50):
        clock[0] += 100
        line.tell("slow")
    assert stream.getvalue().splitlines()[-1] == "[150/200] slow, about 83 min left"


def test_a_pipe_has_a_line_every_ten_seconds_and_the_last(clock):
    assert told(StringIO(), clock, 4, 4, 4, 0.1).splitlines() == [
        "[3/4] item 3, about 4 s left",
        "[4/4] item 4",
    ]


def test_less_than_a_second_is_not_told(clock, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0)
    assert told(StringIO(), clock, 0.33) == "[1/4] item 1\n"
    assert told(StringIO(), clock, 0.34) == "[1/4] item 1, about 1 s left\n"


def test_a_terminal_has_one_line_until_the_end(clock):
    shown = told(Terminal(), clock, 0, 0, 0, 0)
    assert shown.count("\n") == 1
    assert shown.endswith("[4/4] item 4\n")
    assert shown.count("\r\x1b[K") == 4


def test_a_terminal_line_is_cut(clock):
    stream = Terminal()
    Progress(1, stream).tell("x" * 200)
    assert len(stream.getvalue().strip("\r\x1b[K\n")) <= 79


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (99, "99 s"), (99.9, "100 s"), (100, "2 min"), (600, "10 min")]
)
def test_durations_are_in_words(seconds, said):
    assert duration(seconds) == said


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x", ""])
def test_numbers_are_above_zero_and_finite(text):
    with pytest.raises(argparse.ArgumentTypeError, match="`--x` must be a number > 0"):
        positive("--x")(text)
    assert positive("--x")("1e-9") == 1e-9


@pytest.mark.parametrize("text", ["1", "-2", "2.0", "x", "", "²"])
def test_whole_numbers_start_where_they_start(text):
    with pytest.raises(argparse.ArgumentTypeError, match="`--n` must be a whole number >= 2"):
        whole("--n", 2)(text)
    assert whole("--n", 2)("2") == 2
    assert whole("--n", 0)("0") == 0


@pytest.mark.parametrize(
    ("given", "advice"),
    [(["--jbos"], "did you mean --jobs?"), (["--budget", "ful"], "did you mean full?"), (["--zzz"], "--zzz")],
)
def test_a_mistyped_option_is_answered_in_two_lines(given, advice, capsys):
    parser = Parser(prog="python -m verify")
    parser.add_argument("--jobs")
    parser.add_argument("--budget", choices=("quick", "full"))
    with pytest.raises(SystemExit) as stopped:
        parser.parse_args(given)
    first, second = capsys.readouterr().err.splitlines()
    assert stopped.value.code == 2
    assert first.endswith(advice)
    assert second == "`python -m verify --help` lists all options"
