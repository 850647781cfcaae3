"""Second derivatives of dense networks with ReLU, in the same passes as `verify.networks.training.passes`, by Numba."""

from __future__ import annotations

import numpy as np

from nqm.compiled import compiled
from verify.networks.training.passes import ONE, ZERO, forward, room, softmax, taken


@compiled
def of_labels(logits, labels, allowed, picked, spaces):
    """Probabilities of the classes, and these less the labels: derivatives of each sample's loss by its logits, (C, b) each."""
    n_classes, b = logits.shape
    size, tables = n_classes * b, spaces[4]
    p, delta = tables[0, :size].reshape(n_classes, b), tables[1, :size].reshape(n_classes, b)
    chosen = spaces[5][:size].reshape(n_classes, b)
    chosen[:] = True
    if len(allowed):
        for j in range(b):
            chosen[:, j] = allowed[picked[j]]
    softmax(logits, chosen, ONE, spaces[6][0, :b], spaces[6][1, :b], p)
    delta[:] = p
    for j in range(b):
        delta[labels[picked[j]], j] -= ONE
    return p, delta


@compiled
def moved(theta, direction, widths, b, kept, turned, spare):
    """How the outputs in `kept` change along a direction, into `turned` in the same order; that of the logits (C, b)."""
    at, first = 0, 0
    made = turned[:0].reshape(0, b)
    turned[: widths[0] * b] = ZERO
    for layer in range(len(widths) - 1):
        q, r = widths[layer], widths[layer + 1]
        along = direction[first : first + r * q].reshape(r, q)
        shift = direction[first + r * q : first + r * q + r]
        given, end = kept[at : at + q * b], at + q * b
        made = turned[end : end + r * b].reshape(r, b)
        if layer == 0:
            np.dot(along, given.reshape(b, q).T, made)
        else:
            through = spare[: r * b].reshape(r, b)
            np.dot(along, given.reshape(q, b), made)
            np.dot(theta[first : first + r * q].reshape(r, q), turned[at:end].reshape(q, b), through)
            made += through
        hidden = layer < len(widths) - 2
        for i in range(r):
            for j in range(b):
                at_work = not hidden or kept[end + i * b + j] > ZERO
                made[i, j] = made[i, j] + shift[i] if at_work else ZERO
        at, first = end, first + r * q + r
    return made


@compiled
def hessian_product(theta, direction, rows, weights, data, out, start, stop):
    """As `verify.networks.training.kernels.hessian_product`: of the models from `start` to `stop`, into `out` (F, d).

    Gradients, and how they change along the direction, go back through the layers side by side. Source: Pearlmutter (1994),
    Fast exact multiplication by the Hessian.
    """
    images, labels, allowed, widths = data
    most = rows.shape[1]
    spaces, back = room(widths, most, 0), np.empty((2, 2, widths.max() * most), np.float32)
    kept, spare, picked, shares, tables = spaces[:5]
    turned, extra = np.empty_like(kept), np.empty(widths.max() * widths.max(), np.float32)
    n_classes = widths[-1]
    for f in range(start, stop):
        b = taken(images, rows[f], weights[f], kept, picked, shares)
        if not b:
            out[f] = ZERO
            continue
        logits = forward(theta[f], widths, b, kept)
        change = moved(theta[f], direction[f], widths, b, kept, turned, spare[0])
        p, delta = of_labels(logits, labels, allowed, picked, spaces)
        slope = tables[2, : n_classes * b].reshape(n_classes, b)
        for j in range(b):
            mean = ZERO
            for c in range(n_classes):
                mean += p[c, j] * change[c, j]
            for c in range(n_classes):
                slope[c, j] = shares[j] * p[c, j] * (change[c, j] - mean)
                delta[c, j] *= shares[j]
        first, at = theta.shape[1], 0
        for width in widths[:-1]:
            at += width * b
        for layer in range(len(widths) - 2, -1, -1):
            q, r = widths[layer], widths[layer + 1]
            first, at = first - r * q - r, at - q * b
            given, found = kept[at : at + q * b], out[f, first : first + r * q].reshape(r, q)
            for i in range(r):
                total = ZERO
                for j in range(b):
                    total += slope[i, j]
                out[f, first + r * q + i] = total
            if layer == 0:  # images do not change
                np.dot(slope, given.reshape(b, q), found)
                continue
            before, more = given.reshape(q, b), extra[: r * q].reshape(r, q)
            np.dot(slope, before.T, found)
            np.dot(delta, turned[at : at + q * b].reshape(q, b).T, more)
            found += more
            weight = theta[f, first : first + r * q].reshape(r, q)
            along = direction[f, first : first + r * q].reshape(r, q)
            new_slope = back[layer % 2, 0, : q * b].reshape(q, b)
            new_delta = back[layer % 2, 1, : q * b].reshape(q, b)
            through = spare[0, : q * b].reshape(q, b)
            np.dot(weight.T, slope, new_slope)
            np.dot(along.T, delta, through)
            np.dot(weight.T, delta, new_delta)
            for i in range(q):
                for j in range(b):
                    at_work = before[i, j] > ZERO
                    new_slope[i, j] = new_slope[i, j] + through[i, j] if at_work else ZERO
                    new_delta[i, j] = new_delta[i, j] if at_work else ZERO
            slope, delta = new_slope, new_delta


@compiled
def squared_gradients(theta, rows, weights, data, out, start, stop):
    """As `verify.networks.training.kernels.squared_gradients`, see `hessian_product`.

    A weight's derivative by one sample is a product of what goes back and what came in, so that its squares are a product of squares.
    """
    images, labels, allowed, widths = data
    most = rows.shape[1]
    spaces, back = room(widths, most, 0), np.empty((2, widths.max() * most), np.float32)
    kept, spare, picked, shares = spaces[:4]
    for f in range(start, stop):
        b = taken(images, rows[f], weights[f], kept, picked, shares)
        if not b:
            out[f] = ZERO
            continue
        delta = of_labels(forward(theta[f], widths, b, kept), labels, allowed, picked, spaces)[1]
        first, at = theta.shape[1], 0
        for width in widths[:-1]:
            at += width * b
        for layer in range(len(widths) - 2, -1, -1):
            q, r = widths[layer], widths[layer + 1]
            first, at = first - r * q - r, at - q * b
            given = kept[at : at + q * b]
            squares, inputs = spare[0, : r * b].reshape(r, b), spare[1, : q * b]
            for i in range(r):
                total = ZERO
                for j in range(b):
                    squares[i, j] = shares[j] * delta[i, j] * delta[i, j]
                    total += squares[i, j]
                out[f, first + r * q + i] = total
            for k in range(q * b):
                inputs[k] = given[k] * given[k]
            found = out[f, first : first + r * q].reshape(r, q)
            if layer == 0:
                np.dot(squares, inputs.reshape(b, q), found)
                continue
            before, new_delta = given.reshape(q, b), back[layer % 2, : q * b].reshape(q, b)
            np.dot(squares, inputs.reshape(q, b).T, found)
            np.dot(theta[f, first : first + r * q].reshape(r, q).T, delta, new_delta)
            for i in range(q):
                for j in range(b):
                    new_delta[i, j] = new_delta[i, j] if before[i, j] > ZERO else ZERO
            delta = new_delta
