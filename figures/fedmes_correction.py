"""What repeated corrections (6) of FedMeS do to the memory loss and to the conflict of gradients."""

from __future__ import annotations

from matplotlib.figure import Figure

from bounds.fedmes.correction import inner_now
from bounds.fedmes.descent import FLOOR
from bounds.fedmes.learning import kappa
from bounds.fedmes.symbols import FEDMES
from figures.mathtext import inline, math, setting, settings, symbol
from figures.results import Results
from figures.style import MARKS, MEASURED, THEORY, caption, letter, theme

WORLDS = {
    "stuck": ("one dimension", "fedmes_stuck"),
    "sharper": ("a sharper conflict", "fedmes_sharper"),
    "milder": ("a milder conflict", "fedmes_milder"),
}
"""Label and mark of each world."""
_GAP = math(r"\mathcal{L}-\mathcal{L}^*")


def draw(results: Results) -> Figure:
    """Memory loss and inner product over corrections, and the expected memory loss on batches against Theorem 1.

    Parameters
    ----------
    results : mapping
        Content of ``curves/fedmes_correction.json``: `gap` and `inner` by world (n_steps,); `batches`; `learning`;
        `share`.
    """
    with theme():
        figure = Figure(figsize=(7.6, 6.2), layout="constrained")
        (loss, inner), (batches, learning) = figure.subplots(2, 2)
        for name, (words, mark) in WORLDS.items():
            for axes, what in ((loss, "gap"), (inner, "inner")):
                axes.plot(results[what][name], color=MARKS[mark].colour, label=words, **MEASURED)
        inner.axhline(0.0, color="black", linewidth=0.8)
        expected, bound = results["batches"]["gap"], results["batches"]["bound"]
        batches.plot(
            expected, color=MARKS["fedmes_batches"].colour, label="(c) exact expectation", **MEASURED
        )
        theorem = f"(c) Theorem 1: {inline(FEDMES.latex(FLOOR))}"
        batches.axhline(bound, color=MARKS["bound"].colour, label=theorem, **THEORY)
        batches.set_ylim(bottom=0.0)
        learns, mark = results["learning"], MARKS["fedmes_learning"].colour
        learning.plot(learns["gap"], color=mark, label="(d) exact", **MEASURED)
        steps = range(1, len(learns["bound"]))
        learning.plot(steps, learns["bound"][1:], color=mark, label="(d) what is true of it", **THEORY)
        learning.set_ylim(bottom=0.0)
        loss.set_ylabel(f"memory loss {_GAP}")
        inner.set_ylabel(f"inner product {symbol(FEDMES, inner_now.name)}")
        batches.set_ylabel(f"expected memory loss {_GAP}")
        learning.set_ylabel(f"memory loss {_GAP}")
        for axes, name, words in (
            (loss, "a", "whole memory"),
            (inner, "b", "whole memory"),
            (batches, "c", "batches"),
            (learning, "d", "corrections that learn"),
        ):
            axes.set_xlabel(f"corrections {math('s - 1')}")
            letter(axes, name, words)
        handles = [*loss.lines, *batches.lines, *learning.lines]
        figure.legend(handles=handles, loc="outside right upper")
        figure.suptitle("Repeated corrections of FedMeS")
        caption(figure, _caption(results))
    return figure


def _caption(results: Results) -> str:
    share, constants = results["share"], results["batches"]["constants"]
    return " ".join(
        (
            f"Quadratic losses of the memory and of the current task, in conflict at the start; rate {results['rate']:g}.",
            "Everything is exact. (a, b) Corrections that move the model raise the memory loss, which is proved for such",
            "losses, until the gradients are opposite. In one dimension nothing moves.",
            f"Of {share['worlds']:,} random worlds in two dimensions (seed {results['seed']}, rate {share['rate']:g}), the",
            f"conflict ended in {100 * share['ended']:.1f}% within {share['steps']} corrections. (c) Corrections on batches of",
            f"one of two samples; {settings(FEDMES, constants)}. The bound is said to hold from the first correction on.",
            f"(d) The third world of (a) with {setting(FEDMES, kappa.name, results['learning']['kappa'])} times the memory gradient "
            "added to every correction, and the bound that holds then: the memory loss falls at a rate to what corrections move.",
        )
    )
