"""Gradient episodic memory (GEM): steps that agree with the gradients of past tasks."""
