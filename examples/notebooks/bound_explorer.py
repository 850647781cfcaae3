"""Explore the terms of a bound with sliders: `marimo run examples/notebooks/bound_explorer.py`."""

import marimo

app = marimo.App(app_title="Bound explorer")


@app.cell
def _():
    import marimo as mo

    from bounds.calculator import evaluation, sweep
    from bounds.special import RATE
    from figures.bound import draw

    return RATE, draw, evaluation, mo, sweep


@app.cell
def _(RATE, mo):
    mo.md(RATE._repr_markdown_())


@app.cell
def _(mo):
    steps = mo.ui.dictionary(
        {
            "gamma_L": mo.ui.slider(0.0005, 0.02, 0.0005, value=0.01, label="local learning rate"),
            "gamma_G": mo.ui.slider(0.01, 0.5, 0.01, value=0.2, label="global learning rate"),
            "lam": mo.ui.slider(0.05, 5.0, 0.05, value=0.5, label="proximal coefficient"),
            "K": mo.ui.slider(2, 10, value=4, label="tasks"),
        }
    )
    steps
    return (steps,)


@app.cell
def _(RATE, evaluation, mo, steps):
    held = {"E": 5, "L": 2.0, "B": 1.0, "M": 8, "N": 4, "f0": 3.0, "fstar": 0.0, "G0": 0.3}
    held |= {"sigma_L2": 0.1, "sigma_G2": 0.2, "sigma_T2": 0.3}
    chosen = held | steps.value
    now = evaluation(RATE, T=100, **chosen)
    failing = "; ".join(one.text for one in now.failing) or "none"
    mo.md(f"Bound after 100 rounds: **{now.bound:.4g}**. Failing conditions: {failing}.")
    return (chosen,)


@app.cell
def _(RATE, chosen, draw, sweep):
    along = sweep(RATE, "T", [1, 3, 10, 30, 100, 300, 1000, 3000, 10000], **chosen)
    draw({"id": RATE.id, "sweep": vars(along)})


if __name__ == "__main__":
    app.run()
