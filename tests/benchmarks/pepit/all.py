"""Importing this module collects all rates."""

import tests.benchmarks.pepit.composite
import tests.benchmarks.pepit.operators
import tests.benchmarks.pepit.sampling
import tests.benchmarks.pepit.smooth
import tests.benchmarks.pepit.unconstrained  # noqa: F401
