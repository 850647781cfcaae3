"""Certificates and counterexamples as files for the proof kernel Coq."""
