"""CFL, Appendix C.1.1 and Algorithms 4 to 6: how data are split over clients and rounds, and how much rounds share."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.cfl.symbols import CFL, source
from bounds.statement import Statement

_define = CFL.define

# Class weights (Algorithm 5)
weights_left = _define(
    "weights_left", "sum of the new weights of the classes that are left", "real", r"\sum_{j\ne i}\theta_j"
)
weights_whole = _define("weights_whole", "sum of all weights that are returned", "real", r"\sum_j\theta_j")
weights_crossed = _define(
    "weights_crossed",
    "new weight of one class times old weight of another, less the same with both exchanged",
    "real",
)

# Data sets of clients (Algorithm 6)
wanted = _define("wanted", "size of a local data set", "count", "N")
got = _define("got", "samples that each client gets", "nonnegative", "|D_m|")
needed = _define("needed", "samples that all clients need", "count", "MN")
supplied = _define("supplied", "samples of all classes", "count", r"\sum_y|S_y|")
class_given = _define("class_given", "samples of each class that all clients get", "nonnegative")
class_supply = _define("class_supply", "samples of each class", "nonnegative", "|S_y|")
class_chance = _define("class_chance", "chance of each class in the next draw", "real")
class_right = _define(
    "class_right",
    "its weight over those of the classes that are left",
    "real",
    r"\frac{\theta_c}{1-\theta_i}",
)
alpha_dir = _define("alpha_dir", "parameter of the Dirichlet distribution", "positive", r"\alpha_{Dir}")
alpha_dir_more = _define("alpha_dir_more", "a larger one", "positive", r"\alpha_{Dir}^+")
class_share = _define("class_share", "share of a class in the whole data set", "positive", "p_c")
rest_share = _define("rest_share", "share of all other classes", "positive", "1-p_c")

# Data sets of rounds (Algorithm 4)
held = _define("held", "samples of a client", "count", r"|D_i|")
parts = _define("parts", "rounds for which they are split", "count", "T")
dealt = _define("dealt", "samples that its data sets of all rounds take", "count")
remainder = _define("remainder", "what is left when the samples are divided by the rounds", "nonnegative")
clients = _define("clients", "clients in the experiments", "count")
subsets = _define("subsets", "subsets of each client", "count")
subsets_all = _define("subsets_all", "subsets in all", "count")
local_size = _define("local_size", "size of a local data set", "count", "S_l")
images = _define("images", "images to be split", "count")

# Overlap (Appendix C.1.1)
total_len = _define("total_len", "samples of a client, in sequence", "count")
pointer_step = _define("pointer_step", "steps of the pointer per round", "count", "s")
shared = _define("shared", "samples that a round shares with the next", "nonnegative")
shared_pair = _define("shared_pair", "share of samples that two rounds have in common", "nonnegative")
faded = _define(
    "faded", "overlap to the number of rounds between them", "nonnegative", r"(1-s/S_l)^{|t_1-t_2|}"
)
overlap_printed = _define("overlap_printed", "overlap that the text gives", "nonnegative")
digit = _define("printed_unit", "one unit of the last printed digit", "positive")

POINTERS: Mapping[str, tuple[str, str]] = {"0%": ("285", "0"), "25%": ("213", "0.25"), "50%": ("142", "0.50")}
"""Steps of the pointer and the overlap they are said to give (line 1093)."""
IMAGES: Mapping[str, str] = {"training": "50000", "training and test": "60000"}
"""Images of CIFAR10, by the description of the data set (Krizhevsky, 2009)."""
PROTOCOL: Mapping[str, str] = {"clients": "7", "subsets": "30", "all": "210", "size": "285", "rounds": "500"}
"""Clients, subsets of each and of all, size of a subset, and rounds of training (lines 365, 1089, 1093)."""

_alg5, _alg6 = source("Algorithm 5", "1197-1206"), source("Algorithm 6", "1210-1233")
_overlap = 1 - pointer_step / local_size
_next_overlap = sp.Eq(shared / local_size, _overlap)
_pointer = (sp.Le(pointer_step, local_size), sp.Ge(total_len, local_size + pointer_step))
_gradual = sp.Le(shared_pair, faded)
_case1 = sp.Le(shared_pair, _overlap)
_variance = lambda a: class_share * rest_share / (a + 1)  # noqa: E731
_enough = (sp.Le(needed, supplied),)
_meant = (
    "a class that is used up leaves the list of classes and the weights, and the list has no name too many"
)

WEIGHTS = (
    Statement(
        "cfl.alg5",
        "the new weights of the classes that are left sum to one",
        sp.Eq(weights_left, 1),
        _alg5,
    ),
    Statement(
        "cfl.alg5/at-once",
        "the new weights of the classes that are left sum to one",
        sp.Eq(weights_left, 1),
        _alg5,
        changes="the sum is taken once, before any weight is changed",
    ),
    Statement(
        "cfl.alg5/division",
        "the new weights of the classes that are left sum to one",
        sp.Eq(weights_left, 1),
        _alg5,
        changes="sum(theta/theta[i]) is read as a sum of quotients",
    ),
    Statement(
        "cfl.alg5.ratios",
        "the weights of the classes that are left keep their ratios",
        sp.Eq(weights_crossed, 0),
        _alg5,
    ),
    Statement(
        "cfl.alg5.ratios/at-once",
        "the weights of the classes that are left keep their ratios",
        sp.Eq(weights_crossed, 0),
        _alg5,
        changes="the sum is taken once, before any weight is changed",
    ),
    Statement(
        "cfl.alg5.whole",
        "the weights that Algorithm 6 draws with from then on sum to one, the sum in Algorithm 5 being taken once",
        sp.Eq(weights_whole, 1),
        source("Algorithms 5 and 6", "1203-1206, 1230"),
    ),
    Statement(
        "cfl.alg5.whole/removed",
        "the weights that Algorithm 6 draws with from then on sum to one",
        sp.Eq(weights_whole, 1),
        source("Algorithms 5 and 6", "1203-1206, 1230"),
        changes="the class that is used up is removed from the weights",
    ),
)
CLIENTS = (
    Statement(
        "cfl.alg6",
        "if there are enough samples, every client gets as many as asked for",
        sp.Eq(got, wanted),
        _alg6,
        _enough,
        (),
        ("cfl.alg5",),
    ),
    Statement(
        "cfl.alg6/meant",
        "if there are enough samples, every client gets as many as asked for",
        sp.Eq(got, wanted),
        _alg6,
        _enough,
        (),
        ("cfl.alg5.whole/removed",),
        changes=_meant,
    ),
    Statement(
        "cfl.alg6.disjoint",
        "clients share no sample: of no class more samples are given than it has",
        sp.Le(class_given, class_supply),
        _alg6,
    ),
    Statement(
        "cfl.alg6.chance",
        "once a class is used up, each other one is drawn with its own weight over the weights that are left",
        sp.Eq(class_chance, class_right),
        source("Algorithm 6, lines 8, 9, 13 to 15", "1224-1232"),
    ),
    Statement(
        "cfl.alg6.chance/meant",
        "once a class is used up, each other one is drawn with its own weight over the weights that are left",
        sp.Eq(class_chance, class_right),
        source("Algorithm 6, lines 8, 9, 13 to 15", "1224-1232"),
        changes=_meant,
    ),
    Statement(
        "cfl.alg6.variance",
        "with weights from the Dirichlet distribution with parameters alpha p, the weight of a class has the variance "
        "p_c (1 - p_c)/(alpha + 1): from the second moment of a Beta distribution",
        sp.Eq(
            class_share * (alpha_dir * class_share + 1) / (alpha_dir + 1) - class_share**2,
            _variance(alpha_dir).subs(rest_share, 1 - class_share),
        ),
        source("Algorithm 6, line 5", "1221"),
    ),
    Statement(
        "cfl.alg6.drift",
        "larger alpha denotes smaller drifts",
        sp.Le(_variance(alpha_dir_more), _variance(alpha_dir)),
        source("Section 5.2; Appendix C.1.1", "363, 1087"),
        (sp.Ge(alpha_dir_more, alpha_dir),),
        (),
        ("cfl.alg6.variance",),
    ),
)
ROUNDS = (
    Statement(
        "cfl.alg4",
        "the data sets of a client for all rounds take each of its samples once",
        sp.Eq(dealt, held),
        source("Algorithm 4", "1179-1193"),
        (sp.Ge(held, parts),),
        (),
        ("cfl.alg6",),
    ),
    Statement(
        "cfl.alg4/divides",
        "the data sets of a client for all rounds take each of its samples once",
        sp.Eq(dealt, held),
        source("Algorithm 4", "1179-1193"),
        (sp.Ge(held, parts), sp.Eq(remainder, 0)),
        changes="the number of rounds divides the number of samples",
    ),
    Statement(
        "cfl.alg4.enough",
        "a client has enough samples for the data sets of all rounds",
        sp.Le(dealt, held),
        source("Algorithm 4, line 5", "1190"),
        (sp.Ge(held, parts),),
    ),
    Statement(
        "cfl.alg4.enough/rounded-down",
        "a client has enough samples for the data sets of all rounds",
        sp.Le(dealt, held),
        source("Algorithm 4, line 5", "1190"),
        (sp.Ge(held, parts),),
        changes="N_local is rounded down",
    ),
    Statement(
        "cfl.alg4.clients",
        "7 clients with 30 subsets each have 210 subsets",
        sp.Eq(clients * subsets, subsets_all),
        source("Section 5.2; Appendix C.1.1", "365, 1089"),
    ),
    Statement(
        "cfl.alg4.rounds",
        "line 5 of Algorithm 4 with T = 500 rounds gives the size 285 of a local data set (a client has 30 of them)",
        sp.Eq(held / parts, local_size),
        source("Algorithm 4; Appendix C.1.1", "1089-1093, 1190"),
    ),
)
OVERLAP = (
    Statement(
        "cfl.overlap",
        "local data sets of successive rounds share 1 - s/S_l of their samples",
        _next_overlap,
        source("Appendix C.1.1", "1091-1093"),
        _pointer,
    ),
    Statement(
        "cfl.overlap/ring",
        "local data sets of successive rounds share 1 - s/S_l of their samples",
        _next_overlap,
        source("Appendix C.1.1", "1091-1093"),
        _pointer,
        changes="at the end of the sequence the pointer moves on over its beginning instead of back to the start point",
    ),
    Statement(
        "cfl.overlap.numbers",
        "s = 285, 213 and 142 give an overlap of 0%, 25% and 50%, as far as digits are printed",
        sp.Le(sp.Abs(_overlap - overlap_printed), digit / 2),
        source("Appendix C.1.1", "1093"),
    ),
    Statement(
        "cfl.overlap.images",
        "210 disjoint subsets of 285 images fit into the training images of CIFAR10 (50,000)",
        sp.Le(subsets_all * local_size, images),
        source("Appendix C.1.1", "1093"),
    ),
    Statement(
        "cfl.overlap.images/all",
        "210 disjoint subsets of 285 images fit into the images of CIFAR10 (60,000)",
        sp.Le(subsets_all * local_size, images),
        source("Appendix C.1.1", "1093"),
        changes="the test images are split too",
    ),
    Statement(
        "cfl.overlap.case1",
        "data with overlap meet Assumption 6 with F^2 = overlap D^2, where the time drift is a mean over independent "
        "samples: no two rounds share more than successive ones",
        _case1,
        source("Section 4.3.1; Appendix C.1.1", "250-256, 1091-1093"),
        _pointer,
    ),
    Statement(
        "cfl.overlap.case1/first-pass",
        "data with overlap meet Assumption 6 with F^2 = overlap D^2",
        _case1,
        source("Section 4.3.1; Appendix C.1.1", "250-256, 1091-1093"),
        _pointer,
        changes="rounds before the pointer reaches the end of the sequence",
    ),
    Statement(
        "cfl.overlap.case2",
        "data with overlap meet Assumption 7 with alpha = overlap, where the time drift is a mean over independent "
        "samples",
        _gradual,
        source("Section 4.3.2; Appendix C.1.1", "278-286, 1091-1093"),
        _pointer,
    ),
    Statement(
        "cfl.overlap.case2/first-pass",
        "data with overlap meet Assumption 7 with alpha = overlap",
        _gradual,
        source("Section 4.3.2; Appendix C.1.1", "278-286, 1091-1093"),
        _pointer,
        changes="rounds before the pointer reaches the end of the sequence",
    ),
)

STATEMENTS = (*WEIGHTS, *CLIENTS, *ROUNDS, *OVERLAP)
