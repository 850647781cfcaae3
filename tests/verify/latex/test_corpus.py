"""The public corpus: at least 90 % of its formulas are read, none with a wrong meaning, and refusals ask a question."""

from collections import Counter

from tests.benchmarks.latex.table import CORPUS, outcome


def test_the_corpus_is_read_and_nothing_silently_otherwise() -> None:
    found = [(formula, *outcome(formula)) for formula in CORPUS]
    counts = Counter(kind for _, kind, _ in found)
    assert not [(formula.latex, text) for formula, kind, text in found if kind == "wrong"]
    assert counts["read"] >= 0.9 * len(CORPUS)
    assert all(len(text.split()) >= 5 for _, kind, text in found if kind == "refused")
