"""SPECIAL (arXiv:2601.22274v2): server-side proximal anchor, backward knowledge transfer, task-uniform rate."""

from bounds.special.theorems import ALIGNED, BKT, DRIFT, PSI, RATE, RATE_FULL

__all__ = ["ALIGNED", "BKT", "DRIFT", "PSI", "RATE", "RATE_FULL"]
