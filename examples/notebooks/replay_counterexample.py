"""Judge a step of a published proof and evaluate its counterexample again: `marimo edit examples/notebooks/replay_counterexample.py`."""

import marimo

app = marimo.App(app_title="Replay a counterexample")


@app.cell
def _():
    import marimo as mo

    from verify import judge
    from verify.engine.records.replay import replay
    from verify.engine.topics import claim_of

    return claim_of, judge, mo, replay


@app.cell
def _(claim_of, mo):
    claim = claim_of("special.eq27")
    mo.md(claim.statement._repr_markdown_())
    return (claim,)


@app.cell
def _(claim, judge):
    record = judge(claim, budget="quick")
    record
    return (record,)


@app.cell
def _(mo, record, replay):
    text, same = replay(record.witness)
    mo.md(f"```\n{text}\n```\n\nThe evaluation {'agrees' if same else 'does not agree'} with the record.")
    return (same,)


if __name__ == "__main__":
    app.run()
