"""CFL, Appendix C.1.1 and Algorithms 4 to 6: how data are split over clients and rounds, and how much rounds share."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.cfl.symbols import CFL, at
from bounds.relations import eq, ge, le

_count, _positive, _nonnegative, _real = CFL.count, CFL.positive, CFL.nonnegative, CFL.real

# Class weights (Algorithm 5)
weights_left = _real(
    "weights_left", "sum of the new weights of the classes that are left", r"\sum_{j\ne i}\theta_j"
)
weights_whole = _real("weights_whole", "sum of all weights that are returned", r"\sum_j\theta_j")
weights_crossed = _real(
    "weights_crossed",
    "new weight of one class times old weight of another, less the same with both exchanged",
)

# Data sets of clients (Algorithm 6)
wanted = _count("wanted", "size of a local data set", "N")
got = _nonnegative("got", "samples that each client gets", "|D_m|")
needed = _count("needed", "samples that all clients need", "MN")
supplied = _count("supplied", "samples of all classes", r"\sum_y|S_y|")
class_given = _nonnegative("class_given", "samples of each class that all clients get")
class_supply = _nonnegative("class_supply", "samples of each class", "|S_y|")
class_chance = _real("class_chance", "chance of each class in the next draw")
class_right = _real(
    "class_right", "its weight over those of the classes that are left", r"\frac{\theta_c}{1-\theta_i}"
)
alpha_dir = _positive("alpha_dir", "parameter of the Dirichlet distribution", r"\alpha_{Dir}")
alpha_dir_more = _positive("alpha_dir_more", "a larger one", r"\alpha_{Dir}^+")
class_share = _positive("class_share", "share of a class in the whole data set", "p_c")
rest_share = _positive("rest_share", "share of all other classes", "1-p_c")

# Data sets of rounds (Algorithm 4)
held = _count("held", "samples of a client", r"|D_i|")
parts = _count("parts", "rounds for which they are split", "T")
dealt = _count("dealt", "samples that its data sets of all rounds take")
remainder = _nonnegative("remainder", "what is left when the samples are divided by the rounds")
clients = _count("clients", "clients in the experiments")
subsets = _count("subsets", "subsets of each client")
subsets_all = _count("subsets_all", "subsets in all")
local_size = _count("local_size", "size of a local data set", "S_l")
images = _count("images", "images to be split")

# Overlap (Appendix C.1.1)
total_len = _count("total_len", "samples of a client, in sequence")
pointer_step = _count("pointer_step", "steps of the pointer per round", "s")
shared = _nonnegative("shared", "samples that a round shares with the next")
shared_pair = _nonnegative("shared_pair", "share of samples that two rounds have in common")
faded = _nonnegative("faded", "overlap to the number of rounds between them", r"(1-s/S_l)^{|t_1-t_2|}")
overlap_printed = _nonnegative("overlap_printed", "overlap that the text gives")
digit = _positive("printed_unit", "one unit of the last printed digit")

POINTERS: Mapping[str, tuple[str, str]] = {"0%": ("285", "0"), "25%": ("213", "0.25"), "50%": ("142", "0.50")}
"""Steps of the pointer and the overlap they are said to give (line 1093)."""
IMAGES: Mapping[str, str] = {"training": "50000", "training and test": "60000"}
"""Images of CIFAR10, by the description of the data set (Krizhevsky, 2009)."""
PROTOCOL: Mapping[str, str] = {"clients": "7", "subsets": "30", "all": "210", "size": "285", "rounds": "500"}
"""Clients, subsets of each and of all, size of a subset, and rounds of training (lines 365, 1089, 1093)."""

_alg5, _alg6 = at("Algorithm 5", "1197-1206"), at("Algorithm 6", "1210-1233")
_overlap = 1 - pointer_step / local_size
_next_overlap = eq(shared / local_size, _overlap)
_pointer = (le(pointer_step, local_size), ge(total_len, local_size + pointer_step))
_gradual = le(shared_pair, faded)
_case1 = le(shared_pair, _overlap)


def _variance(a: sp.Expr) -> sp.Expr:
    """Variance of a class share at concentration `a`."""
    return class_share * rest_share / (a + 1)


_enough = (le(needed, supplied),)
_meant = (
    "a class that is used up leaves the list of classes and the weights, and the list has no name too many"
)

WEIGHTS = (
    alg5 := _alg5("alg5", "the new weights of the classes that are left sum to one", eq(weights_left, 1)),
    alg5.variant("at-once", changes="the sum is taken once, before any weight is changed"),
    alg5.variant("division", changes="sum(theta/theta[i]) is read as a sum of quotients"),
    alg5_ratios := _alg5(
        "alg5.ratios", "the weights of the classes that are left keep their ratios", eq(weights_crossed, 0)
    ),
    alg5_ratios.variant("at-once", changes="the sum is taken once, before any weight is changed"),
    alg5_whole := at("Algorithms 5 and 6", "1203-1206, 1230")(
        "alg5.whole",
        "the weights that Algorithm 6 draws with from then on sum to one, the sum in Algorithm 5 being taken once",
        eq(weights_whole, 1),
    ),
    alg5_whole.variant(
        "removed",
        says="the weights that Algorithm 6 draws with from then on sum to one",
        changes="the class that is used up is removed from the weights",
    ),
)
CLIENTS = (
    alg6 := _alg6(
        "alg6",
        "if there are enough samples, every client gets as many as asked for",
        eq(got, wanted),
        conditions=_enough,
        uses=("alg5",),
    ),
    alg6.variant("meant", uses=("alg5.whole/removed",), changes=_meant),
    _alg6(
        "alg6.disjoint",
        "clients share no sample: of no class more samples are given than it has",
        le(class_given, class_supply),
    ),
    alg6_chance := at("Algorithm 6, lines 8, 9, 13 to 15", "1224-1232")(
        "alg6.chance",
        "once a class is used up, each other one is drawn with its own weight over the weights that are left",
        eq(class_chance, class_right),
    ),
    alg6_chance.variant("meant", changes=_meant),
    at("Algorithm 6, line 5", "1221")(
        "alg6.variance",
        "with weights from the Dirichlet distribution with parameters alpha p, the weight of a class has the variance "
        "p_c (1 - p_c)/(alpha + 1): from the second moment of a Beta distribution",
        eq(
            class_share * (alpha_dir * class_share + 1) / (alpha_dir + 1) - class_share**2,
            _variance(alpha_dir).subs(rest_share, 1 - class_share),
        ),
    ),
    at("Section 5.2; Appendix C.1.1", "363, 1087")(
        "alg6.drift",
        "larger alpha denotes smaller drifts",
        le(_variance(alpha_dir_more), _variance(alpha_dir)),
        conditions=(ge(alpha_dir_more, alpha_dir),),
        uses=("alg6.variance",),
    ),
)
ROUNDS = (
    alg4 := at("Algorithm 4", "1179-1193")(
        "alg4",
        "the data sets of a client for all rounds take each of its samples once",
        eq(dealt, held),
        conditions=(ge(held, parts),),
        uses=("alg6",),
    ),
    alg4.variant(
        "divides",
        conditions=(ge(held, parts), eq(remainder, 0)),
        uses=(),
        changes="the number of rounds divides the number of samples",
    ),
    alg4_enough := at("Algorithm 4, line 5", "1190")(
        "alg4.enough",
        "a client has enough samples for the data sets of all rounds",
        le(dealt, held),
        conditions=(ge(held, parts),),
    ),
    alg4_enough.variant("rounded-down", changes="N_local is rounded down"),
    at("Section 5.2; Appendix C.1.1", "365, 1089")(
        "alg4.clients", "7 clients with 30 subsets each have 210 subsets", eq(clients * subsets, subsets_all)
    ),
    at("Algorithm 4; Appendix C.1.1", "1089-1093, 1190")(
        "alg4.rounds",
        "line 5 of Algorithm 4 with T = 500 rounds gives the size 285 of a local data set (a client has 30 of them)",
        eq(held / parts, local_size),
    ),
)
OVERLAP = (
    overlap := at("Appendix C.1.1", "1091-1093")(
        "overlap",
        "local data sets of successive rounds share 1 - s/S_l of their samples",
        _next_overlap,
        conditions=_pointer,
    ),
    overlap.variant(
        "ring",
        changes="at the end of the sequence the pointer moves on over its beginning instead of back to the start point",
    ),
    at("Appendix C.1.1", "1093")(
        "overlap.numbers",
        "s = 285, 213 and 142 give an overlap of 0%, 25% and 50%, as far as digits are printed",
        le(sp.Abs(_overlap - overlap_printed), digit / 2),
    ),
    overlap_images := at("Appendix C.1.1", "1093")(
        "overlap.images",
        "210 disjoint subsets of 285 images fit into the training images of CIFAR10 (50,000)",
        le(subsets_all * local_size, images),
    ),
    overlap_images.variant(
        "all",
        says="210 disjoint subsets of 285 images fit into the images of CIFAR10 (60,000)",
        changes="the test images are split too",
    ),
    overlap_case1 := at("Section 4.3.1; Appendix C.1.1", "250-256, 1091-1093")(
        "overlap.case1",
        "data with overlap meet Assumption 6 with F^2 = overlap D^2, where the time drift is a mean over independent "
        "samples: no two rounds share more than successive ones",
        _case1,
        conditions=_pointer,
    ),
    overlap_case1.variant(
        "first-pass",
        says="data with overlap meet Assumption 6 with F^2 = overlap D^2",
        changes="rounds before the pointer reaches the end of the sequence",
    ),
    overlap_case2 := at("Section 4.3.2; Appendix C.1.1", "278-286, 1091-1093")(
        "overlap.case2",
        "data with overlap meet Assumption 7 with alpha = overlap, where the time drift is a mean over independent "
        "samples",
        _gradual,
        conditions=_pointer,
    ),
    overlap_case2.variant(
        "first-pass",
        says="data with overlap meet Assumption 7 with alpha = overlap",
        changes="rounds before the pointer reaches the end of the sequence",
    ),
)

STATEMENTS = (*WEIGHTS, *CLIENTS, *ROUNDS, *OVERLAP)
