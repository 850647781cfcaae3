"""The command line of the quadratic lab, `python -m nqm`."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from verify.engine.work.arguments import Parser, number_in, whole
from verify.engine.work.ending import exit_status
from verify.engine.work.errors import UsageError

EPILOG = """settings of a world (default): dim=10 clients=8 tasks=3 mu=0.1 L=1
heterogeneity=0.5 drift=1 noise=0.5 turned=0 seed=0

examples:
  python -m nqm
  python -m nqm clients=20 noise=1 --methods \\
      fedavg:local_lr=0.05,global_lr=1 scaffold:local_lr=0.05,global_lr=1
  python -m nqm --methods special:local_lr=0.02,global_lr=0.5,lam=0.3 \\
      --bound special.thm4.10 --plot bound.png
  python -m nqm --methods fedavg:local_lr=0.05,global_lr=1 \\
      --grid local_lr=0.005:0.5:9
  python -m nqm --world mine.json --runs 500 --csv curves.csv
  python -m nqm --cfl                       the noisy quadratic figures of CFL"""
METHODS = ("fedavg:local_lr=0.05,global_lr=1", "special:local_lr=0.05,global_lr=1,lam=0.1")
SAMPLED = 4
"""Clients of a round unless the caller says otherwise."""
CFL = ("cfl_figure2", "cfl_steady_state", "cfl_table3")
"""Curves of CFL's noisy quadratic model."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the lab; exit status 0, or 2 for an error that the user can correct."""
    return exit_status("nqm", lambda: _run(_parser().parse_args(argv)), UsageError, "nothing was saved")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m nqm",
        description="Run methods exactly in a quadratic world: mean, variance and every\nquantity of the theory, per task.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE", help="settings of the random world")
    parser.add_argument(
        "--world", type=Path, metavar="FILE", help="a world from a JSON file: settings, or arrays"
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=list(METHODS),
        metavar="NAME:K=V,...",
        help="methods with their numbers",
    )
    parser.add_argument("--rounds", type=whole("rounds", 1), default=50, help="rounds per task (default 50)")
    parser.add_argument(
        "--sampled", type=whole("sampled", 1), help="clients per round (default 4, or all if there are fewer)"
    )
    parser.add_argument("--steps", type=whole("steps", 1), default=5, help="local steps (default 5)")
    parser.add_argument(
        "--start", type=float, default=0.0, help="every coordinate of the first model (default 0)"
    )
    parser.add_argument("--bound", metavar="ID", help="lay a statement's bound over the run of the last task")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="quantities of the bound")
    parser.add_argument(
        "--grid", metavar="NAME=LOW:HIGH[:N]", help="the last values over N values of a method's number"
    )
    parser.add_argument("--runs", type=whole("runs", 2), help="Monte Carlo runs to compare with")
    parser.add_argument(
        "--cfl", action="store_true", help="compute and draw the noisy quadratic figures of CFL"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all curves as CSV")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves as PNG, PDF or SVG")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.cfl:
        return _cfl_figures()
    with np.errstate(over="ignore", invalid="ignore"):  # a step that is too long leads to infinity
        content = _computed(options)
    print(_rendered(content))
    _write(options, content)
    return 0


def _cfl_figures() -> int:
    from figures.main import main as draw
    from verify.commands.main import main as verify

    return verify(["curves", *CFL]) or draw(list(CFL))


def _computed(options: argparse.Namespace) -> dict[str, Any]:
    from verify.lab.runs import QUANTITIES, Plan
    from verify.lab.worlds import described, world_in

    if options.world and options.settings:
        raise UsageError("give a world either by --world or by settings, not both")
    if options.world:
        world, settings = world_in(options.world)
    else:
        one = described(_numbers(options.settings))
        world, settings = one.world(), one.record()
    sampled = options.sampled or min(SAMPLED, world.n_clients)
    if sampled > world.n_clients:
        raise UsageError(
            f"--sampled must be at most the {world.n_clients} clients of the world, got {sampled}"
        )
    plan = Plan(options.rounds, sampled, options.steps, options.start)
    plan.check(world)
    content: dict[str, Any] = {
        "world": settings,
        "plan": vars(plan) | {},
        "tasks": world.n_tasks,
        "quantities": dict(QUANTITIES),
    }
    if options.grid:
        return content | {"grid": [_grid(text, options.grid, world, plan) for text in options.methods]}
    content["methods"] = [_curves(text, world, plan, options) for text in options.methods]
    missing = [one["no bound"] for one in content["methods"] if "no bound" in one]
    if options.bound and len(missing) == len(options.methods):
        raise UsageError(missing[0])
    return content


def _curves(text: str, world: Any, plan: Any, options: argparse.Namespace) -> dict[str, Any]:
    from algorithms.affine import NotAffine
    from verify.lab.runs import exact_curves, method_of, sampled_curves

    name, hyper = _method(text)
    method = method_of(name, hyper, world.n_clients)
    try:
        curves = exact_curves(world, method, plan)
    except NotAffine as error:
        raise UsageError(f"{name} has no exact moments here: {error}") from error
    found: dict[str, Any] = {"name": text, "curves": {key: curve.tolist() for key, curve in curves.items()}}
    if options.runs:
        sampled = sampled_curves(world, method, plan, options.runs, 0)
        found["sampled"] = {key: {"mean": m.tolist(), "error": e.tolist()} for key, (m, e) in sampled.items()}
    if options.bound:
        try:
            found["bound"] = _overlay_record(options, world, method, plan, hyper)
        except UsageError as error:  # FedAvg has no lambda, which another method of the same run may have
            found["no bound"] = str(error)
    return found


def _overlay_record(
    options: argparse.Namespace, world: Any, method: Any, plan: Any, hyper: Mapping[str, float]
) -> dict[str, Any]:
    from bounds.catalogue import statement
    from verify.lab.overlay import laid_over

    try:
        bound = statement(options.bound)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error
    over = laid_over(bound, world, method, plan, hyper, _numbers(options.set))
    record = {"rounds": over.rounds, "exact": over.exact, "bound": over.bound, "met": over.met}
    failing = bound.failing(**{k: v for k, v in over.values.items() if k in {s.name for s in bound.symbols}})
    return {
        "id": over.id,
        "left": str(bound.lhs),
        **{key: value.tolist() for key, value in record.items()},
        "values": dict(over.values),
        "known": dict(over.known),
        "failing": failing,
    }


def _grid(text: str, grid: str, world: Any, plan: Any) -> dict[str, Any]:
    import numpy as np

    from verify.lab.runs import exact_curves, method_of

    name, hyper = _method(text)
    varied, _, ends = grid.partition("=")
    parts = ends.split(":")
    if len(parts) not in (2, 3):
        raise UsageError(f"--grid must be NAME=LOW:HIGH or NAME=LOW:HIGH:N, got {grid!r}")
    low, high = (float(number_in(part, grid)) for part in parts[:2])
    number = int(number_in(parts[2], grid)) if len(parts) == 3 else 9
    if not 0 < low < high or number < 2:
        raise UsageError(f"--grid needs 0 < LOW < HIGH and N >= 2, got {grid!r}")
    values = np.geomspace(low, high, number)
    with np.errstate(over="ignore", invalid="ignore"):  # steps beyond 2/L diverge, which the table shows
        ends_of = [
            exact_curves(world, method_of(name, hyper | {varied: float(v)}, world.n_clients), plan)
            for v in values
        ]
    last = {key: [float(curves[key][-1, -1]) for curves in ends_of] for key in ends_of[0]}
    return {"name": name, "varied": varied, "values": values.tolist(), "last": last}


def _method(text: str) -> tuple[str, dict[str, float]]:
    name, _, rest = text.partition(":")
    return name, _numbers([part for part in rest.split(",") if part])


def _numbers(texts: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"values must be given as NAME=NUMBER, got {text!r}")
        found[name] = number_in(value, text)
    return found


def _rendered(content: Mapping[str, Any]) -> str:
    """The printed report: the last value of every quantity for each method and task, and the bound."""
    from verify.lab.runs import QUANTITIES

    world = ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in content["world"].items()
    )
    plan = ", ".join(f"{key} {value:g}" for key, value in content["plan"].items())
    lines = [f"world: {world}", f"run: {plan}"]
    for one in content.get("grid", ()):
        lines += [
            "",
            f"{one['name']}, last values of the last task",
            f"{one['varied']:>12}" + "".join(f"{key:>12}" for key in one["last"]),
        ]
        for i, value in enumerate(one["values"]):
            lines.append(f"{value:>12.4g}" + "".join(f"{last[i]:>12.4g}" for last in one["last"].values()))
    for one in content.get("methods", ()):
        lines += ["", one["name"], f"{'task':>6}" + "".join(f"{key:>12}" for key in one["curves"])]
        for task in range(content["tasks"]):
            lines.append(
                f"{task + 1:>6}" + "".join(f"{curve[task][-1]:>12.4g}" for curve in one["curves"].values())
            )
        if "sampled" in one:
            lines.append(
                "  Monte Carlo, last task: "
                + ", ".join(
                    f"{key} {v['mean'][-1][-1]:.4g} +- {v['error'][-1][-1]:.1g}"
                    for key, v in one["sampled"].items()
                )
            )
        if "no bound" in one:
            lines += ["", *(f"  {line}" for line in one["no bound"].splitlines())]
        if "bound" in one:
            over = one["bound"]
            lines += [
                "",
                f"{over['id']} over {over['left']}: exact {over['exact'][-1]:.4g}, bound {over['bound'][-1]:.4g} after {int(over['rounds'][-1])} rounds",
            ]
            lines += [
                f"  {name} = {over['values'][name]:.6g} ({how})"
                for name, how in over["known"].items()
                if name in over["values"]
            ]
            lines += [f"  condition fails: {text}" for text in over["failing"]] or [
                "  all conditions are met"
            ]
    if "methods" in content:
        lines += ["", *(f"{key:<10}{words}" for key, words in QUANTITIES.items())]
    return "\n".join(lines)


def _write(options: argparse.Namespace, content: Mapping[str, Any]) -> None:
    from verify.engine.records.files import finite, in_one_piece, write_json

    if options.json:
        write_json(options.json, finite(content))
        print(options.json, file=sys.stderr)
    if (options.csv or options.plot) and "methods" not in content:
        raise UsageError("--csv and --plot draw runs; leave out --grid")
    if options.csv:
        with in_one_piece(options.csv) as stream:
            stream.write(_csv(content))
        print(options.csv, file=sys.stderr)
    if options.plot:
        from figures.lab import draw
        from figures.main import write

        write(draw(content), options.plot)
        print(options.plot, file=sys.stderr)


def _csv(content: Mapping[str, Any]) -> str:
    """One row for each method, task and round."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = list(content["methods"][0]["curves"])
    writer.writerow(["method", "task", "round", *names])
    for one in content["methods"]:
        for task in range(content["tasks"]):
            for time in range(content["plan"]["rounds"] + 1):
                writer.writerow(
                    [one["name"], task + 1, time, *(one["curves"][name][task][time] for name in names)]
                )
    return stream.getvalue()
