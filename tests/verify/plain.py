"""Gradients of single losses, without batches of worlds."""

import numpy as np


def slope_of_waves(v, task, m, x):
    """Gradient of one client's sum of waves at a point, from their heights and phases."""
    slope = 0 * x
    for height, turn, wave in zip(v["height"][task, m], v["turn"][task, m], v["wave"], strict=True):
        slope = slope + height * np.sin(wave @ x + 2 * np.arctan(turn)) * wave
    return slope
