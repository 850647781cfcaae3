"""The overfitting term along runs at the rate of Theorem 2, with memories that are drawn once."""

from verify.scenes.cflag.bias import biases, fixed_memory
from verify.scenes.cflag.memories import sizes
from verify.scenes.cflag.rate import ONCE

AT_RATE = ONCE.variant(
    "runs of C-FLAG at the rate of Theorem 2, with memories drawn once",
    shapes=(sizes(S=2, T=3), sizes(S=2, J=2, E=2, T=3), sizes(N=2, S=2, T=3)),
    compute=lambda shape, values: biases(shape, values, fixed_memory(shape)),
)
