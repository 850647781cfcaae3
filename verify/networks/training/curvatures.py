"""Second derivatives of dense networks with ReLU, in the same passes as `verify.networks.training.passes`, by Numba."""

from __future__ import annotations

import numpy as np

from nqm.compiled import compiled
from verify.networks.training.passes import (
    ONE,
    ZERO,
    at_work,
    copy,
    copy_weighted,
    forward,
    gathered,
    layer,
    pictures,
    returned,
    room,
    softmax,
    units,
)


@compiled
def of_labels(logits, labels, allowed, picked, spaces, delta):
    """Probabilities of the classes (C, b), and these less the labels, into `delta`: derivatives of each sample's loss by its logits."""
    n_classes, b = logits.shape
    size = n_classes * b
    p, chosen = spaces[4][0, :size].reshape(n_classes, b), spaces[5][:size].reshape(n_classes, b)
    chosen[:] = True
    if len(allowed):
        for j in range(b):
            for c in range(n_classes):
                chosen[c, j] = allowed[picked[j], c]
    softmax(logits, chosen, ONE, spaces[6][0, :b], spaces[6][1, :b], p)
    copy(p.ravel(), delta.ravel())
    for j in range(b):
        delta[labels[picked[j]], j] -= ONE
    return p


@compiled
def write_derivatives(theta, direction, widths, b, kept, turned, spare):
    """Write the directional derivatives of the outputs in `kept` to `turned`, in the same order; return that of the logits (C, b)."""
    last = len(widths) - 1
    for place in range(last):
        along, shift = layer(direction, widths, place)
        made = units(turned, widths, place + 1, b)
        if place == 0:
            np.dot(along, pictures(kept, widths, b).T, made)
        else:
            through = spare[: made.size].reshape(made.shape)
            np.dot(along, units(kept, widths, place, b), made)
            np.dot(layer(theta, widths, place)[0], units(turned, widths, place, b), through)
            made += through
        for i in range(len(made)):
            for j in range(b):
                made[i, j] += shift[i]
        if place < last - 1:
            at_work(units(kept, widths, place + 1, b), made)
    return units(turned, widths, last, b)


@compiled
def hessian_product(theta, direction, rows, weights, data, out, start, stop):
    """Write `verify.networks.training.kernels.hessian_product` of the models from `start` to `stop` to `out` (F, d).

    Gradients and their directional derivatives are propagated backward through the layers together. Source: Pearlmutter (1994),
    Fast exact multiplication by the Hessian.
    """
    images, labels, allowed, widths = data
    most, last = rows.shape[1], len(widths) - 1
    spaces, spare = room(widths, most, 0), np.empty(widths.max() * max(widths.max(), most), np.float32)
    kept, back, picked, shares = spaces[:4]
    turned, changed = np.empty_like(kept), np.empty_like(kept)
    for f in range(start, stop):
        b = copy_weighted(images, rows[f], weights[f], kept, picked, shares)
        if not b:
            out[f] = ZERO
            continue
        logits = forward(theta[f], widths, b, kept)
        change = write_derivatives(theta[f], direction[f], widths, b, kept, turned, spare)
        delta, slope = units(back, widths, last, b), units(changed, widths, last, b)
        p = of_labels(logits, labels, allowed, picked, spaces, delta)
        for j in range(b):
            mean = ZERO
            for c in range(len(p)):
                mean += p[c, j] * change[c, j]
            for c in range(len(p)):
                slope[c, j] = shares[j] * p[c, j] * (change[c, j] - mean)
                delta[c, j] *= shares[j]
        returned(theta[f], widths, b, kept, back)
        for place in range(last - 1, 0, -1):
            into = units(changed, widths, place, b)
            through = spare[: into.size].reshape(into.shape)
            np.dot(layer(theta[f], widths, place)[0].T, units(changed, widths, place + 1, b), into)
            np.dot(layer(direction[f], widths, place)[0].T, units(back, widths, place + 1, b), through)
            into += through
            at_work(units(kept, widths, place, b), into)
        gathered(kept, changed, widths, b, out[f])
        for place in range(1, last):  # images do not change
            found = layer(out[f], widths, place)[0]
            more = spare[: found.size].reshape(found.shape)
            np.dot(units(back, widths, place + 1, b), units(turned, widths, place, b).T, more)
            found += more


@compiled
def squared_gradients(theta, rows, weights, data, out, start, stop):
    """As `verify.networks.training.kernels.squared_gradients`; arguments as in `hessian_product`.

    The derivative of one sample's loss by a weight is a backward signal times an input, so that its square is the product of
    their squares.
    """
    images, labels, allowed, widths = data
    spaces = room(widths, rows.shape[1], 0)
    kept, back, picked, shares = spaces[:4]
    for f in range(start, stop):
        b = copy_weighted(images, rows[f], weights[f], kept, picked, shares)
        if not b:
            out[f] = ZERO
            continue
        logits, delta = forward(theta[f], widths, b, kept), units(back, widths, len(widths) - 1, b)
        of_labels(logits, labels, allowed, picked, spaces, delta)
        returned(theta[f], widths, b, kept, back)
        for place in range(1, len(widths)):
            each = units(back, widths, place, b)
            for i in range(len(each)):
                for j in range(b):
                    each[i, j] = shares[j] * each[i, j] * each[i, j]
        for k in range(widths[:-1].sum() * b):
            kept[k] = kept[k] * kept[k]
        gathered(kept, back, widths, b, out[f])


@compiled
def lengths(columns):
    """Squared lengths of the columns (any, b), (b,)."""
    found = np.zeros(columns.shape[1], np.float32)
    for i in range(len(columns)):
        for j in range(columns.shape[1]):
            found[j] += columns[i, j] * columns[i, j]
    return found


@compiled
def gradient_norms(theta, rows, weights, data, out, start, stop):
    """Write `verify.networks.training.kernels.gradient_norms` to `out` (F, b); arguments as in `hessian_product`.

    The gradient of a layer is the outer product of backward signals and inputs, whose norm is the product of their norms. The
    input of a bias is 1.
    """
    images, labels, allowed, widths = data
    spaces = room(widths, rows.shape[1], 0)
    kept, back, picked, shares = spaces[:4]
    for f in range(start, stop):
        out[f] = ZERO
        b = copy_weighted(images, rows[f], weights[f], kept, picked, shares)
        if not b:
            continue
        logits, delta = forward(theta[f], widths, b, kept), units(back, widths, len(widths) - 1, b)
        of_labels(logits, labels, allowed, picked, spaces, delta)
        returned(theta[f], widths, b, kept, back)
        squares = np.zeros(b, np.float32)
        for place in range(len(widths) - 1):
            came = lengths(units(kept, widths, place, b)) if place else lengths(pictures(kept, widths, b).T)
            squares += (ONE + came) * lengths(units(back, widths, place + 1, b))
        b = 0
        for j in range(rows.shape[1]):
            if weights[f, j] != ZERO:
                out[f, j] = weights[f, j] * np.sqrt(squares[b])
                b += 1
