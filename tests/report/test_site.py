"""Pages made from entries: links to papers, counterexamples with numbers, every figure with its commands."""

import re

import pytest

from tests.report.cases import judged
from verify.curves import CURVES
from verify.report.counterexamples import counterexample
from verify.report.site import gallery_page, paper_page, pictures, sentences_page, streams_page
from verify.report.values import link_to


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ({"paper": "A b", "version": "arXiv:2601.22274v2"}, "https://arxiv.org/abs/2601.22274v2"),
        (
            {"paper": "A b", "version": "with appendix"},
            "https://arxiv.org/search/?searchtype=title&query=A+b",
        ),
    ],
)
def test_a_paper_has_an_address(source, address):
    assert link_to(source) == address


def test_a_counterexample_has_the_value_of_every_letter():
    broken = next(entry for entry in judged() if entry.id == "special.eq27")
    found = counterexample(broken)
    assert found.witness["lhs"] == [0.5, 0.5]
    assert {letter.name: letter.text for letter in found.letters}["lam"] == "1"
    assert counterexample(next(entry for entry in judged() if entry.id == "special.lem4.9")) is None


def test_the_page_of_a_paper_shows_what_falls_and_what_is_true_instead():
    found = paper_page(judged(), pictures(["special.lem4.9.webp"]))
    assert found.startswith("# Server-Proximal Aggregation")
    assert "(https://arxiv.org/abs/2601.22274v2)" in found
    assert "| [Lemma 4.9, Eq. (8)](#special.lem4.9) | proved | Eq. (27)" in found
    assert "pictures/special.lem4.9.webp" in found
    assert "<math>" in found


def test_ids_stand_only_in_commands_and_addresses():
    page = paper_page(judged(), [])
    lines = [line for line in page.splitlines() if not line.startswith("    ")]
    shown = re.sub(r"`python -m [^`]*`|\(#\S+\)|\{: #\S+ \}", "", "\n".join(lines))
    assert re.findall(r"special\.[a-z]+\d[\w./-]*", shown) == []


def test_the_gallery_names_the_commands_of_each_figure():
    drawn = pictures([f"{name}.webp" for name in CURVES] + ["stranger.webp"])
    assert [picture.name for picture in drawn] == list(CURVES)
    page = gallery_page(drawn)
    for name in CURVES:
        assert f"    python -m verify curves {name}\n    python -m figures {name}\n" in page


def test_sentences_stand_with_their_paper():
    page = sentences_page({"a.emp.1": {"says": "x < y", "verdict": "supported", "why": "p | q"}})
    assert "## a\n" in page
    assert "| `a.emp.1` | x &lt; y | supported | p &#124; q |" in page


def test_a_stream_has_a_sentence_and_a_table():
    settings = dict.fromkeys(("data", "tasks", "model", "clients", "sampled", "rounds", "epochs", "seeds"), 3)
    acc = {"fedavg": [0.1, 0.2, 0.3], "er": [0.5, 0.6, 0.8]}
    methods = {name: {"acc": runs, "forgetting": [0.5] * 3} for name, runs in acc.items()}
    page = streams_page([{"settings": {**settings, "kind": "class"}, "methods": methods}])
    assert "## New classes" in page
    assert "`er` has the highest mean ACC. It is above every other method." in page
    assert "| `fedavg` | 0.200 | 0.500 | -0.433 [-0.577, -0.290] |  |" in page
