"""Training after several earlier tasks with noisy gradients; the losses of one earlier task may cancel the gains of others."""

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
