"""Proofs about the quantities of scenes: facts, inductions, premises, and the sizes that a proof covers."""
