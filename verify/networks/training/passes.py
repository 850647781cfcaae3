"""Forward and backward passes of dense networks with ReLU, compiled by Numba and kept on disk.

`widths` (layers + 1,) holds the number of inputs and the number of units of each layer. Outputs of a layer are stored as
(units, b), so that loops over a minibatch run along contiguous memory; only the images are stored as (b, pixels). Models
are float32; weights and biases have the order of the parameter vector.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.linalg.blas import sgemm

from nqm.compiled import compiled
from verify.networks.training.products import crossed, product

ZERO, ONE = np.float32(0), np.float32(1)
PREDICTED_AT_A_TIME = 64
"""Number of images predicted at once: their outputs fit in the processor's cache."""

BUFFER = 2**26
"""Bytes; more than OpenBLAS allocates as the work buffer of one thread."""


def _taken_by_products() -> None:
    """Make OpenBLAS allocate its work buffer now, where a lack of memory can be reported.

    If memory runs out in the middle of a pass, OpenBLAS retries the allocation without end.

    Raises
    ------
    MemoryError
        If less than `BUFFER` bytes are free.
    """
    np.empty(BUFFER, np.uint8)  # raises MemoryError, which OpenBLAS does not
    some = np.ones((256, 256), np.float32, order="F")  # smaller products do not use the buffer
    sgemm(1, some, some)


_taken_by_products()


@compiled
def copy_weighted(images, rows, weights, kept, chosen, shares):
    """Copy the images of nonzero weight of one model's minibatch to the beginning of `kept`; return their number.

    Their rows and weights are written to the beginning of `chosen` and `shares`.
    """
    q, b = images.shape[1], 0
    for j in range(len(rows)):
        if weights[j] != ZERO:
            chosen[b], shares[b] = rows[j], weights[j]
            given, into = images[rows[j]], kept[b * q : b * q + q]
            for k in range(q):
                into[k] = given[k]
            b += 1
    return b


@compiled
def copy(given, into):
    """Copy a flat array. Numba compiles an assignment of arrays, which checks their shapes, for seconds."""
    for i in range(len(into)):
        into[i] = given[i]


@compiled
def layer(theta, widths, place):
    """Weight (units, inputs) and bias of a layer among the parameters `theta` (d,), or among their gradients."""
    first = 0
    for before in range(place):
        first += widths[before + 1] * (widths[before] + 1)
    q, r = widths[place], widths[place + 1]
    end = first + r * q
    return theta[first:end].reshape(r, q), theta[end : end + r]


@compiled
def units(kept, widths, place, b):
    """View (units, b) of the inputs of layer `place`, or of the logits after the last layer, in the flat array `kept`.

    `kept` holds the outputs of all layers, or the gradients with respect to them.
    """
    at = 0
    for before in range(place):
        at += widths[before] * b
    return kept[at : at + widths[place] * b].reshape(widths[place], b)


@compiled
def pictures(kept, widths, b):
    """View (b, pixels) of the images in the flat array `kept`."""
    return kept[: widths[0] * b].reshape(b, widths[0])


@compiled
def spare(kept, widths, b):
    """The end of the flat array `kept`, with space for the inputs of any layer."""
    return kept[widths.sum() * b :]


@compiled
def rectify(values):
    """Set negative numbers of a flat array to zero; numbers that are none stay."""
    for i in range(len(values)):
        values[i] = ZERO if values[i] < ZERO else values[i]  # `max` is not computed for many numbers at once


@compiled
def forward(theta, widths, b, kept):
    """Write the outputs of all layers to `kept`, after the images that it begins with; return the logits (C, b)."""
    last = len(widths) - 1
    for place in range(last):
        weight, bias = layer(theta, widths, place)
        made = units(kept, widths, place + 1, b)
        if place == 0:
            crossed(weight, pictures(kept, widths, b), bias, spare(kept, widths, b), made)
        else:
            product(weight, units(kept, widths, place, b), bias, made)
        if place < last - 1:
            rectify(made.ravel())
    return units(kept, widths, last, b)


@compiled
def at_work(before, back):
    """Set to zero what goes back to units (units, b) that give nothing."""
    given, into = before.ravel(), back.ravel()
    for i in range(len(into)):
        into[i] = into[i] if given[i] > ZERO else ZERO


@compiled
def returned(theta, widths, b, kept, back):
    """Fills `back` with the gradients of all layers' outputs, in the order of `kept`, given those of the logits at its end."""
    for place in range(len(widths) - 2, 0, -1):
        into = units(back, widths, place, b)
        product(layer(theta, widths, place)[0].T, units(back, widths, place + 1, b), None, into)
        at_work(units(kept, widths, place, b), into)


@compiled
def gathered(kept, back, widths, b, out):
    """Gradient of a model, into `out` (d,): sums over the minibatch of products of what goes back from each layer and came into it."""
    for place in range(len(widths) - 2, -1, -1):
        delta = units(back, widths, place + 1, b)
        of_weight, of_bias = layer(out, widths, place)
        for i in range(len(delta)):
            total, row = ZERO, delta[i]
            for j in range(b):
                total += row[j]
            of_bias[i] = total
        if place == 0:
            product(delta, pictures(kept, widths, b), None, of_weight)
        else:
            crossed(delta, units(kept, widths, place, b), None, spare(kept, widths, b), of_weight)


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
def room(widths, b, n_teachers):
    """What a gradient of a minibatch of at most b samples takes: outputs of all layers and `spare`, their gradients, rows and weights of the
    samples that weigh something, and tables of (C, b) for two softmaxes and teachers."""
    n_tables = 2 + n_teachers
    return (
        np.empty((widths.sum() + widths.max()) * b, np.float32),
        np.empty(widths.sum() * b, np.float32),
        np.empty(b, np.int64),
        np.empty(b, np.float32),
        np.empty((n_tables, widths[-1] * b), np.float32),
        np.empty(widths[-1] * b, np.bool_),
        np.empty((2, b), np.float32),
    )


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
def taught_one(f, theta, rows, weights, beside, data, spaces, out):
    """Gradient of model f at `theta` (d,), see `taught`, into `out` (d,); zero where no sample weighs anything."""
    images, labels, allowed, widths = data
    strengths, teachers, new, groups, temperature = beside
    kept, back, picked, shares, tables, mask, ends = spaces
    b, n_classes = copy_weighted(images, rows, weights, kept, picked, shares), widths[-1]
    if not b:
        out[:] = ZERO
        return
    size = n_classes * b
    delta = units(back, widths, len(widths) - 1, b)
    ours, theirs = tables[0, :size].reshape(n_classes, b), tables[1, :size].reshape(n_classes, b)
    chosen, top, total = mask[:size].reshape(n_classes, b), ends[0, :b], ends[1, :b]
    for place in range(len(teachers)):
        copy(forward(teachers[place, f], widths, b, kept).ravel(), tables[2 + place, :size])
    logits = forward(theta, widths, b, kept)
    for c in range(n_classes):
        chosen[c] = new[c]
    for j in range(b):
        chosen[labels[picked[j]], j] = True
        if len(allowed):
            for c in range(n_classes):
                chosen[c, j] = chosen[c, j] and allowed[picked[j], c]
    softmax(logits, chosen, ONE, top, total, ours)
    for c in range(n_classes):
        for j in range(b):
            delta[c, j] = strengths[f, 0] * ours[c, j]
    for j in range(b):
        delta[labels[picked[j]], j] -= strengths[f, 0]
    for place in range(len(teachers)):
        other = tables[2 + place, :size].reshape(n_classes, b)
        for group in groups:
            for c in range(n_classes):
                chosen[c] = group[c]
            softmax(logits, chosen, temperature, top, total, ours)
            softmax(other, chosen, temperature, top, total, theirs)
            factor = strengths[f, 1 + place] * temperature  # T^2 of the loss, 1/T of the logits
            for c in range(n_classes):
                for j in range(b):
                    delta[c, j] += factor * (ours[c, j] - theirs[c, j])
    for c in range(n_classes):
        for j in range(b):
            delta[c, j] *= shares[j]
    returned(theta, widths, b, kept, back)
    gathered(kept, back, widths, b, out)


@compiled
def taught(theta, rows, weights, beside, data, out, start, stop):
    """As `verify.networks.training.kernels.taught`: gradients of the models from `start` to `stop`, into `out` (F, d).

    `beside` are strengths (F, 1 + teachers), teachers (teachers, F, d), which logits compete for labels (C,), groups (G, C) and
    the temperature; `data` are images (rows, pixels), labels (rows,), which classes compete for a sample,
    (rows, C), or (0, 0) where all do, and widths. Samples that weigh nothing are passed over.
    """
    spaces = room(data[3], rows.shape[1], len(beside[1]))
    for f in range(start, stop):
        taught_one(f, theta[f], rows[f], weights[f], beside, data, spaces, out[f])


@njit(nogil=True, fastmath={"contract"}, error_model="numpy")
def take_step(keep, rate, push, g, x):
    """One step of a model x (d,) with gradient g (d,), x <- keep*x - rate*g + push; its parts are (d,), or (1,) for all.

    Sums are taken in this order: in another one the process that compiles a walk would round otherwise than those that load it.
    """
    if len(keep) == 1:
        of_x, of_g, always = keep[0], rate[0], push[0]
        for i in range(len(x)):
            x[i] = of_x * x[i] - of_g * g[i] + always
    else:
        for i in range(len(x)):
            x[i] = keep[i] * x[i] - rate[i] * g[i] + push[i]


@compiled
def taught_walk(theta, keep, rate, push, turns, rows, weights, steps, beside, data, out, start, stop):
    """Where all local steps of a round lead: as many as `steps` (R,) says, each by its part of rows and weights (R, E, b).

    keep, rate and push are (F, maps, d) or (F, maps, 1), and turns (R, E) say which map is made; all else as in `taught`. Model f has the minibatches f modulo R, as sweeps share them.
    """
    g, spaces = np.empty(theta.shape[1], np.float32), room(data[3], rows.shape[2], len(beside[1]))
    for f in range(start, stop):
        x, of = out[f], f % len(rows)
        copy(theta[f], x)
        for e in range(steps[of]):
            taught_one(f, x, rows[of, e], weights[of, e], beside, data, spaces, g)
            now = turns[of, e]
            take_step(keep[f, now], rate[f, now], push[f, now], g, x)


@compiled
def binary_one(f, theta, rows, weights, teachers, strengths, new, old, data, spaces, out):
    """Gradient of model f at `theta` (d,), see `binary`, into `out` (d,); zero where no sample weighs anything."""
    images, labels, _, widths = data
    kept, back, picked, shares, tables, _, _ = spaces
    b, n_classes = copy_weighted(images, rows, weights, kept, picked, shares), widths[-1]
    if not b:
        out[:] = ZERO
        return
    size = n_classes * b
    delta, theirs = units(back, widths, len(widths) - 1, b), tables[0, :size].reshape(n_classes, b)
    copy(forward(teachers[f], widths, b, kept).ravel(), tables[0, :size])
    logits = forward(theta, widths, b, kept)
    for c in range(n_classes):
        by_labels, by_teacher = np.float32(new[c]), strengths[f, 0] * np.float32(old[c])
        for j in range(b):
            right = ONE if labels[picked[j]] == c else ZERO
            p = sigmoid(logits[c, j])
            each = by_labels * (p - right) + by_teacher * (p - sigmoid(theirs[c, j]))
            delta[c, j] = shares[j] * each
    returned(theta, widths, b, kept, back)
    gathered(kept, back, widths, b, out)


@compiled
def binary(theta, rows, weights, teachers, strengths, new, old, data, out, start, stop):
    """As `verify.networks.training.kernels.binary`, see `taught`; teachers (F, d), strengths (F, 1)."""
    spaces = room(data[3], rows.shape[1], 0)
    for f in range(start, stop):
        binary_one(f, theta[f], rows[f], weights[f], teachers, strengths, new, old, data, spaces, out[f])


@compiled
def binary_walk(
    theta,
    keep,
    rate,
    push,
    turns,
    rows,
    weights,
    steps,
    teachers,
    strengths,
    new,
    old,
    data,
    out,
    start,
    stop,
):
    """Where all local steps of a round lead, see `taught_walk`."""
    g, spaces = np.empty(theta.shape[1], np.float32), room(data[3], rows.shape[2], 0)
    for f in range(start, stop):
        x, of = out[f], f % len(rows)
        copy(theta[f], x)
        for e in range(steps[of]):
            binary_one(f, x, rows[of, e], weights[of, e], teachers, strengths, new, old, data, spaces, g)
            now = turns[of, e]
            take_step(keep[f, now], rate[f, now], push[f, now], g, x)


@compiled
def predicted(theta, rows, among, data, out, start, stop):
    """As `verify.networks.training.kernels.predicted`: of the models from `start` to `stop`, into `out` (F, b); a class whose logit
    is no number is the largest."""
    images, _, _, widths = data
    n = rows.shape[1]
    most = min(n, PREDICTED_AT_A_TIME)
    spaces, every = room(widths, most, 0), np.ones(most, np.float32)
    kept, picked, shares, best = spaces[0], spaces[2], spaces[3], spaces[6][0]
    for f in range(start, stop):
        for first in range(0, n, most):
            some = rows[f, first : first + most]
            b = copy_weighted(images, some, every[: len(some)], kept, picked, shares)
            logits, chosen = forward(theta[f], widths, b, kept), out[f, first : first + b]
            best[:b], chosen[:] = -np.inf, np.argmax(among)
            for c in range(len(logits)):
                if among[c]:
                    for j in range(b):
                        value = logits[c, j]
                        if value > best[j] or (value != value and best[j] == best[j]):
                            best[j], chosen[j] = value, c
