"""C-FLAG: incrementally aggregated gradients with memory, adaptive rates."""
