"""Training after several earlier tasks, of which one may lose what the others gain, with gradients that are noisy."""

from verify.scenes.federated import sizes
from verify.scenes.special.bkt import TRAINING

EARLIER = TRAINING.variant(
    "training after several earlier tasks",
    shapes=(
        sizes(K=3, curved=1, noisy=1),
        sizes(K=3, M=2, N=2, curved=1, noisy=1),
        sizes(K=3, M=2, t=2, curved=1, noisy=1),
    ),
)
