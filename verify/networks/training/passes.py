"""Forward and backward passes of dense networks with ReLU, compiled by Numba and kept on disk.

Layers have `widths` (layers + 1,). A layer's outputs lie unit by unit, (units, b), so that all loops over a minibatch are
along memory; the images alone lie one by one. Models are float32, their weights and biases in the order of the vector.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nqm.compiled import compiled

ZERO, ONE = np.float32(0), np.float32(1)


@compiled
def matrix(height, width):
    """Room for numbers, (height, width)."""
    return np.empty((height, width), np.float32)


@compiled
def taken(images, rows, kept):
    """Puts the images of one model's minibatch at the beginning of `kept`."""
    q = images.shape[1]
    for j in range(len(rows)):
        row = rows[j]
        for k in range(q):
            kept[j * q + k] = images[row, k]


@compiled
def forward(theta, widths, b, kept):
    """Outputs of all layers after the images in `kept`, one layer after another; the logits (C, b)."""
    at, first = 0, 0
    made = kept[:0].reshape(0, b)
    for layer in range(len(widths) - 1):
        q, r = widths[layer], widths[layer + 1]
        weight = theta[first : first + r * q].reshape(r, q)
        bias = theta[first + r * q : first + r * q + r]
        given = kept[at : at + q * b]
        made = kept[at + q * b : at + q * b + r * b].reshape(r, b)
        if layer == 0:
            np.dot(weight, given.reshape(b, q).T, made)
        else:
            np.dot(weight, given.reshape(q, b), made)
        least = ZERO if layer < len(widths) - 2 else np.float32(-np.inf)
        for i in range(r):
            for j in range(b):
                made[i, j] = max(made[i, j] + bias[i], least)
        at, first = at + q * b, first + r * q + r
    return made


@compiled
def backward(theta, widths, b, kept, delta, spare, out):
    """Gradient of a model, given that of its logits, `delta` (C, b); `spare` holds that of two layers' outputs."""
    first, at = len(theta), 0
    for width in widths[:-1]:
        at += width * b
    for layer in range(len(widths) - 2, -1, -1):
        q, r = widths[layer], widths[layer + 1]
        first, at = first - r * q - r, at - q * b
        given = kept[at : at + q * b]
        weight_gradient = out[first : first + r * q].reshape(r, q)
        for i in range(r):
            total = ZERO
            for j in range(b):
                total += delta[i, j]
            out[first + r * q + i] = total
        if layer == 0:
            np.dot(delta, given.reshape(b, q), weight_gradient)
            continue
        before = given.reshape(q, b)
        np.dot(delta, before.T, weight_gradient)
        back = spare[layer % 2, : q * b].reshape(q, b)
        np.dot(theta[first : first + r * q].reshape(r, q).T, delta, back)
        for i in range(q):
            for j in range(b):
                back[i, j] = back[i, j] if before[i, j] > ZERO else ZERO
        delta = back


@njit(nogil=True, fastmath={"contract"}, error_model="numpy", inline="always")
def exponential(x):
    """e**x for x <= 88, to the last two bits, 1e-38 below -87; unlike the C library's, of many numbers at once.

    Source: Moshier, Cephes Mathematical Library, expf.
    """
    x = max(x, np.float32(-87))
    n = np.floor(x * np.float32(1.44269504) + np.float32(0.5))
    r = x - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    p = np.float32(1.9875691500e-4) * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
    return (p * r * r + r + ONE) * power


@njit(nogil=True, error_model="numpy", inline="always")
def sigmoid(x):
    """1 / (1 + e**-x)."""
    e = exponential(-abs(x))
    return (ONE if x > ZERO else e) / (ONE + e)


@compiled
def softmax(logits, chosen, temperature, top, total, out):
    """Softmax over the chosen of the logits (C, b), each column for itself; zero for the others."""
    n_classes, b = logits.shape
    top[:], total[:] = -np.inf, ZERO
    for c in range(n_classes):
        for j in range(b):
            top[j] = max(top[j], logits[c, j] if chosen[c, j] else np.float32(-np.inf))
    for c in range(n_classes):
        for j in range(b):
            e = exponential((logits[c, j] - top[j]) / temperature)
            out[c, j] = e if chosen[c, j] else ZERO
            total[j] += out[c, j]
    for c in range(n_classes):
        for j in range(b):
            out[c, j] /= max(total[j], np.float32(1e-30))  # a group of no classes has none


@compiled
def taught(theta, rows, weights, strengths, teachers, groups, temperature, data, out, start, stop):
    """As `verify.networks.training.kernels.taught`: gradients of the models from `start` to `stop`, into `out` (F, d).

    Teachers are (teachers, F, d); `data` are images (rows, pixels), labels (rows,), which classes compete for a sample,
    (rows, C), or (0, 0) where all do, and widths. Models whose samples all weigh nothing are passed over.
    """
    images, labels, allowed, widths = data
    b, n_classes = rows.shape[1], widths[-1]
    kept, spare = np.empty(widths.sum() * b, np.float32), np.empty((2, widths.max() * b), np.float32)
    delta, ours, theirs = matrix(n_classes, b), matrix(n_classes, b), matrix(n_classes, b)
    others = np.empty((len(teachers), n_classes, b), np.float32)
    chosen = np.ones((n_classes, b), np.bool_)
    top, total = np.empty(b, np.float32), np.empty(b, np.float32)
    for f in range(start, stop):
        if not weights[f].any():
            out[f] = ZERO
            continue
        taken(images, rows[f], kept)
        for place in range(len(teachers)):
            others[place] = forward(teachers[place, f], widths, b, kept)
        logits = forward(theta[f], widths, b, kept)
        if len(allowed):
            for j in range(b):
                chosen[:, j] = allowed[rows[f, j]]
        softmax(logits, chosen, ONE, top, total, ours)
        for c in range(n_classes):
            for j in range(b):
                delta[c, j] = strengths[f, 0] * ours[c, j]
        for j in range(b):
            delta[labels[rows[f, j]], j] -= strengths[f, 0]
        for place in range(len(teachers)):
            for group in groups:
                for c in range(n_classes):
                    chosen[c] = group[c]
                softmax(logits, chosen, temperature, top, total, ours)
                softmax(others[place], chosen, temperature, top, total, theirs)
                factor = strengths[f, 1 + place] * temperature  # T^2 of the loss, 1/T of the logits
                for c in range(n_classes):
                    for j in range(b):
                        delta[c, j] += factor * (ours[c, j] - theirs[c, j])
        if len(teachers):
            chosen[:] = True
        for c in range(n_classes):
            for j in range(b):
                delta[c, j] *= weights[f, j]
        backward(theta[f], widths, b, kept, delta, spare, out[f])


@compiled
def binary(theta, rows, weights, teachers, strengths, new, old, data, out, start, stop):
    """As `verify.networks.training.kernels.binary`, see `taught`; teachers (F, d), strengths (F, 1)."""
    images, labels, _, widths = data
    b, n_classes = rows.shape[1], widths[-1]
    kept, spare = np.empty(widths.sum() * b, np.float32), np.empty((2, widths.max() * b), np.float32)
    delta, theirs = matrix(n_classes, b), matrix(n_classes, b)
    for f in range(start, stop):
        if not weights[f].any():
            out[f] = ZERO
            continue
        taken(images, rows[f], kept)
        theirs[:] = forward(teachers[f], widths, b, kept)
        logits = forward(theta[f], widths, b, kept)
        for c in range(n_classes):
            by_labels, by_teacher = np.float32(new[c]), strengths[f, 0] * np.float32(old[c])
            for j in range(b):
                right = ONE if labels[rows[f, j]] == c else ZERO
                p = sigmoid(logits[c, j])
                each = by_labels * (p - right) + by_teacher * (p - sigmoid(theirs[c, j]))
                delta[c, j] = weights[f, j] * each
        backward(theta[f], widths, b, kept, delta, spare, out[f])
