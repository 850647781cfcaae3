"""Lemma files: the claims with their conditions, questions, and lemmas that are not judged."""

import contextlib
import time
from pathlib import Path

import pytest

from verify.engine.theorem import theorems_in
from verify.engine.work.errors import UsageError
from verify.latex.paper import listing, readings_of

YOUNG = r"""
\begin{lemma}[Young]\label{young}
% verify: a, b: real; c: positive
Let $c > 0$. Then \begin{equation} ab \le \frac{c a^2}{2} + \frac{b^2}{2c}. \end{equation}
\end{lemma}
"""
DESCENT = r"""
\begin{lemma}\label{descent}
Let $f$ be $L$-smooth. Then for all $x, y$
\[ f(y) \le f(x) + \langle\nabla f(x), y-x\rangle + \frac L2 \|y-x\|^2 . \]
\end{lemma}
"""


def claims(folder: Path, text: str, name: str = "lemma.tex") -> tuple[dict[str, str], tuple[str, ...]]:
    path = folder / name
    path.write_text(text)
    theorems_in.cache_clear()
    found = theorems_in(path)
    return {claim.statement.id: str(claim.statement.relation) for claim in found.claims}, found.mistakes


def test_a_lemma_about_numbers_and_one_about_a_loss(tmp_path: Path) -> None:
    found, mistakes = claims(tmp_path, YOUNG + DESCENT)
    assert found == {
        "lemma.young": "a*b <= a**2*c/2 + b**2/(2*c)",
        "lemma.descent": "f_y <= L*apart2/2 + f_x + slope_x",
    }
    assert not mistakes


def test_a_lemma_in_markdown(tmp_path: Path) -> None:
    text = "**Lemma 1 (square)**\n<!-- verify: a: real -->\nSuppose $a \\ge 1$. Then\n$$a^2 \\ge a.$$\n"
    assert claims(tmp_path, text, "notes.md") == ({"notes.1-square": "a**2 >= a"}, ())


def test_free_vectors_are_judged_by_their_inner_products(tmp_path: Path) -> None:
    text = r"\begin{lemma}\label{two} We have \[\|x+y\|^2\le 2\|x\|^2+2\|y\|^2.\] \end{lemma}"
    assert claims(tmp_path, text)[0] == {"lemma.two": "x_x + 2*x_y + y_y <= 2*x_x + 2*y_y"}


@pytest.mark.parametrize(
    ("lemma", "said"),
    [
        (r"Let $f$ be Lipschitz. Then \[ f(x) \le f(y). \]", "Lipschitz"),
        (r"Let $f$ be $L$-smooth.", "claims no relation"),
        (r"For some $c > 0$ we have \[ 1 \le c. \]", "'some'"),
        (r"$L \le 1$", "condition or a claim"),
        (r"Then \[ \mathbb E\|x_T\|^2 \le 1. \]", "not judged"),
        (
            r"Then \[ f(y) \ge f(x) + \langle\nabla f(x), y-x\rangle. \]",
            "not judged: the class of the loss is missing",
        ),
        (r"Then \[ \|\nabla f_i(x)\| \le G. \]", "not judged"),
    ],
)
def test_what_cannot_be_judged_is_said_and_nothing_else_is_judged(
    tmp_path: Path, lemma: str, said: str
) -> None:
    text = YOUNG + r"\begin{lemma}\label{other}" + lemma + r"\end{lemma}"
    found, mistakes = claims(tmp_path, text)
    assert list(found) == ["lemma.young"]
    assert said in mistakes[0]


def test_an_index_from_zero_on_is_a_count_less_one(tmp_path: Path) -> None:
    text = r"\begin{lemma}\label{h} For all $t \ge 0$ we have \[ \frac1{t+1} \le 1. \] \end{lemma}"
    assert claims(tmp_path, text)[0] == {"lemma.h": "1/t <= 1"}


def test_the_read_back_says_what_is_a_default(tmp_path: Path) -> None:
    path = tmp_path / "lemma.tex"
    path.write_text(DESCENT)
    text = readings_of(path)
    assert r"f\left(y\right) \leq" in text
    assert "L is a number > 0 (default)" in text
    path.write_text(DESCENT.replace("f(y)", "f^*", 1))
    assert r"f^{\star} is the least value of f (default)" in readings_of(path)


def test_a_paper_is_listed_with_its_questions_and_a_file_to_complete(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(
        YOUNG + r"\begin{theorem}\label{open} Then \[ Q \le 1. \] \end{theorem} \[ \eta \le 1/L \]"
    )
    found = listing(path)
    assert "2 of 3 read" in found.table
    assert "what is Q" in found.table
    assert "% question: what is Q" in found.draft
    assert found.draft.count(r"\end{") == found.draft.count(r"\begin{")
    draft = tmp_path / "draft.tex"
    draft.write_text(found.draft.replace("% verify: \n", "% verify: Q: real\n"))
    assert len(theorems_in(draft).claims) == 2


@pytest.mark.parametrize(
    "piece",
    [
        "\\[",
        "$",
        "$$",
        "\\(",
        "<!--",
        "\\begin{equation}",
        "\\begin{lemma}[",
        "\\begin{lemma}x\\end{lemma}\n",
        "# lemma ",
        "\\def\\x{",
    ],
)
def test_a_hostile_document_is_read_in_time(tmp_path: Path, piece: str) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(piece * (50_000 // len(piece)))
    begin = time.perf_counter()
    with contextlib.suppress(UsageError):
        listing(path)
    assert time.perf_counter() - begin < 20


def test_an_open_delimiter_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(r"Costs \$5 and \( open. " + YOUNG + r" \[ \eta \le 1/L \] <!-- open")
    assert listing(path).table.count("  read") == 2


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"\\begin{lemma}", b"% nothing", b"\\begin{lemma}$$\\end{lemma}"]
)
def test_a_file_without_a_lemma_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lemma.tex"
    path.write_bytes(content)
    theorems_in.cache_clear()
    with pytest.raises(UsageError):
        theorems_in(path)
