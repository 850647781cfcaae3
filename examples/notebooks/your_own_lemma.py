"""State a lemma, judge it, and read the counterexample: `marimo edit examples/notebooks/your_own_lemma.py`."""

import marimo

app = marimo.App(app_title="Your own lemma")


@app.cell
def _():
    import marimo as mo

    from verify import Notes, judge

    return Notes, judge, mo


@app.cell
def _(Notes):
    notes = Notes("mine")
    a, b = notes.real("a b")
    c = notes.positive("c")
    young = notes.claim("young", a * b <= c * a**2 / 2 + b**2 / (2 * c))
    too_good = notes.claim("young/third", a * b <= c * a**2 / 3 + b**2 / (3 * c))
    return too_good, young


@app.cell
def _(judge, young):
    true_one = judge(young, budget="quick")
    true_one
    return (true_one,)


@app.cell
def _(judge, too_good):
    false_one = judge(too_good, budget="quick")
    false_one
    return (false_one,)


@app.cell
def _(false_one, mo, true_one):
    mo.md(
        f"Young's inequality is **{true_one.verdict}**. With a third in place of a half it is **{false_one.verdict}**."
    )


if __name__ == "__main__":
    app.run()
