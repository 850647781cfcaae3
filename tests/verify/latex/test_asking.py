"""The dialogue about a document: its questions, the written answers, and the remaining lemmas."""

from pathlib import Path

import pytest

from verify.latex.asking import document_with_answers

LEMMA = "\\begin{lemma}\\label{q}\nThen \\[ Q \\le P. \\]\n\\end{lemma}\n"


def dialogue(source: str, *answers: str, name: str = "lemma.tex") -> tuple[str, list[str]]:
    waiting, said = list(answers), list[str]()
    text = document_with_answers(source, Path(name), lambda _: waiting.pop(0) if waiting else "", said.append)
    assert not waiting
    return text, said


def test_answers_become_declarations_before_the_lemma() -> None:
    text, said = dialogue(LEMMA, "real", "P: positive")
    assert text == f"% verify: Q: real\n% verify: P: positive\n{LEMMA}"
    assert said[0].startswith("lemma.tex:2:9: what is Q")


def test_a_wrong_answer_is_asked_again_and_a_question_mark_lists_the_kinds() -> None:
    text, said = dialogue(LEMMA, "?", "number", "real", "real")
    assert text.count("verify:") == 2
    assert "any real number" in said[1]
    assert "must be `names: kind`" in said[2]


def test_an_empty_answer_skips_the_lemma() -> None:
    assert dialogue(LEMMA)[0] == LEMMA


def test_a_question_that_a_declaration_does_not_settle_is_left() -> None:
    text, said = dialogue("\\begin{lemma}\nThen \\[ 1/2L \\le 1. \\]\n\\end{lemma}\n", "L: positive")
    assert "% verify: L: positive" in text
    assert "does not settle" in said[-1]


def test_markdown_gets_a_comment_of_its_own() -> None:
    text, _ = dialogue("**Lemma 1**\n$$Q \\le Q.$$\n", "real", name="notes.md")
    assert text.startswith("<!-- verify: Q: real -->\n**Lemma 1**")


@pytest.mark.parametrize("answer", ["real", "nonnegative"])
def test_macros_of_the_document_are_known(answer: str) -> None:
    text, _ = dialogue(
        "\\newcommand{\\q}{Q}\n\\begin{lemma}\nThen \\[ \\q \\le \\q. \\]\n\\end{lemma}\n", answer
    )
    assert f"% verify: Q: {answer}" in text
