"""CFL, Section 5: what its text says of experiments, tried on the embedded digits.

The setting is that of Section 5.2 at the size of the data: every client has four subsets of images with different
classes (nested Dirichlet, 0.1) and draws one of them in each of ten periods of three rounds; 8 clients of which 4 take
part, two local epochs with minibatches of 32, a network of 64-32-10. The clients' step size is 0.1 for all methods, and
nothing was selected by the sentences. Accuracy is that of the last period on test images of all classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from verify.engine.checks.frequency import Observed
from verify.engine.main import main
from verify.networks.experiments import Numbers, Setting, fresh, revisited, run, windowed
from verify.networks.sentences import Law, judged, means, observed
from verify.networks.trends import Trend, last_above_first, mostly_rises, never_falls

RETURNING = Setting(revisited, tasks=1, periods=10, subsets=4, rounds=3, epochs=2, alpha=0.1, local_lr=0.1)
NEW = replace(RETURNING, deal=fresh)
OVERLAPS, SIZES = (0.0, 0.25, 0.5, 0.75), (4, 8, 16, 40)
NAIVE, CHOSEN, PLAIN = "cfl-core-set-naive", "cfl-core-set-icarl", "fedavg"
HESSIAN, FISHER, ALL = "cfl-regularization-top", "cfl-regularization-fisher", "cfl-regularization-full"
SERVER = "cfl-regularization-server"
BASELINES = ("fedavg", "fedprox", "mimelite", "scaffold")


def last(setting: Setting, method: str, numbers: Mapping[str, Numbers] | None = None) -> np.ndarray:
    """Accuracy of every seed at the end, (run,)."""
    return run(setting, method, numbers or {}).accuracy[..., -1, 0]


def above(one: str, others: Sequence[str]) -> Law:
    """The law that a method is more accurate than each of some others."""

    def law(setting: Setting) -> Observed:
        found = {name: last(setting, name) for name in (one, *others)}
        met = np.all([found[one] > found[name] for name in others], axis=0)
        return observed(met, setting, accuracy={name: means(values) for name, values in found.items()})

    return law


def with_size(trend: Trend) -> Law:
    """The law that accuracy follows a trend in the size of the core set."""

    def law(setting: Setting) -> Observed:
        found = np.stack([last(setting, NAIVE, {"capacity": size}) for size in SIZES])
        return observed(trend(found), setting, sizes=SIZES, accuracy=means(found))

    return law


def overlapping(setting: Setting, overlap: float) -> Setting:
    """The setting in which a window moves over each client's images and keeps a share of them."""
    return replace(setting, deal=windowed, overlap=overlap)


def at_every_overlap(setting: Setting) -> Observed:
    """Whether core sets are more accurate than FedAvg whatever the overlap."""
    ours, plain = (
        np.stack([last(overlapping(setting, o), name) for o in OVERLAPS]) for name in (NAIVE, PLAIN)
    )
    return observed(np.all(ours > plain, axis=0), setting, core_sets=means(ours), fedavg=means(plain))


def unmoved_by_overlap(setting: Setting) -> Observed:
    """Whether FedAvg has the same accuracy, to one point, with much overlap and with none."""
    plain = np.stack([last(overlapping(setting, o), PLAIN) for o in (OVERLAPS[0], OVERLAPS[-1])])
    return observed(np.abs(plain[1] - plain[0]) <= 0.01, setting, fedavg=means(plain))


LAWS: dict[str, tuple[Law, Setting]] = {
    "1": (above(NAIVE, (HESSIAN, FISHER, ALL)), RETURNING),
    "1/regularization": (above(NAIVE, (HESSIAN,)), RETURNING),
    "1.naive": (above(NAIVE, (CHOSEN,)), RETURNING),
    "2": (above(HESSIAN, (FISHER,)), RETURNING),
    "5": (above(HESSIAN, (ALL,)), RETURNING),
    "6": (with_size(never_falls), RETURNING),
    "6/rank": (with_size(mostly_rises), RETURNING),
    "6/ends": (with_size(last_above_first), RETURNING),
    "7": (above(NAIVE, BASELINES), RETURNING),
    **{f"7/{name}": (above(NAIVE, (name,)), RETURNING) for name in BASELINES},
    "8": (above(SERVER, BASELINES), NEW),
    "8/fedavg": (above(SERVER, (PLAIN,)), NEW),
    "9": (at_every_overlap, RETURNING),
    "9/ends": (unmoved_by_overlap, RETURNING),
}

CLAIMS = tuple(judged(f"cfl.emp.{item}", law, setting) for item, (law, setting) in LAWS.items())

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_cfl"))
